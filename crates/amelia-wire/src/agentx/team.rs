//! Teams, in and out. The spellings that the original's code used are read too. Keys never go out.

pub mod parts;
pub mod tool;

use amelia_core::config::problem::ProblemReport;
use amelia_core::config::team as core;
use amelia_core::message::Object;
use serde::{Deserialize, Serialize};

use crate::amelia::config::budget::Budget;
use crate::read::Incoming;
use parts::{
    AgentConfig, CollaborationPattern, ExecutionConfig, GuardrailPolicy, HandoffRule, LLMConfig,
    MemoryConfig, TaskTemplate,
};
use tool::ToolConfig;

/// A team and everything it needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TeamConfig {
    pub name: String,
    #[serde(default)]
    pub description: String,
    #[serde(default = "version")]
    pub version: String,
    #[serde(default)]
    pub default_llm: LLMConfig,
    pub agents: Vec<AgentConfig>,
    #[serde(default)]
    pub tools: Vec<ToolConfig>,
    #[serde(default)]
    pub handoff_rules: Vec<HandoffRule>,
    #[serde(default)]
    pub collaboration_patterns: Vec<CollaborationPattern>,
    #[serde(default)]
    pub guardrail_policies: Vec<GuardrailPolicy>,
    #[serde(default, alias = "memory")]
    pub memory_config: MemoryConfig,
    #[serde(default, alias = "execution")]
    pub execution_config: ExecutionConfig,
    #[serde(default)]
    pub deployment_config: Object,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plan: Vec<TaskTemplate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub metadata: Object,
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
