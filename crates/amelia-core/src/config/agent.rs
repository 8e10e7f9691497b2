//! Agents one by one: a role of a profile (driver and model), and an agent of a graph workflow (endpoint,
//! prompt and tools). Members of a team are in `team/member.rs`.

mod program;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::problem::{KnownNames, ProblemReport, Validate, is_variable_name};
use super::sandbox::SandboxConfig;
use crate::id::AgentName;
use crate::object::Object;

pub use program::{CODEX_MODES, PERMISSIONS, UPSTREAM};

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

/// Providers that the `api` driver knows by name.
pub const API_PROVIDERS: [&str; 7] =
    ["deepseek", "openai", "anthropic", "openrouter", "groq", "ollama", "openai-compatible"];

/// Protocols that the `api` driver speaks.
pub const API_WIRES: [&str; 3] = ["chat", "responses", "messages"];

/// How the `api` driver's models call tools: by their API, in text, or in text once they have refused the other.
pub const API_TOOLS: [&str; 3] = ["auto", "native", "text"];

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
            let options = match self.driver {
                DriverType::Api | DriverType::Scripted => given,
                DriverType::Claude | DriverType::Codex | DriverType::Acp => {
                    program::inherited(&self.options, &given)
                }
            };
            Some(Self { model, options, ..self.clone() })
        };
        all.filter_map(agent).collect()
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
        match self.driver {
            DriverType::Api => report.within("options", |report| check_api_options(&self.options, report)),
            DriverType::Claude => {
                report.within("options", |report| program::check_claude(&self.options, report));
            }
            DriverType::Codex => {
                report.within("options", |report| program::check_codex(&self.options, report));
            }
            DriverType::Acp => {
                report.within("options", |report| program::check_acp(&self.options, report));
            }
            DriverType::Scripted => {}
        }
    }
}

/// What the `api` driver can be told. Anything else would do nothing, and is refused.
const API_OPTIONS: [&str; 10] = [
    "provider",
    "base_url",
    "api_key_env",
    "temperature",
    "max_tokens",
    "reasoning",
    "wire",
    "tools",
    "context_tokens",
    "fallbacks",
];
/// More would hide that nothing works.
const MAX_FALLBACKS: usize = 5;

fn check_api_options(options: &Object, report: &mut ProblemReport) {
    let text = |name: &str| options.get(name).and_then(Value::as_str);
    for name in options.keys().filter(|name| !API_OPTIONS.contains(&name.as_str())) {
        report.refuse(name, format!("is not an option of the api driver: {}", API_OPTIONS.join(", ")));
    }
    let choices = [
        ("provider", API_PROVIDERS.as_slice()),
        ("wire", API_WIRES.as_slice()),
        ("tools", API_TOOLS.as_slice()),
    ];
    for (field, allowed) in choices {
        if options.contains_key(field) && !text(field).is_some_and(|given| allowed.contains(&given)) {
            report.refuse(field, format!("must be one of {}", allowed.join(", ")));
        }
    }
    if text("provider") == Some("openai-compatible") && !options.contains_key("base_url") {
        report.refuse("base_url", "is required when provider is `openai-compatible`");
    }
    if options.contains_key("base_url") {
        report.open_url("base_url", text("base_url").unwrap_or_default());
    }
    if options.contains_key("api_key_env") && !text("api_key_env").is_some_and(is_variable_name) {
        report.refuse("api_key_env", "must be the name of an environment variable");
    }
    if let Some(temperature) = options.get("temperature") {
        report.range("temperature", &temperature.as_f64().unwrap_or(f64::NAN), &(0.0..=2.0));
    }
    for field in ["max_tokens", "context_tokens"] {
        if let Some(tokens) = options.get(field)
            && tokens.as_u64().is_none_or(|tokens| tokens == 0)
        {
            report.refuse(field, format!("{tokens} is not a whole number greater than 0"));
        }
    }
    if options.contains_key("reasoning") && text("reasoning").is_none_or(str::is_empty) {
        report.refuse("reasoning", "must be a word, such as low, medium or high");
    }
    if let Some(fallbacks) = options.get("fallbacks") {
        check_fallbacks(fallbacks, report, &check_api_options);
    }
}

/// Those who continue when this one is not available: a model each, and options of the driver, which `check` knows.
fn check_fallbacks(given: &Value, report: &mut ProblemReport, check: &dyn Fn(&Object, &mut ProblemReport)) {
    let Some(all) = given.as_array().filter(|all| (1..=MAX_FALLBACKS).contains(&all.len())) else {
        let shape =
            format!("must be a list of 1 to {MAX_FALLBACKS}, such as [{{ model: NAME, provider: openai }}]");
        return report.refuse("fallbacks", shape);
    };
    for (place, one) in all.iter().enumerate() {
        let Some(fields) = one.as_object() else {
            report.refuse(format_args!("fallbacks[{place}]"), "must have a model, and options of the driver");
            continue;
        };
        let has_model =
            fields.get("model").and_then(Value::as_str).is_some_and(|model| !model.trim().is_empty());
        if !has_model {
            report.refuse(format_args!("fallbacks[{place}].model"), "is required");
        }
        if fields.contains_key("fallbacks") {
            report.refuse(format_args!("fallbacks[{place}].fallbacks"), "a fallback has none of its own");
        }
        let others = fields.iter().filter(|(name, _)| !matches!(name.as_str(), "model" | "fallbacks"));
        let others: Object = others.map(|(name, value)| (name.clone(), value.clone())).collect();
        report.within(format_args!("fallbacks[{place}]"), |report| check(&others, report));
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
    pub llm_config: Endpoint,
    #[serde(default = "default_temperature")]
    pub temperature: f64,
}

fn default_max_iterations() -> u32 {
    10
}

fn default_temperature() -> f64 {
    0.7
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

/// Whose dialect an endpoint speaks.
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
    /// An agent with the defaults.
    #[must_use]
    pub fn new(name: impl Into<String>, llm_config: Endpoint) -> Self {
        Self {
            name: name.into(),
            role: String::new(),
            system_prompt: String::new(),
            tools: Vec::new(),
            max_iterations: default_max_iterations(),
            llm_config,
            temperature: default_temperature(),
        }
    }

    /// Reports tools that do not exist.
    pub fn check_references(&self, known: &KnownNames<'_>, report: &mut ProblemReport) {
        for (index, tool) in self.tools.iter().enumerate() {
            report.known(format_args!("tools[{index}]"), "tool", tool, &known.tools);
        }
    }
}

impl Validate for AgentDef {
    fn check(&self, report: &mut ProblemReport) {
        if !AgentName::new(&self.name).is_ok_and(|name| name.is_snake_case()) {
            report
                .refuse("name", format!("`{}` must begin with a-z and hold only a-z, 0-9 and _", self.name));
        }
        report.filled("role", &self.role);
        report.filled("system_prompt", &self.system_prompt);
        report.unique("tools", "", self.tools.iter().map(String::as_str));
        report.range("max_iterations", &self.max_iterations, &(1..=1000));
        report.part("llm_config", &self.llm_config);
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
