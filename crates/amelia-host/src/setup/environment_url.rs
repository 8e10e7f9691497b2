//! Addresses of models that the environment names, as the libraries of their providers read them.

use amelia_drivers::model::Provider;
use amelia_orchestrator::service::ModelChoice;

use crate::upstream::default_model;

/// A variable, the provider that it is about, and the provider that a model at the address is called as: what is like
/// OpenAI supports its older API.
const VARIABLES: [(&str, Provider, Provider); 2] = [
    ("OPENAI_BASE_URL", Provider::OpenAi, Provider::OpenAiCompatible),
    ("ANTHROPIC_BASE_URL", Provider::Anthropic, Provider::Anthropic),
];

/// What is asked for, at the address that the environment names for it, and the variable that does. An address that is
/// asked for wins.
pub fn with_environment_url(
    asked: ModelChoice,
    variable: impl Fn(&str) -> Option<String>,
    has_key: impl Fn(&str) -> bool,
) -> (ModelChoice, Option<&'static str>) {
    if asked.base_url.is_some() {
        return (asked, None);
    }
    let is_meant = |provider: Provider| asked.provider.as_deref().is_none_or(|name| name == provider.name());
    let set = VARIABLES.into_iter().filter(|(_, provider, called)| is_meant(*provider) || is_meant(*called));
    let found = set.filter_map(|(name, provider, called)| {
        let url = variable(name).map(|url| url.trim().to_owned()).filter(|url| !url.is_empty())?;
        Some((name, provider, called, url))
    });
    let Some((name, provider, called, url)) = found.into_iter().next() else { return (asked, None) };
    // The library of Anthropic adds the version itself.
    let url = match provider {
        Provider::Anthropic if !url.trim_end_matches('/').ends_with("/v1") => {
            format!("{}/v1", url.trim_end_matches('/'))
        }
        _ => url,
    };
    let key = provider.key_envs().find(|name| has_key(name)).map(str::to_owned);
    let choice = ModelChoice {
        model: asked.model.or_else(|| default_model(provider).map(str::to_owned)),
        provider: Some(called.to_string()),
        base_url: Some(url),
        api_key_env: asked.api_key_env.or(key),
        ..asked
    };
    (choice, Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_names_the_address_of_its_provider_only() {
        let asked = |provider: Option<&str>, base_url: Option<&str>| {
            let asked = ModelChoice {
                provider: provider.map(str::to_owned),
                base_url: base_url.map(str::to_owned),
                ..ModelChoice::default()
            };
            let variable = |name: &str| match name {
                "OPENAI_BASE_URL" => Some("http://127.0.0.1:1/v1".to_owned()),
                "ANTHROPIC_BASE_URL" => Some("http://127.0.0.1:2/".to_owned()),
                _ => None,
            };
            with_environment_url(asked, variable, |name| name == "OPENAI_API_KEY")
        };
        let (openai, variable) = asked(Some("openai"), None);
        assert_eq!(variable, Some("OPENAI_BASE_URL"));
        assert_eq!(openai.provider.as_deref(), Some("openai-compatible"));
        assert_eq!(openai.base_url.as_deref(), Some("http://127.0.0.1:1/v1"));
        assert_eq!(openai.api_key_env.as_deref(), Some("OPENAI_API_KEY"));
        assert!(openai.model.is_some());
        let (anthropic, _) = asked(Some("anthropic"), None);
        assert_eq!(anthropic.base_url.as_deref(), Some("http://127.0.0.1:2/v1"));
        assert_eq!(anthropic.api_key_env, None, "it is not set");
        assert_eq!(asked(Some("groq"), None).1, None);
        assert_eq!(asked(None, Some("http://mine")).1, None);
        assert_eq!(asked(None, None).1, Some("OPENAI_BASE_URL"));
    }
}
