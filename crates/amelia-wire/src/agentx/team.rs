//! Teams, in and out. The spellings that the original's code used are read too. Keys never go out.

pub mod parts;
pub mod tool;

use std::sync::OnceLock;

use amelia_core::config::problem::ProblemReport;
use amelia_core::config::team as core;
use amelia_core::message::Object;
use amelia_yaml::schema::schema_with_null_of;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::amelia::config::budget::Budget;
use crate::read::Incoming;
use parts::{
    AgentConfig, CollaborationPattern, ExecutionConfig, GuardrailPolicy, HandoffRule, LLMConfig,
    MemoryConfig, TaskTemplate, older_names,
};
use tool::ToolConfig;

/// A team: its agents, tools, rules and limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = with_older_names)]
pub struct TeamConfig {
    /// Name of the team. Must match the file name.
    pub name: String,
    /// Purpose of the team, in a sentence. Lists show it.
    #[serde(default)]
    pub description: String,
    /// Version of the definition. Default: 1.0.0.
    #[serde(default = "version")]
    pub version: String,
    /// The model of agents that have none of their own.
    #[serde(default)]
    pub default_llm: LLMConfig,
    /// The agents. Without a pattern for the whole team, the first one begins.
    pub agents: Vec<AgentConfig>,
    /// Tools that the agents can use besides the built-in ones and the tools of MCP servers.
    #[serde(default)]
    pub tools: Vec<ToolConfig>,
    /// Which agent can hand off to which. An agent without a rule can hand off to all others.
    #[serde(default)]
    pub handoff_rules: Vec<HandoffRule>,
    /// Ways of working together. Only one pattern, with all agents of the team, is supported so far.
    #[serde(default)]
    pub collaboration_patterns: Vec<CollaborationPattern>,
    /// Policies that text and tool calls are checked against.
    #[serde(default)]
    pub guardrail_policies: Vec<GuardrailPolicy>,
    /// What the agents remember.
    #[serde(default, alias = "memory")]
    pub memory_config: MemoryConfig,
    /// How autonomously the team works, and when it stops.
    #[serde(default, alias = "execution")]
    pub execution_config: ExecutionConfig,
    /// Deployment settings. Amelia stores and exports them, but does not interpret them.
    #[serde(default)]
    pub deployment_config: Object,
    /// Tasks that every run of the team begins with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plan: Vec<TaskTemplate>,
    /// Limits of each run. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// Your own values. Amelia stores and exports them, but does not interpret them.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub metadata: Object,
}

/// The schema of a team file.
#[must_use]
pub fn team_schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| schema_with_null_of::<TeamConfig>("Amelia team"))
}

fn with_older_names(schema: &mut Schema) {
    older_names(schema, &[("memory", "memory_config"), ("execution", "execution_config")]);
}

fn version() -> String {
    "1.0.0".to_owned()
}

impl Incoming for TeamConfig {
    type Core = core::TeamConfig;

    fn into_core(self, report: &mut ProblemReport) -> core::TeamConfig {
        let mut tools = Vec::with_capacity(self.tools.len());
        for (index, tool) in self.tools.into_iter().enumerate() {
            tools.push(report.within(format_args!("tools[{index}]"), |report| tool.into_core(report)));
        }
        let execution_config =
            report.within("execution_config", |report| self.execution_config.into_core(report));
        core::TeamConfig {
            name: self.name,
            description: self.description,
            version: self.version,
            default_llm: self.default_llm.into(),
            agents: self.agents.into_iter().map(Into::into).collect(),
            tools,
            handoff_rules: self.handoff_rules.into_iter().map(Into::into).collect(),
            collaboration_patterns: self.collaboration_patterns.into_iter().map(Into::into).collect(),
            guardrail_policies: self.guardrail_policies.into_iter().map(Into::into).collect(),
            memory_config: self.memory_config.into(),
            execution_config,
            deployment_config: self.deployment_config,
            plan: self.plan.into_iter().map(Into::into).collect(),
            budget: self.budget.unwrap_or_default().into(),
            metadata: self.metadata,
        }
    }
}

impl From<core::TeamConfig> for TeamConfig {
    fn from(core: core::TeamConfig) -> Self {
        Self {
            name: core.name,
            description: core.description,
            version: core.version,
            default_llm: core.default_llm.into(),
            agents: core.agents.into_iter().map(Into::into).collect(),
            tools: core.tools.into_iter().map(Into::into).collect(),
            handoff_rules: core.handoff_rules.into_iter().map(Into::into).collect(),
            collaboration_patterns: core.collaboration_patterns.into_iter().map(Into::into).collect(),
            guardrail_policies: core.guardrail_policies.into_iter().map(Into::into).collect(),
            memory_config: core.memory_config.into(),
            execution_config: core.execution_config.into(),
            deployment_config: core.deployment_config,
            plan: core.plan.into_iter().map(Into::into).collect(),
            budget: (!core.budget.is_unlimited()).then(|| core.budget.into()),
            metadata: core.metadata,
        }
    }
}
