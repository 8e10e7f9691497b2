//! The model of agents from files that name none: that of the developer of the profile, if Amelia calls it itself.

use std::path::Path;
use std::sync::Arc;

use amelia_core::clock::SystemClock;
use amelia_core::config::agent::{AgentConfig, AgentDef, DriverType};
use amelia_core::config::profile::Profile;
use amelia_core::config::role::DEVELOPER;
use amelia_core::problem::Problem;
use amelia_orchestrator::settings::Profiles;
use anyhow::Result;

use crate::home::Home;

/// The agent of the profile whose model those use that name none; nothing when each names one.
pub fn find<'a>(
    agents: impl IntoIterator<Item = &'a AgentDef>,
    profile: &Profile,
) -> Result<Option<AgentConfig>, Problem> {
    let Some(name) = agents.into_iter().find(|agent| agent.llm_config.is_none()).map(|agent| &agent.name)
    else {
        return Ok(None);
    };
    let refused = |why: String| {
        let problem = Problem::new(format!("the agent `{name}` has no `llm_config`, and {why}"));
        problem.with_hint("set `llm_config` with `endpoint` and `model` in its file")
    };
    match profile.agents.get(DEVELOPER) {
        Some(agent) if agent.driver == DriverType::Api => Ok(Some(agent.clone())),
        Some(agent) => {
            let program = agent.driver.name();
            Err(refused(format!(
                "the developer of the profile `{}` is `{program}`, which is a program",
                profile.name
            )))
        }
        None => Err(refused("there is no profile for this repository that has a developer".to_owned())),
    }
}

/// The profile that runs in a directory have when they name none; without a store, there is none.
pub async fn profile_of(home: &Home, directory: &Path) -> Result<Option<Profile>> {
    if !home.has_runs() {
        return Ok(None);
    }
    let profiles = Profiles::new(home.look()?, Arc::new(SystemClock));
    Ok(profiles.find_for(None, directory).await?)
}
