//! The port through which people look at MCP servers and try their tools.

use amelia_orchestrator::service::ServiceError;
use amelia_wire::rest::mcp::{McpCall, McpCallResult, McpServerShown, McpToolList};
use async_trait::async_trait;

/// The port. What it returns contains none of the secrets that servers are started with.
#[async_trait]
pub trait McpAccess: Send + Sync {
    /// All servers, as they are. Starts none.
    async fn mcp_servers(&self) -> Result<Vec<McpServerShown>, ServiceError>;

    /// Connects to a server, which may start its program, and asks for its tools.
    async fn mcp_tools(&self, server: &str) -> Result<McpToolList, ServiceError>;

    /// Calls a tool, outside of any run.
    async fn call_mcp_tool(&self, call: McpCall) -> Result<McpCallResult, ServiceError>;
}
