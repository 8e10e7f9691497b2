//! MCP servers and what is different about single tools of theirs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::problem::{ProblemReport, Validate, is_variable_name};
use crate::tool::Risk;
use crate::tool_failure::RetryableFailure;

/// All MCP servers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct McpConfig {
    pub servers: Vec<McpServer>,
    /// By `server:tool`.
    pub tool_overrides: BTreeMap<String, ToolOverride>,
    /// The variables that servers may use; without it, those of the home may use any, and those of a repository none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_envs: Option<Vec<String>>,
}

/// One server and how to reach it. `${VAR}` in its values is expanded when it is started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct McpServer {
    pub name: String,
    #[serde(default)]
    pub description: Option<String>,
    pub transport: McpTransport,
    #[serde(default = "enabled")]
    pub enabled: bool,
    #[serde(default)]
    pub auto_reconnect: AutoReconnect,
    /// What it says about its tools is believed: a tool that says that it only reads may be repeated.
    #[serde(default)]
    pub trusted: bool,
    #[serde(default)]
    pub scope: McpScope,
    /// It may ask for answers of the model of the agent that calls it.
    #[serde(default)]
    pub sampling: bool,
}

impl McpServer {
    /// A server with the defaults.
    #[must_use]
    pub fn new(name: impl Into<String>, transport: McpTransport) -> Self {
        Self {
            name: name.into(),
            description: None,
            transport,
            enabled: true,
            auto_reconnect: AutoReconnect::default(),
            trusted: false,
            scope: McpScope::default(),
            sampling: false,
        }
    }

    /// Every text of it in which `${VAR}` is expanded.
    pub fn texts_mut(&mut self) -> Vec<&mut String> {
        match &mut self.transport {
            McpTransport::Stdio { command, args, env } => {
                std::iter::once(command).chain(args).chain(env.values_mut()).collect()
            }
            McpTransport::Sse { url, headers } | McpTransport::StreamableHttp { url, headers } => {
                std::iter::once(url).chain(headers.values_mut()).collect()
            }
        }
    }
}

/// How many processes there are of a server.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum McpScope {
    /// One for all runs.
    #[default]
    Server,
    /// One for each run, started in its worktree.
    Run,
}

fn enabled() -> bool {
    true
}

/// How to talk to a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum McpTransport {
    Stdio { command: String, args: Vec<String>, env: BTreeMap<String, String> },
    Sse { url: String, headers: BTreeMap<String, String> },
    StreamableHttp { url: String, headers: BTreeMap<String, String> },
}

/// What happens when a server goes away.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AutoReconnect {
    pub enabled: bool,
    pub max_attempts: u32,
    pub backoff_seconds: f64,
}

impl Default for AutoReconnect {
    fn default() -> Self {
        Self { enabled: true, max_attempts: 3, backoff_seconds: 5.0 }
    }
}

/// What is different about one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolOverride {
    pub timeout_seconds: Option<u64>,
    /// Each `server:tool`.
    pub fallback_tools: Vec<String>,
    /// Failures that are worth another try.
    pub retry_on_errors: Vec<RetryableFailure>,
    /// What the tool can do to the world. Without it the worst is assumed.
    pub risk: Option<Risk>,
}

impl Validate for McpConfig {
    fn check(&self, report: &mut ProblemReport) {
        report.list("servers", &self.servers);
        report.unique("servers", "name", self.servers.iter().map(|server| server.name.as_str()));
        for (index, name) in self.mcp_envs.iter().flatten().enumerate() {
            if !is_variable_name(name) {
                let message = format!("`{name}` is not the name of an environment variable");
                report.refuse(format_args!("mcp_envs[{index}]"), message);
            }
        }
        for (tool, over) in &self.tool_overrides {
            report.within(format_args!("tool_overrides.{tool}"), |report| {
                self.check_tool("", tool, report);
                if let Some(timeout) = &over.timeout_seconds {
                    report.positive("timeout_seconds", timeout);
                }
                for (index, fallback) in over.fallback_tools.iter().enumerate() {
                    self.check_tool(&format!("fallback_tools[{index}]"), fallback, report);
                }
            });
        }
    }
}

impl McpConfig {
    fn check_tool(&self, field: &str, tool: &str, report: &mut ProblemReport) {
        match tool.split_once(':') {
            Some((server, name)) if !name.is_empty() => {
                if !self.servers.iter().any(|known| known.name == server) {
                    report.refuse(field, format!("there is no server `{server}`"));
                }
            }
            Some(_) | None => report.refuse(field, format!("`{tool}` is not of the form `server:tool`")),
        }
    }
}

impl Validate for McpServer {
    fn check(&self, report: &mut ProblemReport) {
        if !is_server_name(&self.name) {
            report.refuse("name", format!("`{}` must be 1 to 40 letters, digits, `_` or `-`", self.name));
        }
        report.within("config", |report| match &self.transport {
            McpTransport::Stdio { command, .. } => report.filled("command", command),
            // A variable may stand for the whole address.
            McpTransport::Sse { url, .. } | McpTransport::StreamableHttp { url, .. }
                if url.starts_with("${") => {}
            McpTransport::Sse { url, .. } | McpTransport::StreamableHttp { url, .. } => {
                report.url("url", url, &["https", "http"]);
            }
        });
        report.within("auto_reconnect", |report| {
            report.range("max_attempts", &self.auto_reconnect.max_attempts, &(0..=10));
            report.range("backoff_seconds", &self.auto_reconnect.backoff_seconds, &(1.0..=60.0));
        });
    }
}

/// Whether a server can have this name.
pub(crate) fn is_server_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (1..=40).contains(&name.len()) && name.chars().all(is_plain)
}
