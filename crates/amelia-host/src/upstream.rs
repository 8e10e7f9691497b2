//! Which model is asked, where, and how: from an agent's options, or from the command line.

use std::time::Duration;

use amelia_core::config::agent::{AgentConfig, DriverConfig, DriverType, ToolCalls};
use amelia_core::key_source::KeySource;
use amelia_core::loopback::is_plain_loopback_url;
use amelia_core::message::Object;
use amelia_core::problem::Problem;
use amelia_drivers::model::{Provider, WireFormat};
use anyhow::{Result, anyhow};
use serde_json::json;

use amelia_orchestrator::service::ModelChoice;

use amelia_orchestrator::service::ServiceError;

/// A provider as it is spoken to.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedUpstream {
    pub provider: Provider,
    pub base_url: String,
    pub wire: WireFormat,
    pub key_env: Option<String>,
    pub is_key_named: bool,
    pub tools: ToolCalls,
    pub context_tokens: Option<u64>,
    /// How long it may say nothing.
    pub silence: Option<Duration>,
}

fn usage(problem: impl Into<Problem>) -> anyhow::Error {
    anyhow!(ServiceError::invalid(problem))
}

/// What an agent's options say.
pub fn driver_config(agent: &AgentConfig) -> Result<DriverConfig> {
    agent.driver_config().map_err(|problem| usage(problem.to_string()))
}

impl ResolvedUpstream {
    /// Where an agent's model answers, if it is one that we call or have a pass to.
    pub fn of(agent: &AgentConfig) -> Result<Self> {
        Self::needed(agent)?
            .ok_or_else(|| usage(format!("`{}` is called by a program with its own sign-in", agent.model)))
    }

    /// What an agent needs of us: nothing, when it is a program with a sign-in of its own.
    pub fn needed(agent: &AgentConfig) -> Result<Option<Self>> {
        let config = driver_config(agent)?;
        let (usual, only, api) = match &config {
            DriverConfig::Api(api) => (Provider::DeepSeek, None, Some(api)),
            // Each supports one protocol, with any upstream.
            DriverConfig::Claude(_) => (Provider::Anthropic, Some(WireFormat::Messages), None),
            DriverConfig::Codex { .. } => (Provider::OpenAi, Some(WireFormat::Responses), None),
            DriverConfig::Acp(_) | DriverConfig::Scripted => return Ok(None),
        };
        let Some(given) = config.upstream() else { return Ok(None) };
        let provider = match (given.provider, &given.base_url) {
            (Some(provider), _) => provider,
            (None, Some(_)) => Provider::OpenAiCompatible,
            (None, None) => usual,
        };
        let base_url = given.base_url.as_deref().or_else(|| provider.base_url());
        // The key that a provider takes by default is for that provider alone; another address needs a named key.
        let usual_key = provider.key_env().filter(|_| base_url == provider.base_url()).map(str::to_owned);
        Ok(Some(Self {
            base_url: base_url
                .ok_or_else(|| usage(no_address(provider).with_hint("set its base_url")))?
                .to_owned(),
            wire: only.or(given.wire).unwrap_or_else(|| provider.wire()),
            is_key_named: given.api_key_env.is_some(),
            key_env: given.api_key_env.clone().or(usual_key),
            tools: api.map(|api| api.tools).unwrap_or_default(),
            context_tokens: api.and_then(|api| api.context_tokens),
            silence: api.and_then(|api| api.silence_seconds).map(Duration::from_secs),
            provider,
        }))
    }

    /// The variables whose values leave this process for an agent: its key, or what its program is given.
    pub fn variables(agent: &AgentConfig) -> Result<Vec<String>> {
        let key = Self::needed(agent)?.and_then(|upstream| upstream.key_env);
        let given = match driver_config(agent)? {
            DriverConfig::Acp(acp) => acp.env,
            DriverConfig::Api(_)
            | DriverConfig::Claude(_)
            | DriverConfig::Codex { .. }
            | DriverConfig::Scripted => Vec::new(),
        };
        Ok(key.into_iter().chain(given).collect())
    }

    /// A server on this machine needs none, unless one is named.
    pub fn needs_key(&self) -> bool {
        self.is_key_named || !self.is_local()
    }

    /// Where the key of its calls comes from.
    pub fn key_source(&self) -> KeySource {
        let alike = match self.wire {
            WireFormat::Messages => Provider::Anthropic,
            WireFormat::Chat | WireFormat::Responses => Provider::OpenAi,
        };
        match &self.key_env {
            Some(name) => KeySource::Variable(name.clone()),
            // The name that programs for such servers use.
            None => {
                KeySource::NotSent { usual: self.provider.key_env().or(alike.key_env()).unwrap_or_default() }
            }
        }
    }

    /// Whether it is on this machine.
    pub fn is_local(&self) -> bool {
        is_plain_loopback_url(&self.base_url)
    }
}

/// An agent as the command line asks for it, completed by what is there: the first provider whose key is set.
pub fn asked_for(asked: &ModelChoice, has_key: impl Fn(&str) -> bool) -> Result<AgentConfig> {
    let provider: Provider = match &asked.provider {
        Some(name) => name.parse().map_err(usage)?,
        None if asked.base_url.is_some() => Provider::OpenAiCompatible,
        None => first_with_key(&has_key).ok_or_else(|| usage(no_key()))?,
    };
    let model = asked.model.clone().or_else(|| default_model(provider).map(str::to_owned));
    let model = model.ok_or_else(|| {
        usage(Problem::new(format!("there is no default model of {provider}")).with_hint("set --model"))
    })?;
    if provider.base_url().is_none() && asked.base_url.is_none() {
        return Err(usage(no_address(provider).with_hint("set --base-url")));
    }
    let agent = AgentConfig { options: Object::new(), ..AgentConfig::new(DriverType::Api, model) };
    // The usual key needs no name.
    let usual =
        provider.key_envs().find(|name| has_key(name)).filter(|name| Some(*name) != provider.key_env());
    let token = usual.filter(|_| asked.base_url.is_none()).map(str::to_owned);
    let api_key_env = asked.api_key_env.clone().or(token);
    checked(overridden(
        agent,
        &ModelChoice { provider: Some(provider.to_string()), api_key_env, ..asked.clone() },
    ))
}

/// An agent of a profile, with what the command line says put on top.
pub fn overridden(mut agent: AgentConfig, asked: &ModelChoice) -> AgentConfig {
    if let Some(model) = &asked.model {
        agent.model.clone_from(model);
    }
    let given = [
        ("provider", &asked.provider),
        ("base_url", &asked.base_url),
        ("api_key_env", &asked.api_key_env),
        ("wire", &asked.wire),
        ("tools", &asked.tools),
    ];
    for (name, value) in given {
        if let Some(value) = value {
            agent.options.insert(name.to_owned(), json!(value));
        }
    }
    agent
}

/// The agent, if its configuration can work.
pub fn checked(agent: AgentConfig) -> Result<AgentConfig> {
    use amelia_core::config::problem::Validate;
    match agent.problems().first() {
        None => Ok(agent),
        Some(problem) => Err(usage(problem.to_string())),
    }
}

/// These agents, and those that continue for them.
pub fn with_fallbacks<'a>(agents: impl IntoIterator<Item = &'a AgentConfig>) -> Vec<AgentConfig> {
    let both =
        |agent: &AgentConfig| std::iter::once(agent.clone()).chain(agent.fallbacks()).collect::<Vec<_>>();
    agents.into_iter().flat_map(both).collect()
}

fn first_with_key(has_key: impl Fn(&str) -> bool) -> Option<Provider> {
    Provider::ALL.into_iter().find(|provider| provider.key_envs().any(&has_key))
}

fn no_address(provider: Provider) -> Problem {
    Problem::new(format!("the address of {provider} is unknown"))
}

fn no_key() -> Problem {
    let names: Vec<&str> = Provider::ALL.into_iter().flat_map(Provider::key_envs).collect();
    Problem::new(format!("no API key is set: none of {} is set", names.join(", ")))
        .with_hint("set one of them, or --base-url and --model for a local server")
}

/// A model that works well with tools, for those who name none.
pub fn default_model(provider: Provider) -> Option<&'static str> {
    match provider {
        Provider::Anthropic => Some("claude-sonnet-5-5"),
        Provider::OpenAi => Some("gpt-6.1-terra"),
        Provider::DeepSeek => Some("deepseek-flash"),
        Provider::OpenRouter | Provider::Groq | Provider::Ollama | Provider::OpenAiCompatible => None,
    }
}
