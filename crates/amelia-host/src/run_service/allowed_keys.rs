//! Which keys of this machine the agents of a run may send.

use amelia_core::config::agent::AgentConfig;
use amelia_core::config::server::ServerConfig;
use amelia_core::problem::Problem;
use amelia_orchestrator::service::ServiceError;

use super::LocalRunService;
use crate::error::service_error;
use crate::upstream::ResolvedUpstream;

impl LocalRunService {
    /// Which keys may be used, unless all may.
    pub(super) fn allowed_keys(&self) -> Option<&ServerConfig> {
        self.rules.as_ref().filter(|_| !self.is_its_owners)
    }

    /// Keys that these agents would send, and that the server may not give away, whether the request named them or
    /// they are what a provider takes by default.
    pub(super) fn check_keys(&self, agents: &[&AgentConfig]) -> Result<(), ServiceError> {
        let Some(rules) = self.allowed_keys() else { return Ok(()) };
        for agent in agents {
            let names = ResolvedUpstream::variables(agent).map_err(service_error)?;
            if let Some(name) = names.into_iter().find(|name| !rules.api_key_envs.contains(name)) {
                let all = [rules.api_key_envs.join(", "), name.clone()].join(", ");
                let problem = Problem::new(format!("`{name}` is not among the server's api_key_envs"));
                return Err(ServiceError::Invalid(problem.with_hint(format!(
                    "amelia config server set api_key_envs '[{all}]', then amelia server stop"
                ))));
            }
        }
        Ok(())
    }
}
