//! The parts of a team.

use amelia_core::config::problem::ProblemReport;
use amelia_core::config::secret::Secret;
use amelia_core::config::team as core;
use amelia_core::event::team::HandoffKind;
use amelia_core::message::{ExecutionMode, Object};
use core::execution::StopOn;
use core::guardrail::{PolicyAction, PolicyKind};
use core::pattern::PatternKind;
use serde::{Deserialize, Serialize};

use crate::agentx::Severity;

/// A provider's model. `api_key` is read and never written.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LLMConfig {
    pub provider: String,
    pub model: String,
    pub temperature: f64,
    pub max_tokens: Option<u64>,
    #[serde(skip_serializing)]
    pub api_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key_env: Option<String>,
    pub base_url: Option<String>,
    pub timeout: u64,
    pub retry_policy: Object,
}

default_of_core!(LLMConfig = core::llm::LlmConfig);

impl std::fmt::Debug for LLMConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        core::llm::LlmConfig::from(self.clone()).fmt(f)
    }
}

impl From<LLMConfig> for core::llm::LlmConfig {
    fn from(wire: LLMConfig) -> Self {
        Self {
            provider: wire.provider,
            model: wire.model,
            temperature: wire.temperature,
            max_tokens: wire.max_tokens,
            api_key: wire.api_key.map(Secret::new),
            api_key_env: wire.api_key_env,
            base_url: wire.base_url,
            timeout: wire.timeout,
            retry_policy: wire.retry_policy,
        }
    }
}

impl From<core::llm::LlmConfig> for LLMConfig {
    fn from(core: core::llm::LlmConfig) -> Self {
        Self {
            provider: core.provider,
            model: core.model,
            temperature: core.temperature,
            max_tokens: core.max_tokens,
            api_key: None,
            api_key_env: core.api_key_env,
            base_url: core.base_url,
            timeout: core.timeout,
            retry_policy: core.retry_policy,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandoffRule {
    pub from_agent: String,
    pub to_agent: String,
    #[serde(default)]
    pub condition: Option<String>,
    #[serde(default)]
    pub handoff_type: HandoffKind,
}

same_fields!(HandoffRule = core::HandoffRule { from_agent, to_agent, condition, handoff_type });

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollaborationPattern {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: PatternKind,
    pub agents: Vec<String>,
    #[serde(default)]
    pub coordination_agent: Option<String>,
    #[serde(default)]
    pub config: Object,
}

same_fields!(
    CollaborationPattern =
        core::pattern::CollaborationPattern { name, kind, agents, coordination_agent, config }
);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuardrailPolicy {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: PolicyKind,
    pub rules: Vec<Object>,
    #[serde(default = "medium")]
    pub severity: Severity,
    #[serde(default)]
    pub action: PolicyAction,
}

fn medium() -> Severity {
    Severity::Medium
}

same_fields!(GuardrailPolicy = core::guardrail::GuardrailPolicy { name, kind, rules, severity, action });

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryConfig {
    pub short_term_limit: u64,
    pub long_term_enabled: bool,
    pub semantic_search_enabled: bool,
    pub consolidation_interval: u64,
    pub vector_db_config: Object,
}

same_fields!(
    MemoryConfig = core::memory::MemoryConfig {
        short_term_limit,
        long_term_enabled,
        semantic_search_enabled,
        consolidation_interval,
        vector_db_config,
    }
);
default_of_core!(MemoryConfig = core::memory::MemoryConfig);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentConfig {
    pub name: String,
    #[serde(alias = "description")]
    pub role: String,
    /// Not needed when a team takes this agent's place.
    #[serde(default)]
    pub prompt_template: String,
    #[serde(default)]
    pub llm_config: Option<LLMConfig>,
    #[serde(default)]
    pub tools: Vec<String>,
    #[serde(default)]
    pub memory_config: Option<MemoryConfig>,
    #[serde(default)]
    pub guardrail_policies: Vec<String>,
    #[serde(default)]
    pub collaboration_patterns: Vec<String>,
    #[serde(default = "one")]
    pub max_parallel_tasks: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
}

fn one() -> u32 {
    1
}

impl From<AgentConfig> for core::member::Member {
    fn from(wire: AgentConfig) -> Self {
        Self {
            name: wire.name,
            role: wire.role,
            prompt_template: wire.prompt_template,
            llm_config: wire.llm_config.map(Into::into),
            tools: wire.tools,
            memory_config: wire.memory_config.map(Into::into),
            guardrail_policies: wire.guardrail_policies,
            collaboration_patterns: wire.collaboration_patterns,
            max_parallel_tasks: wire.max_parallel_tasks,
            team: wire.team,
        }
    }
}

impl From<core::member::Member> for AgentConfig {
    fn from(core: core::member::Member) -> Self {
        Self {
            name: core.name,
            role: core.role,
            prompt_template: core.prompt_template,
            llm_config: core.llm_config.map(Into::into),
            tools: core.tools,
            memory_config: core.memory_config.map(Into::into),
            guardrail_policies: core.guardrail_policies,
            collaboration_patterns: core.collaboration_patterns,
            max_parallel_tasks: core.max_parallel_tasks,
            team: core.team,
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExecutionConfig {
    #[serde(deserialize_with = "mode")]
    pub mode: ExecutionMode,
    pub timeout: Option<u64>,
    pub max_steps: Option<u32>,
    pub breakpoints: Vec<String>,
    pub human_intervention_points: Vec<String>,
    pub success_criteria: Vec<String>,
    pub failure_criteria: Vec<String>,
    /// `text_mention:<text>` or `max_messages:<count>`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop_on: Vec<String>,
}

/// `continuous` and `step_through` are older words.
fn mode<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<ExecutionMode, D::Error> {
    let word = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
    match &*word {
        "autonomous" | "continuous" => Ok(ExecutionMode::Autonomous),
        "step" | "step_through" => Ok(ExecutionMode::Step),
        "hitl" => Ok(ExecutionMode::Hitl),
        _ => Err(serde::de::Error::unknown_variant(&word, &["autonomous", "step", "hitl"])),
    }
}

impl ExecutionConfig {
    pub(super) fn into_core(self, report: &mut ProblemReport) -> core::execution::ExecutionConfig {
        let mut stop_on = Vec::with_capacity(self.stop_on.len());
        for (index, text) in self.stop_on.iter().enumerate() {
            match stop(text) {
                Some(stop) => stop_on.push(stop),
                None => report.refuse(
                    format_args!("stop_on[{index}]"),
                    format!("`{text}` is neither `text_mention:<text>` nor `max_messages:<count>`"),
                ),
            }
        }
        core::execution::ExecutionConfig {
            mode: self.mode,
            timeout: self.timeout,
            max_steps: self.max_steps,
            breakpoints: self.breakpoints,
            human_intervention_points: self.human_intervention_points,
            success_criteria: self.success_criteria,
            failure_criteria: self.failure_criteria,
            stop_on,
        }
    }
}

fn stop(text: &str) -> Option<StopOn> {
    match text.split_once(':')? {
        ("text_mention", text) => Some(StopOn::TextMention(text.to_owned())),
        ("max_messages", count) => count.trim().parse().ok().map(StopOn::MaxMessages),
        _ => None,
    }
}

impl From<core::execution::ExecutionConfig> for ExecutionConfig {
    fn from(core: core::execution::ExecutionConfig) -> Self {
        let stop_on = core.stop_on.into_iter().map(|stop| match stop {
            StopOn::TextMention(text) => format!("text_mention:{text}"),
            StopOn::MaxMessages(count) => format!("max_messages:{count}"),
        });
        Self {
            mode: core.mode,
            timeout: core.timeout,
            max_steps: core.max_steps,
            breakpoints: core.breakpoints,
            human_intervention_points: core.human_intervention_points,
            success_criteria: core.success_criteria,
            failure_criteria: core.failure_criteria,
            stop_on: stop_on.collect(),
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TaskTemplate {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub description: String,
    pub agent: Option<String>,
    pub dependencies: Vec<String>,
    pub expected_output: Option<String>,
}

same_fields!(
    TaskTemplate = core::plan::TaskTemplate { id, description, agent, dependencies, expected_output }
);
