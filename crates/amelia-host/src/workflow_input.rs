//! What a run from a file is started with: the definition and its agents as they were then, so that later changes of the
//! files do not affect it. Keys are not in it, only the names of the variables that hold them.

use std::collections::BTreeMap;

use amelia_core::config::agent::{AgentConfig, AgentDef, ApiType, DriverType, Endpoint};
use amelia_core::config::retry::RetryConfig;
use amelia_core::config::sub_agents::SubAgentLimits;
use amelia_core::config::workflow::Workflow;
use amelia_core::object::Object;
use amelia_core::tool::ToolSpec;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// How a definition becomes a graph. A run whose number this program does not have is not resumed.
pub(crate) const COMPILER: u32 = 1;

const TEMPERATURE: &str = "temperature";

/// The input of a run from a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct WorkflowInput {
    pub(crate) compiler: u32,
    pub(crate) prompt: String,
    /// Values that the state begins with.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub(crate) inputs: Object,
    pub(crate) workflow: Workflow,
    pub(crate) agents: BTreeMap<String, AgentDef>,
    /// The model of agents that name none: the Developer of the profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) default_agent: Option<AgentConfig>,
    pub(crate) started_at: Timestamp,
    #[serde(default)]
    pub(crate) retry: RetryConfig,
    #[serde(default)]
    pub(crate) sub_agents: SubAgentLimits,
    /// The tools of MCP servers that it was offered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) mcp_tools: Vec<ToolSpec>,
    /// None of its tools uses files, so it has no worktree.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) has_no_files: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) copy_files: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) setup: Vec<String>,
}

impl WorkflowInput {
    /// The configurations of all agents, by name.
    pub(crate) fn configs(&self) -> BTreeMap<&str, AgentConfig> {
        let config = |agent: &AgentDef| match (&agent.llm_config, &self.default_agent) {
            (Some(endpoint), _) => Some(config_of(agent, endpoint)),
            (None, Some(default)) => Some(with_temperature(default, agent.temperature)),
            (None, None) => None,
        };
        self.agents.iter().filter_map(|(name, agent)| Some((name.as_str(), config(agent)?))).collect()
    }
}

/// An agent from a file, as one of a profile.
fn config_of(agent: &AgentDef, endpoint: &Endpoint) -> AgentConfig {
    let provider = match endpoint.api_type {
        ApiType::Anthropic => "anthropic",
        ApiType::Openai | ApiType::Deepseek | ApiType::Glm | ApiType::Ollama | ApiType::Custom => {
            "openai-compatible"
        }
    };
    let mut options = Object::new();
    options.insert("provider".to_owned(), json!(provider));
    options.insert("base_url".to_owned(), json!(endpoint.endpoint));
    options.insert(TEMPERATURE.to_owned(), json!(agent.temperature));
    if let Some(name) = &endpoint.api_key_env {
        options.insert("api_key_env".to_owned(), json!(name));
    }
    AgentConfig { options, ..AgentConfig::new(DriverType::Api, endpoint.model.clone()) }
}

/// The agent of a profile, for a file that may want another temperature. Some models refuse any, so the default of a file
/// is not sent to them.
fn with_temperature(agent: &AgentConfig, temperature: f64) -> AgentConfig {
    let mut agent = agent.clone();
    if temperature != AgentDef::DEFAULT_TEMPERATURE {
        agent.options.insert(TEMPERATURE.to_owned(), json!(temperature));
    }
    agent
}
