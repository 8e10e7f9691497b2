//! What one agent is asked to do, and on what: everything needed to start it, and to go on with it in another process.
//! Kept with the run; keys are not in it, only the names of the variables that hold them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use amelia_agents::agent::Agent;
use amelia_agents::live::Live;
use amelia_agents::oracle::Oracle;
use amelia_agents::pipeline::single::Work;
use amelia_agents::tools::Helpers;
use amelia_core::budget::Purses;
use amelia_core::config::agent::AgentConfig;
use amelia_core::config::retry::RetryConfig;
use amelia_core::id::AgentName;
use amelia_core::recording::Tape;
use amelia_core::workplace::{Rights, Workplace};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::assemble::{Assembly, agent_retry, model_options, permissions};
use crate::commission::{OwnPrompt, own_prompts};
use crate::upstream::with_fallbacks;

/// Who works.
const AGENT: &str = "developer";
/// Who is asked when the one who works is stuck.
const ORACLE: &str = "oracle";
/// Turns in which a question to the Oracle must be answered.
const ORACLE_TURNS: u32 = 30;

/// The order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Order {
    pub(crate) prompt: String,
    pub(crate) agent: AgentConfig,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) oracle: Option<AgentConfig>,
    #[serde(default)]
    pub(crate) retry: RetryConfig,
    pub(crate) read_only: bool,
    pub(crate) max_turns: u32,
    /// Files that git does not track but a new worktree needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) copy_files: Vec<String>,
    /// Commands that make a new worktree usable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) setup: Vec<String>,
    /// What people had written in the place of shipped prompts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) prompts: BTreeMap<String, OwnPrompt>,
}

impl Order {
    /// The configurations of everybody who is asked.
    pub(crate) fn agents(&self) -> Vec<AgentConfig> {
        with_fallbacks(std::iter::once(&self.agent).chain(&self.oracle))
    }

    /// What the agent is told before its goal.
    pub(crate) fn system(&self, directory: &Path) -> String {
        let facts = json!({"directory": directory.to_string_lossy(), "read_only": self.read_only});
        own_prompts(&self.prompts).render("single.system", facts)
    }

    /// The node that carries the order out.
    pub(crate) fn work(
        &self,
        assembly: &Assembly,
        place: Arc<dyn Workplace>,
        purses: &Purses,
        live: &Live,
        tape: &Arc<dyn Tape>,
    ) -> Result<Work> {
        let prompts = own_prompts(&self.prompts);
        let read = place.tools(Rights::Read)?;
        let work = if self.read_only { Arc::clone(&read) } else { place.tools(Rights::Work)? };
        let agent = |name: &str, config: &AgentConfig, tools, helpers| -> Result<Agent> {
            let name = AgentName::new(name)?;
            Ok(Agent {
                driver: assembly.driver(&name, config, self.retry, purses)?,
                name,
                tools,
                helpers: Helpers { permissions: permissions(config), ..helpers },
                live: Arc::clone(live),
                tape: Arc::clone(tape),
                redactor: Arc::clone(assembly.redactor()),
                retry: agent_retry(config, self.retry),
            })
        };
        let oracle = match &self.oracle {
            None => None,
            Some(config) => Some(Arc::new(Oracle {
                agent: agent(ORACLE, config, read, Helpers::default())?,
                prompts,
                model: config.model.clone(),
                options: model_options(config),
                max_turns: ORACLE_TURNS,
            })),
        };
        Ok(Work {
            agent: agent(AGENT, &self.agent, work, Helpers { person: true, oracle, ..Helpers::default() })?,
            model: self.agent.model.clone(),
            system: self.system(place.path()),
            place: Some(place),
            options: model_options(&self.agent),
            max_turns: self.max_turns,
        })
    }
}
