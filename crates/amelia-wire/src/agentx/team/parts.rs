//! The parts of a team.

use std::sync::OnceLock;

use amelia_core::config::problem::ProblemReport;
use amelia_core::config::secret::Secret;
use amelia_core::config::team as core;
use amelia_core::event::team::HandoffKind;
use amelia_core::memory::MemoryScope;
use amelia_core::message::{ExecutionMode, Object};
use amelia_yaml::schema::schema_with_null_of;
use core::execution::StopOn;
use core::guardrail::{PolicyAction, PolicyKind};
use core::pattern::PatternKind;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::agentx::Severity;
use crate::read::Incoming;

/// A provider's model. `api_key` is read and never written.
#[derive(Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(
    description = "A provider's model and how it is called. Name the variable that holds the key; do not write the key itself."
)]
pub struct LLMConfig {
    /// `deepseek`, `openai`, `anthropic`, `openrouter`, `groq`, `ollama`, `openai-compatible` (needs `base_url`), or a program:
    /// `claude`, `codex`, or `acp` (needs `command`). Default: deepseek.
    pub provider: String,
    /// Model name. Default: deepseek-chat.
    pub model: String,
    /// Sampling temperature, 0 to 2. Default: 0.7.
    pub temperature: f64,
    /// Maximum number of tokens in an answer. Default: that of the model.
    pub max_tokens: Option<u64>,
    /// The same as `api_key_env`, written as `${NAME}`. A key itself is rejected.
    #[serde(skip_serializing)]
    pub api_key: Option<String>,
    /// Name of the environment variable that holds the key. Default: that of the provider, such as `DEEPSEEK_API_KEY`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key_env: Option<String>,
    /// Base URL of the API. Default: that of the provider.
    pub base_url: Option<String>,
    /// Seconds without data from the provider after which a call fails. With the default, 30, Amelia waits 300 seconds, because
    /// models that think can be silent for long.
    pub timeout: u64,
    /// How failed calls are retried: `max_retries` (0 to 10, default 3), `base_delay` and `max_delay` in seconds.
    pub retry_policy: Object,
    /// With `acp`: the program that speaks the Agent Client Protocol, and its arguments, such as `[opencode, acp]`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// With `acp`: names of environment variables that the program gets besides the usual ones. Default: none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
}

default_of_core!(LLMConfig = core::llm::LlmConfig);

impl std::fmt::Debug for LLMConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        core::llm::LlmConfig::from(self.clone()).fmt(f)
    }
}

/// The variable in `${NAME}`.
fn variable(text: &str) -> Option<&str> {
    text.strip_prefix("${")?.strip_suffix('}')
}

impl From<LLMConfig> for core::llm::LlmConfig {
    fn from(wire: LLMConfig) -> Self {
        let (api_key, api_key_env) = match (wire.api_key, wire.api_key_env) {
            (Some(key), None) => match variable(&key) {
                Some(name) => (None, Some(name.to_owned())),
                None => (Some(Secret::new(key)), None),
            },
            (key, name) => (key.map(Secret::new), name),
        };
        Self {
            provider: wire.provider,
            model: wire.model,
            temperature: wire.temperature,
            max_tokens: wire.max_tokens,
            api_key,
            api_key_env,
            base_url: wire.base_url,
            timeout: wire.timeout,
            retry_policy: wire.retry_policy,
            command: wire.command,
            env: wire.env,
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
            command: core.command,
            env: core.env,
        }
    }
}

/// A rule for handoffs from one agent to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HandoffRule {
    /// The agent that hands off.
    pub from_agent: String,
    /// The agent that takes over.
    pub to_agent: String,
    /// An expression over the state, such as `last.contains('DONE')`. If it is true after a turn of `from_agent`, the handoff
    /// happens even if the agent does not ask for it.
    #[serde(default)]
    pub condition: Option<String>,
    /// `sequential` passes the turn to the other agent; `hierarchical` lets it work, and then returns with its summary; `parallel`
    /// starts the targets of all parallel rules of the agent at once. Default: sequential.
    #[serde(default)]
    pub handoff_type: HandoffKind,
}

same_fields!(HandoffRule = core::HandoffRule { from_agent, to_agent, condition, handoff_type });

/// A named way of working together. A pattern must contain all agents of the team and be its only pattern: patterns that agents
/// start are not supported yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CollaborationPattern {
    /// Name of the pattern. Must be unique, and not the name of an agent.
    pub name: String,
    /// How the agents work together.
    #[serde(rename = "type")]
    pub kind: PatternKind,
    /// The agents that take part.
    pub agents: Vec<String>,
    /// The agent that coordinates: it merges (`parallel`), delegates (`hierarchical`, required) or proposes (`consensus`).
    #[serde(default)]
    pub coordination_agent: Option<String>,
    /// Settings of the type. `parallel`: `tasks`, `sync_points`, `on_failure`, `isolation`. `hierarchical`: `must_delegate`,
    /// `max_parallel`, `max_delegations`, `max_depth`. `consensus`: `quorum`, `rule`, `timeout`, `tie`, `weights`, `max_rounds`.
    /// `custom`: `workflow`, a list of steps: `step`, and `agent` (with `task`), `ask` or `check`; and `next_on_…`.
    /// `isolation: branch` is not supported yet for agents that can change files.
    #[serde(default)]
    pub config: Object,
}

same_fields!(
    CollaborationPattern =
        core::pattern::CollaborationPattern { name, kind, agents, coordination_agent, config }
);

/// A policy that text and tool calls are checked against.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GuardrailPolicy {
    /// Name of the policy. Must be unique.
    pub name: String,
    /// What the policy checks.
    #[serde(rename = "type")]
    pub kind: PolicyKind,
    /// Rules of the policy, all with `on` (`user_input`, `prompt`, `answer`, `tool_call`, `tool_result`) and `message`.
    /// `input_validation`: `max_length`, `min_length`, `pattern`, `not_pattern`, `json_schema`. `content_filter`: `patterns`,
    /// `secrets`, `personal_data` (`email`, `phone`, `card`, `iban`, `ip`), `replace`. `rate_limit`: `calls`, `per_seconds`,
    /// `agent`, `tool`. `compliance`: `cel`, an expression that must be true.
    pub rules: Vec<Object>,
    /// Severity of a violation. Default: medium.
    #[serde(default = "medium")]
    pub severity: Severity,
    /// What happens on a violation. Default: warn.
    #[serde(default)]
    pub action: PolicyAction,
}

/// The schema of a file with a shared policy.
#[must_use]
pub fn policy_schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| schema_with_null_of::<GuardrailPolicy>("Amelia guardrail policy"))
}

impl Incoming for GuardrailPolicy {
    type Core = core::guardrail::GuardrailPolicy;

    fn into_core(self, _: &mut ProblemReport) -> core::guardrail::GuardrailPolicy {
        self.into()
    }
}

fn medium() -> Severity {
    Severity::Medium
}

same_fields!(GuardrailPolicy = core::guardrail::GuardrailPolicy { name, kind, rules, severity, action });

/// What agents remember, and who else can read it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryConfig {
    /// Tokens of a conversation above which its oldest part becomes a summary, before a turn; a tenth of it is what an agent is
    /// reminded of before a turn. Default: 10000.
    pub short_term_limit: u64,
    /// Let agents store entries under a key. Default: true.
    pub long_term_enabled: bool,
    /// Let agents search entries, and remind them of entries that fit before each turn. Default: true.
    pub semantic_search_enabled: bool,
    /// Seconds after which entries about one topic become a summary; 0 is only when you ask for it. Default: 3600.
    pub consolidation_interval: u64,
    /// Where vectors come from: `provider`, `model`, `base_url`, `api_key_env`, `dimensions`.
    pub vector_db_config: Object,
    /// Scopes besides its run in which agents may store entries: `team`, `repository`, `global`. Default: none.
    #[schemars(with = "Vec<String>")]
    pub share: Vec<MemoryScope>,
}

same_fields!(
    MemoryConfig = core::memory::MemoryConfig {
        short_term_limit,
        long_term_enabled,
        semantic_search_enabled,
        consolidation_interval,
        vector_db_config,
        share,
    }
);
default_of_core!(MemoryConfig = core::memory::MemoryConfig);

/// An agent of the team, or another team in its place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = with_older_role)]
pub struct AgentConfig {
    /// Name of the agent. Must be unique in the team.
    pub name: String,
    /// Purpose of the agent, in a few words. Required.
    #[serde(default, alias = "description")]
    pub role: String,
    /// Instructions of the agent, as a template; or the name of a file with them, ending in .md, .txt, .j2, .jinja or .jinja2,
    /// below the directory of the team file. Required, except with `team`.
    #[serde(default)]
    pub prompt_template: String,
    /// The model of the agent. Default: `default_llm`. It takes the place of the whole `default_llm` and inherits nothing
    /// from it.
    #[serde(default)]
    pub llm_config: Option<LLMConfig>,
    /// Tools that the agent may call: names, `server:tool` or `server:*`. Do not list the tools that every team has, such as
    /// `handoff`.
    #[serde(default)]
    pub tools: Vec<String>,
    /// What the agent remembers. Default: that of the team.
    #[serde(default)]
    pub memory_config: Option<MemoryConfig>,
    /// Names of policies that apply to the agent. Default: all policies of the team.
    #[serde(default)]
    pub guardrail_policies: Vec<String>,
    /// Names of patterns that the agent may start. Not supported yet.
    #[serde(default)]
    pub collaboration_patterns: Vec<String>,
    /// Tasks of the plan that the agent may work on at the same time, 1 to 16. Default: 1.
    #[serde(default = "one")]
    pub max_parallel_tasks: u32,
    /// Name of another team that takes the turns of this agent. Teams can be nested at most 3 deep. Not supported yet in patterns
    /// other than `sequential`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
}

fn one() -> u32 {
    1
}

/// The older name of `role`.
fn with_older_role(schema: &mut Schema) {
    older_names(schema, &[("description", "role")]);
}

/// Older names of fields, which are read, too.
pub(super) fn older_names(schema: &mut Schema, names: &[(&str, &str)]) {
    let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (older, name) in names {
        if let Some(Value::Object(mut field)) = fields.get(*name).cloned() {
            field.insert("description".to_owned(), format!("Older name of `{name}`.").into());
            fields.insert((*older).to_owned(), field.into());
        }
    }
}

/// Older words for values, which are read, too.
pub(super) fn older_words(schema: &mut Schema, words: &[&str]) {
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(Value::Array(members)) = object.get_mut("enum") {
        members.extend(words.iter().map(|word| Value::from(*word)));
    } else if let Some(Value::Array(choices)) = object.get_mut("oneOf") {
        let word = |word: &&str| json!({"type": "string", "const": word, "description": "Older name."});
        choices.extend(words.iter().map(word));
    }
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

/// How autonomously the team works, and when it stops.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExecutionConfig {
    /// `autonomous`; `step`: the run pauses after every step; `hitl`: it asks at `human_intervention_points`. Default: autonomous.
    #[serde(deserialize_with = "mode")]
    #[schemars(schema_with = "mode_schema")]
    pub mode: ExecutionMode,
    /// Seconds of work after which the run asks you whether to continue. Default: no limit.
    pub timeout: Option<u64>,
    /// Number of agent steps after which the run asks you whether to continue, 1 to 100000. Default: 100.
    pub max_steps: Option<u32>,
    /// Where the run pauses: `node:NAME`, `turn`, `agent:NAME`, `tool:GLOB`, `path:GLOB`, `handoff`, `error`, `cost:USD`,
    /// `event:NAME`. Each can end with ` if CONDITION`.
    pub breakpoints: Vec<String>,
    /// Where the run asks for your approval in the modes `hitl` and `step`: `node:NAME`, `agent:NAME`, `tool:GLOB`, `handoff`,
    /// `plan`, `error` or `end`.
    pub human_intervention_points: Vec<String>,
    /// Conditions for the run to complete: `text_mention:TEXT`, `cel:EXPRESSION`, `file:GLOB`, `check:COMMAND`, or a
    /// sentence that a model judges.
    pub success_criteria: Vec<String>,
    /// Conditions that make the run fail, in the same forms. Sentences are judged only at the end.
    pub failure_criteria: Vec<String>,
    /// What ends the conversation: `text_mention:TEXT` or `max_messages:COUNT`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop_on: Vec<String>,
}

fn mode_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "enum": ["autonomous", "step", "hitl", "continuous", "step_through"]})
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

/// A task that every run of the team begins with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskTemplate {
    /// Id of the task. Default: its position in the list, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What to do.
    pub description: String,
    /// The agent that works on the task. Default: the one that begins.
    pub agent: Option<String>,
    /// Ids of tasks that must be done first.
    pub dependencies: Vec<String>,
    /// Description of the expected result.
    pub expected_output: Option<String>,
}

same_fields!(
    TaskTemplate = core::plan::TaskTemplate { id, description, agent, dependencies, expected_output }
);
