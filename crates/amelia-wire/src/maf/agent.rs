//! Agents from files, and tools as they are listed.

use std::sync::OnceLock;

use amelia_core::config::agent::{self as core, ApiType};
use amelia_core::config::problem::{LITERAL_KEY, ProblemReport, is_variable_name};
use amelia_core::tool::{Risk, ToolName, ToolSpec};
use amelia_yaml::schema::schema_of;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::message::{BUILTIN, server_and_tool};
use crate::read::Incoming;

/// An agent: its model, instructions and tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Agent {
    /// Name of the agent. Must match the file name: a-z, 0-9 and _, starting with a letter.
    pub name: String,
    /// Purpose of the agent, in a few words.
    pub role: String,
    /// System prompt of the agent.
    pub system_prompt: String,
    /// Tools that the agent may call. It has no others.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Number of model calls in one visit after which the run asks you whether to continue, 1 to 1000. Default: 10.
    #[serde(default = "ten")]
    pub max_iterations: u32,
    /// The model of the agent, and where to call it. Default: the model of the `developer` of the profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llm_config: Option<LLMConfig>,
    /// Sampling temperature, 0 to 2. Default: 0.7; without `llm_config`, that of the profile.
    #[serde(default = "warm")]
    pub temperature: f64,
    /// Agents that this one can delegate tasks to with the `delegate` tool. Each works in its own conversation, and
    /// returns only its answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sub_agents: Vec<String>,
}

fn ten() -> u32 {
    10
}

fn warm() -> f64 {
    core::AgentDef::DEFAULT_TEMPERATURE
}

/// A model and where to call it. Name the variable that holds the key; do not write the key itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = with_api_key)]
pub struct LLMConfig {
    /// Base URL of the API, such as `https://api.openai.com/v1`.
    pub endpoint: String,
    /// Model name.
    pub model: String,
    /// Name of the environment variable that holds the key.
    #[serde(default, deserialize_with = "variable", skip_serializing_if = "Option::is_none")]
    pub api_key_env: Option<String>,
    /// The other way to name the variable, in documents that come in.
    #[serde(default, skip_serializing)]
    #[schemars(skip)]
    pub api_key: Option<KeyText>,
    /// API of the endpoint. Default: openai.
    #[serde(default)]
    pub api_type: ApiType,
}

/// What an `api_key` says. A key itself is not kept, so that no message can show it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub enum KeyText {
    Variable(String),
    Literal,
}

impl From<String> for KeyText {
    fn from(text: String) -> Self {
        match text.strip_prefix("${").and_then(|name| name.strip_suffix('}')) {
            Some(name) => Self::Variable(name.to_owned()),
            None => Self::Literal,
        }
    }
}

/// The other name of `api_key_env`.
fn with_api_key(schema: &mut Schema) {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    if let Some(properties) = properties {
        let description = "The same as `api_key_env`, written as `${NAME}`. A key itself is rejected.";
        properties.insert("api_key".to_owned(), json!({"type": "string", "description": description}));
    }
}

/// The schema of an agent file.
#[must_use]
pub fn agent_schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| schema_of::<Agent>("Amelia agent"))
}

fn variable<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.map(|text| match text.strip_prefix("${").and_then(|name| name.strip_suffix('}')) {
        Some(name) => name.to_owned(),
        None => text,
    }))
}

impl From<core::Endpoint> for LLMConfig {
    fn from(core: core::Endpoint) -> Self {
        let core::Endpoint { endpoint, model, api_key_env, api_type } = core;
        Self { endpoint, model, api_key_env, api_key: None, api_type }
    }
}

impl From<LLMConfig> for core::Endpoint {
    fn from(wire: LLMConfig) -> Self {
        let LLMConfig { endpoint, model, api_key_env, api_key, api_type } = wire;
        let named = || match api_key {
            Some(KeyText::Variable(name)) => Some(name),
            Some(KeyText::Literal) | None => None,
        };
        let api_key_env = api_key_env.or_else(named);
        Self { endpoint, model, api_key_env, api_type }
    }
}

impl LLMConfig {
    fn check_key(&self, report: &mut ProblemReport) {
        match (&self.api_key, &self.api_key_env) {
            (Some(_), Some(_)) => {
                report.refuse("llm_config.api_key", "is given twice: use either api_key or api_key_env");
            }
            (Some(KeyText::Literal), None) => report.refuse("llm_config.api_key", LITERAL_KEY),
            (Some(KeyText::Variable(name)), None) if !is_variable_name(name) => {
                report.refuse("llm_config.api_key", LITERAL_KEY);
            }
            (Some(KeyText::Variable(_)) | None, _) => {}
        }
    }
}

impl From<core::AgentDef> for Agent {
    fn from(agent: core::AgentDef) -> Self {
        let core::AgentDef {
            name, role, system_prompt, tools, max_iterations, temperature, sub_agents, ..
        } = agent;
        let llm_config = agent.llm_config.map(Into::into);
        Self { name, role, system_prompt, tools, max_iterations, llm_config, temperature, sub_agents }
    }
}

impl From<Agent> for core::AgentDef {
    fn from(agent: Agent) -> Self {
        let Agent { name, role, system_prompt, tools, max_iterations, temperature, sub_agents, .. } = agent;
        let llm_config = agent.llm_config.map(Into::into);
        Self { name, role, system_prompt, tools, max_iterations, llm_config, temperature, sub_agents }
    }
}

impl Incoming for Agent {
    type Core = core::AgentDef;

    fn into_core(self, report: &mut ProblemReport) -> core::AgentDef {
        if let Some(llm_config) = &self.llm_config {
            llm_config.check_key(report);
        }
        self.into()
    }
}

/// A tool and the server that has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    pub name: String,
    pub server: String,
    pub description: String,
    pub input_schema: Value,
    #[serde(default)]
    pub output_schema: Option<Value>,
    #[serde(default = "five_minutes")]
    pub timeout_seconds: u64,
    #[serde(default)]
    pub fallback_tools: Vec<String>,
}

fn five_minutes() -> u64 {
    amelia_core::tool::DEFAULT_TIMEOUT.as_secs()
}

impl From<ToolSpec> for Tool {
    fn from(spec: ToolSpec) -> Self {
        let (server, name) = server_and_tool(&spec.name);
        Self {
            name,
            server,
            description: spec.description,
            input_schema: spec.input_schema,
            output_schema: spec.output_schema,
            timeout_seconds: spec.timeout_seconds,
            fallback_tools: spec.fallbacks.iter().map(ToString::to_string).collect(),
        }
    }
}

/// Reads a tool. The document says nothing about risk, so the worst is assumed.
#[must_use]
pub fn tool_spec(tool: Tool) -> ToolSpec {
    ToolSpec {
        name: ToolName { server: (tool.server != BUILTIN).then_some(tool.server), name: tool.name },
        description: tool.description,
        input_schema: tool.input_schema,
        output_schema: tool.output_schema,
        risk: Risk::External,
        timeout_seconds: tool.timeout_seconds,
        fallbacks: tool.fallback_tools.iter().map(|text| ToolName::repaired(text)).collect(),
        retry_on: Vec::new(),
    }
}
