//! What an implementation or a review is started with, as it is stored with the run: the request, and the profile as it
//! was then.

use std::collections::BTreeMap;
use std::sync::Arc;

use amelia_agents::briefing::{self, Facts};
use amelia_agents::helpers::Helpers;
use amelia_agents::oracle::Oracle;
use amelia_agents::own_tool::OwnTool;
use amelia_agents::pipeline::implementation::state::ImplementationRequest;
use amelia_agents::prompt::Prompts;
use amelia_agents::roles::Roles;
use amelia_core::config::agent::AgentConfig;
use amelia_core::config::profile::Profile;
use amelia_core::problem::Problem;
use amelia_core::tool::{ToolBox, ToolSpec};
use amelia_core::workplace::{Rights, Workplace};
use amelia_orchestrator::service::ServiceError;
use anyhow::{Result, anyhow};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::agent_factory::{AgentFactory, ORACLE_TURNS};
use crate::upstream::with_fallbacks;

/// Turns of a role before a person is asked.
const TURNS: u32 = 150;

/// The input of an implementation or a review.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ImplementationInput {
    pub(crate) wanted: ImplementationRequest,
    pub(crate) profile: Profile,
    /// What people had written in the place of shipped prompts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) prompts: BTreeMap<String, OwnPrompt>,
    /// The tools of MCP servers that it was offered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) mcp_tools: Vec<ToolSpec>,
}

/// What the Oracle of a run works with.
pub(crate) struct OracleBrief {
    config: AgentConfig,
    /// They only read.
    tools: Arc<dyn ToolBox>,
    system: String,
}

/// A prompt that a person wrote, and which version of it this was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct OwnPrompt {
    pub(crate) version: u32,
    pub(crate) text: String,
}

/// The prompts of a run: what people have written, and the shipped ones for the rest.
pub(crate) fn own_prompts(own: &BTreeMap<String, OwnPrompt>) -> Prompts {
    Prompts::with(own.iter().map(|(name, own)| (name.clone(), own.text.clone())).collect())
}

/// The roles that work on an implementation.
const ROLES: [&str; 4] = ["architect", "developer", "reviewer", "evaluator"];

impl ImplementationInput {
    /// Everybody's configuration; a role that the profile does not name is played by the developer's model.
    pub(crate) fn agent(&self, role: &str) -> Result<AgentConfig> {
        let named = self.profile.agent(role).or_else(|| self.profile.agent("developer"));
        named.ok_or_else(|| {
            let name = &self.profile.name;
            let problem = Problem::new(format!("the profile `{name}` has neither {role} nor developer"));
            anyhow!(ServiceError::invalid(problem.with_hint(format!("amelia config profile edit {name}"))))
        })
    }

    /// All configurations, to find the keys that are needed.
    pub(crate) fn agents(&self) -> Result<Vec<AgentConfig>> {
        let roles = ROLES.iter().map(|role| self.agent(role));
        let oracle = self.profile.agent("oracle").map(Ok);
        let all: Vec<AgentConfig> = roles.chain(oracle).collect::<Result<_>>()?;
        Ok(with_fallbacks(&all))
    }

    /// What the Oracle works with, when there is one.
    pub(crate) async fn oracle(&self, place: &dyn Workplace, date: &str) -> Result<Option<OracleBrief>> {
        let Some(config) = self.profile.agent("oracle") else { return Ok(None) };
        let survey = place.survey().await?;
        let facts = Facts {
            directory: place.path(),
            branch: place.branch(),
            base: place.base(),
            date,
            checks: &self.profile.checks,
            survey: &survey,
            rights: Rights::Read,
            driver: config.driver,
            helpers: &Helpers::default(),
            touched: &[],
        };
        let system = briefing::system(&own_prompts(&self.prompts), "oracle.system", json!({}), &facts);
        Ok(Some(OracleBrief { config, tools: place.tools(Rights::Read)?, system }))
    }

    /// The crew, cast.
    pub(crate) fn roles(&self, factory: &AgentFactory<'_>, oracle: Option<OracleBrief>) -> Result<Roles> {
        let oracle: Option<Arc<dyn OwnTool>> = match oracle {
            None => None,
            Some(OracleBrief { config, tools, system }) => {
                let agent = factory.agent("oracle", &config, ORACLE_TURNS, Helpers::default())?;
                Some(Arc::new(Oracle { agent, tools, system }))
            }
        };
        let member = |role: &str, helpers| factory.agent(role, &self.agent(role)?, TURNS, helpers);
        let asking = Helpers { person: true, tools: oracle.into_iter().collect(), ..Helpers::default() };
        Ok(Roles {
            architect: member("architect", asking.clone())?,
            developer: member("developer", asking)?,
            reviewer: member("reviewer", Helpers::default())?,
            evaluator: member("evaluator", Helpers::default())?,
        })
    }
}
