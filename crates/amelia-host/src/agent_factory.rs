//! From the configuration of an agent to the agent of a run.

use std::sync::Arc;

use amelia_agents::agent::{Agent, MoreTools};
use amelia_agents::helpers::Helpers;
use amelia_agents::live::Live;
use amelia_core::budget::RunBudgets;
use amelia_core::config::agent::AgentConfig;
use amelia_core::config::retry::RetryConfig;
use amelia_core::id::AgentName;
use amelia_core::recording::Tape;
use anyhow::Result;

use crate::assemble::{Assembly, agent_retry};
use crate::upstream::driver_config;

/// Turns in which a question to the Oracle must be answered.
pub(crate) const ORACLE_TURNS: u32 = 30;

/// What all agents of a run have in common.
pub(crate) struct AgentFactory<'a> {
    pub(crate) assembly: &'a Assembly,
    pub(crate) run_budgets: &'a RunBudgets,
    pub(crate) retry: RetryConfig,
    pub(crate) live: &'a Live,
    pub(crate) tape: &'a Arc<dyn Tape>,
    /// Tools that every agent has besides those of its place.
    pub(crate) more_tools: Option<MoreTools>,
}

impl AgentFactory<'_> {
    pub(crate) fn agent(
        &self,
        name: &str,
        config: &AgentConfig,
        max_turns: u32,
        helpers: Helpers,
    ) -> Result<Agent> {
        let name = AgentName::new(name)?;
        let driver_config = driver_config(config)?;
        Ok(Agent {
            driver: self.assembly.driver(&name, config, self.retry, self.run_budgets)?,
            name,
            driver_type: config.driver,
            model: config.model.clone(),
            options: driver_config.model_options(),
            max_turns,
            helpers: Helpers { permissions: driver_config.permissions(), ..helpers },
            more_tools: self.more_tools.clone(),
            live: Arc::clone(self.live),
            tape: Arc::clone(self.tape),
            redactor: Arc::clone(self.assembly.redactor()),
            threads: Arc::default(),
            retry: agent_retry(config, self.retry),
        })
    }
}
