//! Agents that could play every role: the models whose keys are set, and the programs on the `PATH`.

use amelia_core::config::agent::{AgentConfig, DriverType};
use amelia_core::message::Object;
use amelia_drivers::model::Provider;
use amelia_orchestrator::service::ModelChoice;
use serde_json::json;

use crate::doctor::{ProgramHere, program_here};
use crate::keys::Keys;
use crate::upstream::{asked_for, default_model};

/// One of them.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundAgent {
    /// The provider, or the program.
    pub name: String,
    pub agent: AgentConfig,
    /// For people: `claude with its own sign-in`.
    pub label: String,
    /// It cannot work yet, for this reason.
    pub missing: Option<String>,
}

/// Programs that speak the Agent Client Protocol, and how they are told to.
const ACP: [(&str, &str); 2] = [("opencode", "acp"), ("gemini", "--experimental-acp")];

/// Everything that is there, what can work first.
pub async fn found_agents(keys: &Keys) -> Vec<FoundAgent> {
    let mut found: Vec<FoundAgent> = Provider::ALL.into_iter().filter_map(|one| by_key(one, keys)).collect();
    for (driver, name, provider) in
        [(DriverType::Claude, "claude", Provider::Anthropic), (DriverType::Codex, "codex", Provider::OpenAi)]
    {
        let Some(here) = program_here(driver).await else { continue };
        let model = default_model(provider).unwrap_or_default();
        found.push(program(AgentConfig::new(driver, model), name, &here));
    }
    for (name, argument) in ACP {
        if !crate::doctor::is_on_path(name) {
            continue;
        }
        let options = Object::from_iter([("command".to_owned(), json!([name, argument]))]);
        let agent = AgentConfig { options, ..AgentConfig::new(DriverType::Acp, "default") };
        let label = format!("{name} (ACP) with its own sign-in");
        found.push(FoundAgent { name: name.to_owned(), agent, label, missing: None });
    }
    found.sort_by_key(|one| one.missing.is_some());
    found
}

fn by_key(provider: Provider, keys: &Keys) -> Option<FoundAgent> {
    let name = provider.key_env()?;
    keys.get(name)?;
    let asked = ModelChoice { provider: Some(provider.to_string()), ..ModelChoice::default() };
    // A provider without a model of its own needs one to be named.
    let agent = asked_for(&asked, |_| true).ok()?;
    let label = format!("{} at {provider} with {name}", agent.model);
    Some(FoundAgent { name: provider.to_string(), agent, label, missing: None })
}

fn program(agent: AgentConfig, name: &str, here: &ProgramHere) -> FoundAgent {
    let missing = (here.is_signed_in == Some(false)).then(|| format!("run `{name}` once to sign in"));
    let label = format!("{} in {name}, with its own sign-in", agent.model);
    FoundAgent { name: name.to_owned(), agent, label, missing }
}
