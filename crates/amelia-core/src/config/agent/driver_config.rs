//! What the options of an agent say, by its driver: read here and nowhere else, with their defaults. An option that would
//! do nothing is refused.

mod reader;

use super::DriverType;
use crate::config::problem::ProblemReport;
use crate::config::provider::{Provider, WireFormat};
use crate::driver::ModelOptions;
use crate::object::Object;

use reader::Reader;

pub(super) use reader::inherited;
pub use reader::is_driver_option;

/// The options of an agent, by its driver.
#[derive(Debug, Clone, PartialEq)]
pub enum DriverConfig {
    Api(ApiConfig),
    Claude(ProgramConfig),
    Codex {
        program: ProgramConfig,
        mode: CodexMode,
    },
    Acp(AcpConfig),
    /// It has none.
    Scripted,
}

/// A model that Amelia calls itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ApiConfig {
    pub upstream: UpstreamConfig,
    pub tools: ToolCalls,
    /// How much fits the model.
    pub context_tokens: Option<u64>,
    /// How long the provider may say nothing.
    pub silence_seconds: Option<u64>,
    pub model: ModelOptions,
    pub permissions: Permissions,
}

/// A program that calls its model itself.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramConfig {
    /// Its name, or where it is.
    pub program: String,
    /// How hard its model thinks.
    pub reasoning: Option<String>,
    pub permissions: Permissions,
    /// Its way to a model through our proxy. Without one, it uses a sign-in of its own.
    pub upstream: Option<UpstreamConfig>,
}

/// Any program that speaks the Agent Client Protocol.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AcpConfig {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Variables that it gets.
    pub env: Vec<String>,
    pub permissions: Permissions,
}

/// The upstream of a model, as far as the profile names it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpstreamConfig {
    pub provider: Option<Provider>,
    pub base_url: Option<String>,
    pub api_key_env: Option<String>,
    pub wire: Option<WireFormat>,
}

/// How a model calls tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ToolCalls {
    /// By its API; in text once it has refused that.
    #[default]
    Auto,
    Native,
    Text,
}

/// How `codex` is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CodexMode {
    /// Both ways: approvals, words in between, tools of ours.
    #[default]
    Server,
    /// One way: it gets its input once, and then only sends.
    Exec,
}

/// Before what an agent asks a person.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Permissions {
    pub asks: Asks,
    /// Calls that need no approval, as `tool` or `tool(beginning of its command*)`.
    pub allowed: Vec<String>,
}

/// Which calls a person wants to see first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Asks {
    /// The role decides.
    #[default]
    Never,
    /// Commands, and everything that reaches beyond the worktree.
    Commands,
    /// Everything that is more than reading.
    Changes,
}

impl DriverConfig {
    /// What is wrong is reported, and read as if it was not there.
    pub(in crate::config) fn read(driver: DriverType, options: &Object, report: &mut ProblemReport) -> Self {
        Reader::new(options, report).config(driver)
    }

    /// The way to a model that we know; `None` for a program with a sign-in of its own.
    #[must_use]
    pub fn upstream(&self) -> Option<&UpstreamConfig> {
        match self {
            Self::Api(api) => Some(&api.upstream),
            Self::Claude(program) | Self::Codex { program, .. } => program.upstream.as_ref(),
            Self::Acp(_) | Self::Scripted => None,
        }
    }

    /// Settings of the model itself.
    #[must_use]
    pub fn model_options(&self) -> ModelOptions {
        match self {
            Self::Api(api) => api.model.clone(),
            Self::Claude(program) | Self::Codex { program, .. } => {
                ModelOptions { reasoning: program.reasoning.clone(), ..ModelOptions::default() }
            }
            Self::Acp(_) | Self::Scripted => ModelOptions::default(),
        }
    }

    #[must_use]
    pub fn permissions(&self) -> Permissions {
        match self {
            Self::Claude(program) | Self::Codex { program, .. } => program.permissions.clone(),
            Self::Acp(acp) => acp.permissions.clone(),
            Self::Api(api) => api.permissions.clone(),
            Self::Scripted => Permissions::default(),
        }
    }

    /// The program that is started, if one is.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        match self {
            Self::Claude(program) | Self::Codex { program, .. } => Some(&program.program),
            Self::Acp(acp) => acp.command.first().map(String::as_str),
            Self::Api(_) | Self::Scripted => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::agent::AgentConfig;
    use crate::config::problem::Validate;

    fn problem(driver: DriverType, options: &serde_json::Value) -> String {
        let options = options.as_object().cloned().unwrap();
        let agent = AgentConfig { options, ..AgentConfig::new(driver, "gpt-5") };
        agent.problems().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn what_is_not_said_has_its_default() {
        let config = |driver, options: serde_json::Value| {
            let options = options.as_object().cloned().unwrap();
            AgentConfig { options, ..AgentConfig::new(driver, "gpt-5") }.driver_config().unwrap()
        };
        let codex = ProgramConfig {
            program: "codex".to_owned(),
            reasoning: None,
            permissions: Permissions::default(),
            upstream: None,
        };
        let mode = CodexMode::Server;
        assert_eq!(config(DriverType::Codex, json!({})), DriverConfig::Codex { program: codex, mode });
        assert_eq!(config(DriverType::Api, json!({})), DriverConfig::Api(ApiConfig::default()));
        let upstream = UpstreamConfig { provider: Some(Provider::Groq), ..UpstreamConfig::default() };
        let model = ModelOptions { max_tokens: Some(9), ..ModelOptions::default() };
        let given = json!({
            "provider": "groq", "tools": "text", "max_tokens": 9, "context_tokens": 1000, "timeout": 60,
            "permissions": "commands", "allow": ["shell(ls)"],
        });
        assert_eq!(
            config(DriverType::Api, given),
            DriverConfig::Api(ApiConfig {
                upstream,
                tools: ToolCalls::Text,
                context_tokens: Some(1000),
                silence_seconds: Some(60),
                model,
                permissions: Permissions { asks: Asks::Commands, allowed: vec!["shell(ls)".to_owned()] },
            })
        );
    }

    #[test]
    fn an_option_that_does_nothing_is_refused() {
        for (driver, options, expected) in [
            (DriverType::Codex, json!({}), ""),
            (DriverType::Codex, json!({"program": "/bin/codex", "mode": "exec", "reasoning": "low"}), ""),
            (DriverType::Codex, json!({"permissions": "commands", "allow": ["shell(ls*)"]}), ""),
            (DriverType::Codex, json!({"provider": "openai", "wire": "responses"}), ""),
            (
                DriverType::Codex,
                json!({"temperature": 1}),
                "options.temperature: is not an option of the codex driver: program, mode, reasoning, permissions, allow, provider, base_url, api_key_env, wire, fallbacks",
            ),
            (
                DriverType::Codex,
                json!({"permissions": "commands", "fallbacks": [{"model": "b", "provider": "openai"}]}),
                "",
            ),
            (
                DriverType::Codex,
                json!({"permissions": "commands", "fallbacks": [{"model": "b", "mode": "exec"}]}),
                "options.fallbacks[0].permissions: must be never when mode is `exec`: it cannot ask",
            ),
            (
                DriverType::Claude,
                json!({"fallbacks": [{"model": "b", "permissions": "never"}]}),
                "options.fallbacks[0].permissions: cannot be set for a fallback: it uses the agent's",
            ),
            (
                DriverType::Api,
                json!({"permissions": "changes", "fallbacks": [{"model": "b", "allow": ["shell"]}]}),
                "options.fallbacks[0].allow: cannot be set for a fallback: it uses the agent's\noptions.fallbacks[0].allow: has no effect unless permissions is commands or changes",
            ),
            (
                DriverType::Api,
                json!({"allow": ["shell"]}),
                "options.allow: has no effect unless permissions is commands or changes",
            ),
            (
                DriverType::Acp,
                json!({"command": ["a"], "fallbacks": [{"command": ["b"]}]}),
                "options.fallbacks[0].model: is required",
            ),
            (DriverType::Codex, json!({"mode": "tui"}), "options.mode: must be one of app-server, exec"),
            (
                DriverType::Codex,
                json!({"mode": "exec", "permissions": "changes"}),
                "options.permissions: must be never when mode is `exec`: it cannot ask",
            ),
            (
                DriverType::Codex,
                json!({"allow": ["shell"]}),
                "options.allow: has no effect unless permissions is commands or changes",
            ),
            (DriverType::Codex, json!({"api_key_env": "KEY"}), ""),
            (
                DriverType::Claude,
                json!({"provider": "groq"}),
                "options.provider: groq does not support messages, the only API of claude",
            ),
            (
                DriverType::Codex,
                json!({"provider": "anthropic"}),
                "options.provider: anthropic does not support responses, the only API of codex",
            ),
            (
                DriverType::Codex,
                json!({"provider": "openai", "wire": "chat"}),
                "options.wire: must be responses: codex supports no other",
            ),
            (
                DriverType::Acp,
                json!({"command": ["gemini", "--experimental-acp"], "env": ["GEMINI_API_KEY"]}),
                "",
            ),
            (
                DriverType::Acp,
                json!({}),
                "options.command: must be the program and its arguments, as a list of words",
            ),
            (
                DriverType::Acp,
                json!({"command": "gemini"}),
                "options.command: must be the program and its arguments, as a list of words",
            ),
            (
                DriverType::Acp,
                json!({"command": ["x"], "env": {"A": "b"}}),
                "options.env: must be a list of names of environment variables",
            ),
        ] {
            assert_eq!(problem(driver, &options), expected, "{options}");
        }
    }
}
