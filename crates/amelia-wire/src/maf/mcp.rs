//! MCP servers, in and out. A file lists them by name, or as a list of servers with names: both are read.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use amelia_core::config::mcp::{self as core, McpScope, McpTransport};
use amelia_core::config::problem::ProblemReport;
use amelia_core::tool::Risk;
use amelia_core::tool_failure::RetryableFailure;
use amelia_yaml::schema::schema_of;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::read::Incoming;

/// MCP servers, and settings for their tools.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct McpConfig {
    /// Servers by name, or a list of servers with names.
    #[serde(deserialize_with = "servers")]
    #[schemars(with = "ServerList")]
    pub servers: Vec<MCPServer>,
    /// Settings for individual tools, by `server:tool`.
    pub tool_overrides: BTreeMap<String, ToolOverride>,
    /// Names of variables that servers may use as `${NAME}`. Allowed only in the home. Default: servers of the home may use
    /// any, servers of a repository none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_envs: Option<Vec<String>>,
}

/// The schema of a file of MCP servers.
#[must_use]
pub fn mcp_schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| schema_of::<McpConfig>("Amelia MCP servers"))
}

struct ServerList;

impl JsonSchema for ServerList {
    fn schema_name() -> Cow<'static, str> {
        "ServerList".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let server = generator.subschema_for::<MCPServer>();
        json_schema!({"anyOf": [
            {"type": "object", "additionalProperties": server},
            {"type": "array", "items": server},
        ]})
    }
}

/// One server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MCPServer {
    /// Name of the server: letters, digits, `_` and `-`.
    #[serde(default)]
    pub name: String,
    /// Purpose of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Transport of the protocol.
    pub transport: TransportType,
    /// How to reach the server. `${NAME}` is replaced with an environment variable, or a variable in `config/keys.env`.
    pub config: ServerConfig,
    /// Whether agents can use the server. Default: true.
    #[serde(default = "enabled")]
    pub enabled: bool,
    /// What to do when the connection is lost.
    #[serde(default)]
    pub auto_reconnect: AutoReconnect,
    /// Trust the server's `readOnlyHint`: Amelia may then repeat calls of read-only tools. Default: false.
    #[serde(default, skip_serializing_if = "is_false")]
    pub trusted: bool,
    /// `server`: one process for all runs (default). `run`: one for each run, in its worktree.
    #[serde(default, skip_serializing_if = "is_default_scope")]
    pub scope: McpScope,
    /// Whether the server may use the model of the agent that calls it (sampling), at the cost of the run. Default: false.
    #[serde(default, skip_serializing_if = "is_false")]
    pub sampling: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(value: &bool) -> bool {
    !value
}

fn is_default_scope(scope: &McpScope) -> bool {
    *scope == McpScope::default()
}

fn enabled() -> bool {
    true
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TransportType {
    Stdio,
    Sse,
    #[serde(alias = "streamable_http", alias = "http")]
    StreamableHttp,
}

/// `transport` decides which fields it may have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ServerConfig {
    /// Program to start (stdio).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Arguments of the program (stdio).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Environment variables, in addition to `PATH`, `HOME` and similar ones (stdio).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// URL of the server (sse, streamable-http).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// HTTP headers for every request (sse, streamable-http).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AutoReconnect {
    /// Whether Amelia reconnects. Default: true.
    pub enabled: bool,
    /// Attempts to reconnect, 0 to 10. Default: 3.
    pub max_attempts: u32,
    /// Seconds between attempts, 1 to 60. Default: 5.
    pub backoff_seconds: f64,
}

same_fields!(AutoReconnect = core::AutoReconnect { enabled, max_attempts, backoff_seconds });
default_of_core!(AutoReconnect = core::AutoReconnect);

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ToolOverride {
    /// Seconds that a call may take. Default: 300.
    pub timeout_seconds: Option<u64>,
    /// Tools to call instead if this one fails, each as `server:tool`.
    pub fallback_tools: Vec<String>,
    /// Errors after which Amelia repeats a read-only call. Default: all.
    pub retry_on_errors: Vec<RetryableFailure>,
    /// Effect of the tool. Default: `external`, so calls are not repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
}

same_fields!(ToolOverride = core::ToolOverride { timeout_seconds, fallback_tools, retry_on_errors, risk });

impl Incoming for McpConfig {
    type Core = core::McpConfig;

    fn into_core(self, report: &mut ProblemReport) -> core::McpConfig {
        let mut servers = Vec::with_capacity(self.servers.len());
        for (index, server) in self.servers.into_iter().enumerate() {
            let place = format!("servers[{index}]");
            servers.push(report.within(place, |report| server.into_core(report)));
        }
        let overrides = self.tool_overrides.into_iter().map(|(tool, over)| (tool, over.into()));
        core::McpConfig { servers, tool_overrides: overrides.collect(), mcp_envs: self.mcp_envs }
    }
}

impl Incoming for MCPServer {
    type Core = core::McpServer;

    fn into_core(self, report: &mut ProblemReport) -> core::McpServer {
        let ServerConfig { command, args, env, url, headers } = self.config;
        let of_stdio = [("command", command.is_some()), ("args", !args.is_empty()), ("env", !env.is_empty())];
        let of_http = [("url", url.is_some()), ("headers", !headers.is_empty())];
        let foreign: &[(&str, bool)] = match self.transport {
            TransportType::Stdio => &of_http,
            TransportType::Sse | TransportType::StreamableHttp => &of_stdio,
        };
        for (field, _) in foreign.iter().filter(|(_, given)| *given) {
            report.refuse(format_args!("config.{field}"), "does not belong to this transport");
        }
        core::McpServer {
            name: self.name,
            description: self.description,
            transport: match self.transport {
                TransportType::Stdio => {
                    McpTransport::Stdio { command: command.unwrap_or_default(), args, env }
                }
                TransportType::Sse => McpTransport::Sse { url: url.unwrap_or_default(), headers },
                TransportType::StreamableHttp => {
                    McpTransport::StreamableHttp { url: url.unwrap_or_default(), headers }
                }
            },
            enabled: self.enabled,
            auto_reconnect: self.auto_reconnect.into(),
            trusted: self.trusted,
            scope: self.scope,
            sampling: self.sampling,
        }
    }
}

impl From<core::McpConfig> for McpConfig {
    fn from(core: core::McpConfig) -> Self {
        let overrides = core.tool_overrides.into_iter().map(|(tool, over)| (tool, over.into()));
        Self {
            servers: core.servers.into_iter().map(Into::into).collect(),
            tool_overrides: overrides.collect(),
            mcp_envs: core.mcp_envs,
        }
    }
}

impl From<core::McpServer> for MCPServer {
    fn from(server: core::McpServer) -> Self {
        let empty = ServerConfig::default();
        let (transport, config) = match server.transport {
            McpTransport::Stdio { command, args, env } => {
                (TransportType::Stdio, ServerConfig { command: Some(command), args, env, ..empty })
            }
            McpTransport::Sse { url, headers } => {
                (TransportType::Sse, ServerConfig { url: Some(url), headers, ..empty })
            }
            McpTransport::StreamableHttp { url, headers } => {
                (TransportType::StreamableHttp, ServerConfig { url: Some(url), headers, ..empty })
            }
        };
        Self {
            name: server.name,
            description: server.description,
            transport,
            config,
            enabled: server.enabled,
            auto_reconnect: server.auto_reconnect.into(),
            trusted: server.trusted,
            scope: server.scope,
            sampling: server.sampling,
        }
    }
}

fn servers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<MCPServer>, D::Error> {
    struct Servers;

    impl<'de> Visitor<'de> for Servers {
        type Value = Vec<MCPServer>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("servers by name, or a list of servers")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut servers = Vec::new();
            while let Some((name, server)) = map.next_entry::<String, MCPServer>()? {
                servers.push(MCPServer { name, ..server });
            }
            Ok(servers)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut servers = Vec::new();
            while let Some(server) = list.next_element()? {
                servers.push(server);
            }
            Ok(servers)
        }
    }

    deserializer.deserialize_any(Servers)
}
