//! Agents one by one: a role of a profile (driver and model), and an agent of a graph workflow (endpoint,
//! prompt and tools). Members of a team are in `team/member.rs`.

mod driver_config;
mod rule;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::problem::{ConfigProblem, KnownNames, ProblemReport, Validate, is_variable_name};
use super::sandbox::SandboxConfig;
use crate::id::AgentName;
use crate::object::Object;

pub use driver_config::{
    AcpConfig, ApiConfig, Asks, CodexMode, DriverConfig, Permissions, ProgramConfig, ToolCalls,
    UpstreamConfig, is_driver_option,
};

/// What turns a prompt and tools into messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "config/"))]
#[serde(rename_all = "snake_case")]
pub enum DriverType {
    Claude,
    Codex,
    Api,
    /// Any Agent Client Protocol program.
    Acp,
    /// Plays a script; always labelled as such.
    Scripted,
}

impl DriverType {
    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Api => "api",
            Self::Acp => "acp",
            Self::Scripted => "scripted",
        }
    }

    /// Whether it starts a program, which keeps its conversation itself.
    #[must_use]
    pub fn is_program(self) -> bool {
        match self {
            Self::Claude | Self::Codex | Self::Acp => true,
            Self::Api | Self::Scripted => false,
        }
    }
}

/// Driver and model of one role.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentConfig {
    pub driver: DriverType,
    pub model: String,
    #[serde(default)]
    pub options: Object,
    /// The profile's own, see `Profile::agent`; in a document it can only be the default.
    #[serde(default)]
    pub sandbox: SandboxConfig,
    /// The profile's own, see `Profile::agent`.
    #[serde(default = "default_profile_name")]
    pub profile_name: String,
}

fn default_profile_name() -> String {
    AgentConfig::DEFAULT_PROFILE_NAME.to_owned()
}

impl AgentConfig {
    /// Stands for the profile that the agent is in.
    pub const DEFAULT_PROFILE_NAME: &str = "default";

    /// Who continues when this one is not available, as an agent each.
    #[must_use]
    pub fn fallbacks(&self) -> Vec<Self> {
        let all = self.options.get("fallbacks").and_then(Value::as_array).into_iter().flatten();
        let agent = |given: &Value| {
            let mut given = given.as_object()?.clone();
            let model = given.remove("model")?.as_str()?.to_owned();
            let options = driver_config::inherited(self.driver, &self.options, &given);
            Some(Self { model, options, ..self.clone() })
        };
        all.filter_map(agent).collect()
    }

    /// Adds a rule to those by which its calls need no approval. `false` when it has the rule already.
    pub fn allow(&mut self, rule: &str) -> bool {
        let rules = self.options.entry("allow").or_insert_with(|| Value::Array(Vec::new()));
        let Some(rules) = rules.as_array_mut() else { return false };
        let is_new = !rules.iter().any(|other| other == rule);
        if is_new {
            rules.push(rule.into());
        }
        is_new
    }

    /// Removes such a rule. `false` when it does not have it.
    pub fn disallow(&mut self, rule: &str) -> bool {
        let Some(rules) = self.options.get_mut("allow").and_then(Value::as_array_mut) else { return false };
        let before = rules.len();
        rules.retain(|other| other != rule);
        let (is_removed, is_empty) = (rules.len() < before, rules.is_empty());
        if is_empty {
            self.options.remove("allow");
        }
        is_removed
    }

    /// What its options say, or the first thing that is wrong with them.
    pub fn driver_config(&self) -> Result<DriverConfig, ConfigProblem> {
        let mut report = ProblemReport::default();
        let config =
            report.within("options", |report| DriverConfig::read(self.driver, &self.options, report));
        report.into_problems().into_iter().next().map_or(Ok(config), Err)
    }

    /// A driver and a model with everything else at its default.
    #[must_use]
    pub fn new(driver: DriverType, model: impl Into<String>) -> Self {
        Self {
            driver,
            model: model.into(),
            options: Object::new(),
            sandbox: SandboxConfig::default(),
            profile_name: default_profile_name(),
        }
    }
}

impl Validate for AgentConfig {
    fn check(&self, report: &mut ProblemReport) {
        report.filled("model", &self.model);
        report.part("sandbox", &self.sandbox);
        report.within("options", |report| DriverConfig::read(self.driver, &self.options, report));
    }
}

/// An agent of a graph workflow, from a file of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentDef {
    pub name: String,
    pub role: String,
    pub system_prompt: String,
    pub tools: Vec<String>,
    #[serde(default = "default_max_iterations")]
    pub max_iterations: u32,
    /// Without one, it has the model of the Developer of the profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llm_config: Option<Endpoint>,
    #[serde(default = "default_temperature")]
    pub temperature: f64,
    /// Agents that this one may give tasks to, with the tool `delegate`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sub_agents: Vec<String>,
}

fn default_max_iterations() -> u32 {
    10
}

fn default_temperature() -> f64 {
    AgentDef::DEFAULT_TEMPERATURE
}

/// Where an agent's model answers. The key is named, never given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    pub endpoint: String,
    pub model: String,
    #[serde(default)]
    pub api_key_env: Option<String>,
    #[serde(default)]
    pub api_type: ApiType,
}

/// The API of an endpoint.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApiType {
    #[default]
    Openai,
    Anthropic,
    Deepseek,
    Glm,
    Ollama,
    Custom,
}

impl AgentDef {
    pub const DEFAULT_TEMPERATURE: f64 = 0.7;

    /// An agent with the defaults.
    #[must_use]
    pub fn new(name: impl Into<String>, llm_config: Endpoint) -> Self {
        Self {
            name: name.into(),
            role: String::new(),
            system_prompt: String::new(),
            tools: Vec::new(),
            max_iterations: default_max_iterations(),
            llm_config: Some(llm_config),
            temperature: default_temperature(),
            sub_agents: Vec::new(),
        }
    }

    /// Reports tools and agents that do not exist.
    pub fn check_references(&self, known: &KnownNames<'_>, report: &mut ProblemReport) {
        for (index, agent) in self.sub_agents.iter().enumerate() {
            report.known(format_args!("sub_agents[{index}]"), "agent", agent, &known.agents);
        }
        for (index, tool) in self.tools.iter().enumerate() {
            known.check_tool(format_args!("tools[{index}]"), tool, report);
        }
    }
}

impl Validate for AgentDef {
    fn check(&self, report: &mut ProblemReport) {
        if !AgentName::new(&self.name).is_ok_and(|name| name.is_snake_case()) {
            report.refuse(
                "name",
                format!("`{}` must begin with a-z and contain only a-z, 0-9 and _", self.name),
            );
        }
        report.filled("role", &self.role);
        report.filled("system_prompt", &self.system_prompt);
        report.unique("tools", "", self.tools.iter().map(String::as_str));
        report.unique("sub_agents", "", self.sub_agents.iter().map(String::as_str));
        report.range("max_iterations", &self.max_iterations, &(1..=1000));
        if let Some(endpoint) = &self.llm_config {
            report.part("llm_config", endpoint);
        }
        report.range("temperature", &self.temperature, &(0.0..=2.0));
    }
}

impl Validate for Endpoint {
    fn check(&self, report: &mut ProblemReport) {
        report.url("endpoint", &self.endpoint, &["https", "http"]);
        report.filled("model", &self.model);
        if self.api_key_env.as_deref().is_some_and(|name| !is_variable_name(name)) {
            report.refuse("api_key_env", "must be the name of an environment variable");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_rule_is_added_once_and_its_removal_leaves_nothing_behind() {
        let mut agent = AgentConfig::new(DriverType::Claude, "opus");
        agent.options.insert("permissions".to_owned(), json!("commands"));
        let before = agent.clone();
        assert!(agent.allow("Bash(make)") && agent.allow("Edit") && !agent.allow("Edit"));
        assert_eq!(agent.options["allow"], json!(["Bash(make)", "Edit"]));
        assert!(agent.problems().is_empty());
        assert!(agent.disallow("Edit") && !agent.disallow("Edit") && agent.disallow("Bash(make)"));
        assert_eq!(agent, before);
    }
}
