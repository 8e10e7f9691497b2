//! Agents that could play every role: the models whose keys are set, and the programs on the `PATH`.

use amelia_core::config::agent::{AgentConfig, DriverType};
use amelia_core::message::Object;
use amelia_core::problem::Problem;
use amelia_drivers::model::Provider;
use amelia_orchestrator::service::{ModelChoice, ServiceError};
use anyhow::Result;
use serde_json::json;

use crate::doctor::{ProgramHere, acp_program_here, program_here};
use crate::keys::Keys;
use crate::upstream::{ResolvedUpstream, asked_for, checked, default_model, overridden};

use super::environment_url::with_environment_url;

/// One of them.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundAgent {
    /// The provider, or the program.
    pub name: String,
    pub agent: AgentConfig,
    /// For people: `claude with its own sign-in`.
    pub label: String,
    /// It cannot work yet, for this reason.
    pub missing: Option<MissingPart>,
}

/// What an agent lacks, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingPart {
    pub problem: String,
    pub remedy: String,
}

impl MissingPart {
    fn key(name: &str) -> Self {
        Self { problem: format!("{name} is not set"), remedy: format!("set {name}") }
    }
}

/// Programs that speak the Agent Client Protocol, and with which arguments.
const ACP: [(&str, &str); 2] = [("opencode", "acp"), ("gemini", "--experimental-acp")];

/// Everything that is there, what can work first.
pub async fn found_agents(keys: &Keys) -> Vec<FoundAgent> {
    let mut found: Vec<FoundAgent> = Provider::ALL.into_iter().filter_map(|one| by_key(one, keys)).collect();
    for (driver, name, provider) in
        [(DriverType::Claude, "claude", Provider::Anthropic), (DriverType::Codex, "codex", Provider::OpenAi)]
    {
        let Some(here) = program_here(driver).await else { continue };
        let model = default_model(provider).unwrap_or_default();
        let own = program(AgentConfig::new(driver, model), name, &here);
        found.push(if driver == DriverType::Claude { at_environment_url(own, keys) } else { own });
    }
    for (name, argument) in ACP {
        let Some(here) = acp_program_here(name) else { continue };
        let options = Object::from_iter([("command".to_owned(), json!([name, argument]))]);
        let agent = AgentConfig { options, ..AgentConfig::new(DriverType::Acp, "default") };
        let sign_in = match here.is_signed_in {
            Some(true) => "with its own sign-in",
            Some(false) | None => "its sign-in is not checked",
        };
        let label = format!("{name} (ACP), {sign_in}");
        found.push(FoundAgent { name: name.to_owned(), agent, label, missing: None });
    }
    found.sort_by_key(|one| one.missing.is_some());
    found
}

fn by_key(provider: Provider, keys: &Keys) -> Option<FoundAgent> {
    let has_key = |name: &str| keys.get(name).is_some();
    provider.key_envs().find(|name| has_key(name))?;
    let asked = ModelChoice { provider: Some(provider.to_string()), ..ModelChoice::default() };
    let (asked, variable) = with_environment_url(asked, |name| std::env::var(name).ok(), has_key);
    // A provider without a model of its own needs one to be named.
    let agent = asked_for(&asked, has_key).ok()?;
    let found = FoundAgent::of(agent, keys, variable).ok()?;
    Some(FoundAgent { name: provider.to_string(), ..found })
}

impl FoundAgent {
    /// An agent whose model Amelia calls. `variable` of the environment has its address.
    pub fn of(agent: AgentConfig, keys: &Keys, variable: Option<&str>) -> Result<Self> {
        let upstream = ResolvedUpstream::of(&agent)?;
        let is_usual = Some(upstream.base_url.as_str()) == upstream.provider.base_url();
        let place = if is_usual { upstream.provider.to_string() } else { upstream.base_url.clone() };
        let source = variable.map(|name| format!(" (from {name})")).unwrap_or_default();
        let key = upstream.key_env;
        let with = key.as_ref().map(|key| format!(" with {key}")).unwrap_or_default();
        let is_missing = |name: &&String| keys.get(name).is_none();
        let missing = key.as_ref().filter(is_missing).map(|name| MissingPart::key(name));
        let label = format!("{} at {place}{source}{with}", agent.model);
        Ok(Self { name: upstream.provider.to_string(), agent, label, missing })
    }

    /// The same agent with what the command line says on top: a program at another address is called through the proxy.
    pub fn overridden(self, asked: &ModelChoice, keys: &Keys) -> Result<Self> {
        if *asked == ModelChoice::default() {
            return Ok(self);
        }
        let Self { name, agent, missing: unready, .. } = self;
        if agent.driver == DriverType::Acp {
            let problem = Problem::new(format!("`{name}` chooses its model and address itself"))
                .with_hint(format!("set them in the configuration of {name}, or omit --agent"));
            return Err(ServiceError::invalid(problem).into());
        }
        let agent = checked(overridden(agent, asked))?;
        let is_program = agent.driver != DriverType::Api;
        if is_program && ResolvedUpstream::needed(&agent)?.is_none() {
            let label = own_sign_in(&agent, &name);
            return Ok(Self { name, agent, label, missing: unready });
        }
        let found = Self::of(agent, keys, None)?;
        let label = if is_program { format!("the program {name}: {}", found.label) } else { found.label };
        Ok(Self { name, label, ..found })
    }
}

fn own_sign_in(agent: &AgentConfig, name: &str) -> String {
    format!("the program {name}: {}, with its own sign-in", agent.model)
}

/// `claude` alone reads its address and key from the environment. In a run it does not see those variables, and reaches its
/// model through the proxy.
fn at_environment_url(own: FoundAgent, keys: &Keys) -> FoundAgent {
    let asked = ModelChoice {
        provider: Some(Provider::Anthropic.to_string()),
        model: Some(own.agent.model.clone()),
        ..ModelChoice::default()
    };
    let has_key = |name: &str| keys.get(name).is_some();
    let (mut asked, variable) = with_environment_url(asked, |name| std::env::var(name).ok(), has_key);
    if variable.is_none() {
        // Without a sign-in, it can use the key that is there.
        let key = Provider::Anthropic.key_envs().find(|name| has_key(name));
        let Some(key) = key.filter(|_| own.missing.is_some()) else { return own };
        asked.api_key_env = Some(key.to_owned());
    }
    let at_url = checked(overridden(own.agent.clone(), &asked));
    match at_url.and_then(|agent| Ok((needs_key(&agent)?, FoundAgent::of(agent, keys, variable)?))) {
        Ok((needs_key, found)) => FoundAgent {
            label: format!("the program {}: {}", own.name, found.label),
            missing: needs_key.then(|| MissingPart {
                problem:
                    "neither ANTHROPIC_API_KEY nor ANTHROPIC_AUTH_TOKEN is set, and this address needs a key"
                        .to_owned(),
                remedy: "set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, run amelia init --force".to_owned(),
            }),
            name: own.name,
            ..found
        },
        Err(_) => own,
    }
}

/// Whether the address of its model is on another machine and no key is named for it.
fn needs_key(agent: &AgentConfig) -> Result<bool> {
    let upstream = ResolvedUpstream::of(agent)?;
    Ok(upstream.needs_key() && upstream.key_env.is_none())
}

fn program(agent: AgentConfig, name: &str, here: &ProgramHere) -> FoundAgent {
    let missing = (here.is_signed_in == Some(false)).then(|| MissingPart {
        problem: format!("{name} is not signed in"),
        remedy: format!("run `{name}` once to sign in"),
    });
    let label = own_sign_in(&agent, name);
    FoundAgent { name: name.to_owned(), agent, label, missing }
}
