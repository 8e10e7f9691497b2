//! What a run takes from its profile as it is now, because a person lets it: its checks, or its agents.

use std::collections::BTreeMap;
use std::path::Path;

use amelia_core::check::CheckCommand;
use amelia_core::config::agent::AgentConfig;
use amelia_core::config::profile::Profile;
use amelia_core::config::role::DEVELOPER;
use amelia_core::object::Object;
use amelia_core::problem::Problem;
use amelia_core::view::RunRow;
use amelia_orchestrator::service::ServiceError;
use serde_json::json;

use super::LocalRunService;
use crate::assemble::Assembly;
use crate::error::service_error;
use crate::run_environment::RunEnvironment;
use crate::run_parts::{has_profile, has_single_agent};
use crate::upstream::with_fallbacks;

impl LocalRunService {
    pub(super) async fn checks_now(&self, row: &RunRow) -> Result<Vec<CheckCommand>, ServiceError> {
        let run = row.run.number;
        let profile = row.run.spec.profile.as_deref().filter(|_| has_profile(row));
        let refused = || ServiceError::conflict(format!("run {run} does not run the checks of a profile"));
        Ok(self.profile(Some(profile.ok_or_else(refused)?), Path::new("")).await?.checks)
    }

    /// The same rules as for a new run: its agents must have their keys and programs here.
    pub(super) async fn agents_now(&self, row: &RunRow) -> Result<Object, ServiceError> {
        let run = row.run.number;
        let is_of_profile = has_profile(row) || has_single_agent(row);
        let profile = row.run.spec.profile.as_deref().filter(|_| is_of_profile);
        let refused = || {
            let problem = Problem::new(format!("the agents of run {run} are not those of a profile"));
            let hint = "it keeps the model that it was started with: resume it without --agents-from-profile, or start \
                        a new run with another --model";
            ServiceError::conflict(problem.with_hint(hint))
        };
        let profile = self.profile(Some(profile.ok_or_else(refused)?), Path::new("")).await?;
        let agents = agents_of(&profile)?;
        let all = with_fallbacks(agents.values());
        let all: Vec<&AgentConfig> = all.iter().collect();
        self.check_keys(&all)?;
        let assembly = Assembly::new(&self.home, &all, &RunEnvironment::Live).map_err(service_error)?;
        assembly.check(&all).map_err(service_error)?;
        Ok(agents.into_iter().map(|(role, agent)| (role, json!(agent))).collect())
    }
}

/// All agents of a profile, each with what it has from the profile itself.
fn agents_of(profile: &Profile) -> Result<BTreeMap<String, AgentConfig>, ServiceError> {
    let name = &profile.name;
    if !profile.agents.contains_key(DEVELOPER) {
        let problem = Problem::new(format!("the profile `{name}` has no developer"));
        return Err(ServiceError::invalid(problem.with_hint(format!("amelia config profile edit {name}"))));
    }
    let resolved = |role: &String| Some((role.clone(), profile.agent(role)?));
    Ok(profile.agents.keys().filter_map(resolved).collect())
}
