//! MCP servers of the home and of the API, and their tools.

use amelia_core::object::Object;
use amelia_core::tool::{Risk, ToolResult, ToolSpec};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::rest::definition::DefinitionOrigin;

/// An MCP server. Arguments, environment variables, headers and queries of addresses are left out: they can contain
/// secrets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct McpServerShown {
    pub name: String,
    #[schema(required)]
    pub description: Option<String>,
    /// `stdio`, `sse` or `streamable-http`.
    pub transport: String,
    /// The program, or the address.
    pub target: String,
    /// `home`, or `api` if it was sent to the API.
    pub source: DefinitionOrigin,
    /// Path of the file that configures it; `api:mcp/servers/NAME` if it was sent to the API.
    pub path: String,
    pub trusted: bool,
    /// `server`: one for all runs; `run`: one for each run.
    pub scope: String,
    pub status: McpStatus,
    /// Why the server cannot be used, or why the last attempt failed.
    #[schema(required)]
    pub problem: Option<String>,
    /// Its tools, as of the last time that Amelia asked for them; `null` if it has not.
    #[schema(required)]
    pub tools: Option<Vec<McpToolShown>>,
    /// The last lines that the server wrote.
    pub log: Vec<String>,
}

/// Whether Amelia is connected to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum McpStatus {
    /// `enabled` is `false`.
    Disabled,
    /// Amelia connects when a tool is needed.
    NotConnected,
    Connecting,
    Connected,
    /// The last attempt to connect failed.
    Failed,
}

/// A tool of an MCP server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct McpToolShown {
    /// `server:tool`.
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments.
    pub input_schema: Value,
    /// `read`, `write`, `execute` or `external`.
    pub risk: String,
    pub timeout_seconds: u64,
    pub fallback_tools: Vec<String>,
}

impl From<ToolSpec> for McpToolShown {
    fn from(spec: ToolSpec) -> Self {
        Self {
            name: spec.name.to_string(),
            description: spec.description,
            input_schema: spec.input_schema,
            risk: match spec.risk {
                Risk::Read => "read",
                Risk::Write => "write",
                Risk::Execute => "execute",
                Risk::External => "external",
            }
            .to_owned(),
            timeout_seconds: spec.timeout_seconds,
            fallback_tools: spec.fallbacks.iter().map(ToString::to_string).collect(),
        }
    }
}

/// `GET /mcp/tools`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct McpToolQuery {
    /// Name of the server. Amelia connects to it, which starts its program.
    pub server: String,
}

/// The tools of one server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct McpToolList {
    pub server: String,
    /// Version of the protocol.
    #[schema(required)]
    pub protocol: Option<String>,
    pub items: Vec<McpToolShown>,
}

/// `POST /mcp/tools/call`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct McpCall {
    /// `server:tool`.
    pub tool: String,
    #[serde(default)]
    #[cfg_attr(test, ts(type = "Record<string, unknown>"))]
    pub arguments: Object,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct McpCallResult {
    /// The tool that was called: a fallback, or that of another server, if the one that was named failed.
    pub tool: String,
    pub output: String,
    /// `null` if the call succeeded.
    #[schema(required)]
    pub error: Option<String>,
    #[schema(required)]
    pub duration_ms: Option<u64>,
}

impl From<ToolResult> for McpCallResult {
    fn from(result: ToolResult) -> Self {
        let ToolResult { tool, output, error, duration_ms, .. } = result;
        Self { tool: tool.to_string(), output, error, duration_ms }
    }
}
