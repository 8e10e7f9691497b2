//! What one agent is asked to do, and on what: everything needed to start it, and to resume it in another process.
//! Kept with the run; keys are not in it, only the names of the variables that hold them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use amelia_agents::briefing::{self, Facts};
use amelia_agents::helpers::Helpers;
use amelia_agents::oracle::Oracle;
use amelia_agents::own_tool::OwnTool;
use amelia_agents::pipeline::single::SingleAgentParts;
use amelia_core::check::CheckCommand;
use amelia_core::config::agent::AgentConfig;
use amelia_core::config::retry::RetryConfig;
use amelia_core::survey::Survey;
use amelia_core::tool::ToolSpec;
use amelia_core::view::RunRow;
use amelia_core::workplace::{Rights, Workplace};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::agent_factory::{AgentFactory, ORACLE_TURNS};
use crate::implementation_input::{OwnPrompt, own_prompts};
use crate::place;
use crate::run_parts::day;
use crate::upstream::{driver_config, with_fallbacks};

/// Who works.
const AGENT: &str = "developer";
/// Who is asked when the one who works is stuck.
const ORACLE: &str = "oracle";

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
    /// The tools of MCP servers that it was offered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) mcp_tools: Vec<ToolSpec>,
    /// The names that the profile has for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) mcp_wanted: Vec<String>,
}

/// The prompts of the agents of a request, before their work.
pub(crate) struct AgentBriefs {
    pub(crate) agent: String,
    oracle: String,
}

impl SingleAgentInput {
    /// The configurations of everybody who is asked.
    pub(crate) fn agents(&self) -> Vec<AgentConfig> {
        with_fallbacks(std::iter::once(&self.agent).chain(&self.oracle))
    }

    /// What every prompt says before the goal.
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
        let permissions = driver_config(&self.agent)?.permissions();
        let helpers = Helpers { person: true, permissions, ..Helpers::default() };
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
        factory: &AgentFactory<'_>,
        place: Arc<dyn Workplace>,
        told: AgentBriefs,
    ) -> Result<SingleAgentParts> {
        let read = place.tools(Rights::Read)?;
        let tools = if self.read_only { Arc::clone(&read) } else { place.tools(Rights::Work)? };
        let oracle: Option<Arc<dyn OwnTool>> = match &self.oracle {
            None => None,
            Some(config) => Some(Arc::new(Oracle {
                agent: factory.agent(ORACLE, config, ORACLE_TURNS, Helpers::default())?,
                tools: read,
                system: told.oracle,
            })),
        };
        let helpers = Helpers { person: true, tools: oracle.into_iter().collect(), ..Helpers::default() };
        let agent = factory.agent(AGENT, &self.agent, self.max_turns, helpers)?;
        Ok(SingleAgentParts { agent, tools, system: told.agent, place: Some(place) })
    }
}
