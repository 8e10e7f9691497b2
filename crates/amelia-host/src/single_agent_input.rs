//! What one agent is asked to do, and on what: everything needed to start it, and to go on with it in another process.
//! Kept with the run; keys are not in it, only the names of the variables that hold them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use amelia_agents::agent::Agent;
use amelia_agents::briefing::{self, Facts};
use amelia_agents::consulting::Consultant;
use amelia_agents::helpers::Helpers;
use amelia_agents::live::Live;
use amelia_agents::oracle::Oracle;
use amelia_agents::pipeline::single::SingleAgentParts;
use amelia_core::budget::RunBudgets;
use amelia_core::config::agent::AgentConfig;
use amelia_core::config::profile::CheckCommand;
use amelia_core::config::retry::RetryConfig;
use amelia_core::id::AgentName;
use amelia_core::recording::Tape;
use amelia_core::survey::Survey;
use amelia_core::view::RunRow;
use amelia_core::workplace::{Rights, Workplace};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::assemble::{Assembly, agent_retry, model_options, permissions};
use crate::implementation_input::{OwnPrompt, own_prompts};
use crate::place;
use crate::run_parts::day;
use crate::upstream::with_fallbacks;

/// Who works.
const AGENT: &str = "developer";
/// Who is asked when the one who works is stuck.
const ORACLE: &str = "oracle";
/// Turns in which a question to the Oracle must be answered.
const ORACLE_TURNS: u32 = 30;

/// The input of a run with one agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SingleAgentInput {
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
    /// What the agent is asked to run before it finishes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) checks: Vec<CheckCommand>,
    /// What people had written in the place of shipped prompts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) prompts: BTreeMap<String, OwnPrompt>,
}

/// What the agents of a request are told before their work.
pub(crate) struct AgentBriefs {
    pub(crate) agent: String,
    oracle: String,
}

impl SingleAgentInput {
    /// The configurations of everybody who is asked.
    pub(crate) fn agents(&self) -> Vec<AgentConfig> {
        with_fallbacks(std::iter::once(&self.agent).chain(&self.oracle))
    }

    /// What everybody is told before the goal.
    pub(crate) fn told(
        &self,
        directory: &Path,
        branch: Option<&str>,
        survey: &Survey,
        row: &RunRow,
    ) -> Result<AgentBriefs> {
        let base = &place::of(row)?.base_commit;
        let prompts = own_prompts(&self.prompts);
        let date = day(row);
        let helpers = Helpers { person: true, permissions: permissions(&self.agent), ..Helpers::default() };
        let alone = Helpers::default();
        let facts = |rights, agent: &AgentConfig, helpers| Facts {
            directory,
            branch,
            base,
            date: &date,
            checks: &self.checks,
            survey,
            rights,
            driver: agent.driver,
            helpers,
            touched: &[],
        };
        let rights = if self.read_only { Rights::Read } else { Rights::Work };
        let own = json!({"read_only": self.read_only});
        let oracle = self.oracle.as_ref().map(|oracle| {
            briefing::system(&prompts, "oracle.system", json!({}), &facts(Rights::Read, oracle, &alone))
        });
        let agent = briefing::system(&prompts, "single.system", own, &facts(rights, &self.agent, &helpers));
        Ok(AgentBriefs { agent, oracle: oracle.unwrap_or_default() })
    }

    /// The node that carries the request out.
    pub(crate) fn work(
        &self,
        assembly: &Assembly,
        place: Arc<dyn Workplace>,
        run_budgets: &RunBudgets,
        live: &Live,
        tape: &Arc<dyn Tape>,
        told: AgentBriefs,
    ) -> Result<SingleAgentParts> {
        let read = place.tools(Rights::Read)?;
        let work = if self.read_only { Arc::clone(&read) } else { place.tools(Rights::Work)? };
        let agent = |name: &str, config: &AgentConfig, tools, helpers| -> Result<Agent> {
            let name = AgentName::new(name)?;
            Ok(Agent {
                driver: assembly.driver(&name, config, self.retry, run_budgets)?,
                name,
                tools,
                helpers: Helpers { permissions: permissions(config), ..helpers },
                live: Arc::clone(live),
                tape: Arc::clone(tape),
                redactor: Arc::clone(assembly.redactor()),
                retry: agent_retry(config, self.retry),
            })
        };
        let oracle: Option<Arc<dyn Consultant>> = match &self.oracle {
            None => None,
            Some(config) => Some(Arc::new(Oracle {
                agent: agent(ORACLE, config, read, Helpers::default())?,
                system: told.oracle,
                model: config.model.clone(),
                options: model_options(config),
                max_turns: ORACLE_TURNS,
            })),
        };
        Ok(SingleAgentParts {
            agent: agent(AGENT, &self.agent, work, Helpers { person: true, oracle, ..Helpers::default() })?,
            model: self.agent.model.clone(),
            system: told.agent,
            place: Some(place),
            options: model_options(&self.agent),
            max_turns: self.max_turns,
        })
    }
}
