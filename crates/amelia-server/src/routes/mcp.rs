//! MCP servers: how they stand, and their tools, tried.

use amelia_wire::rest::Page;
use amelia_wire::rest::mcp::{McpCall, McpCallResult, McpServerShown, McpToolList, McpToolQuery};
use axum::extract::State;
use axum::response::Response;

use super::whole;
use crate::error::{ApiResult, json};
use crate::request::{JsonBody, Query};
use crate::state::App;

/// Lists the configured MCP servers and their status. Does not start them.
#[utoipa::path(get, path = "/mcp/servers", tag = "mcp",
    responses((status = 200, body = Page<McpServerShown>)))]
pub(crate) async fn servers(State(app): State<App>) -> ApiResult<Response> {
    Ok(json(&whole(app.state.machine.mcp_servers().await?)))
}

/// Connects to an MCP server, which starts its program if necessary, and lists its tools.
#[utoipa::path(get, path = "/mcp/tools", tag = "mcp", params(McpToolQuery),
    responses((status = 200, body = McpToolList)))]
pub(crate) async fn tools(State(app): State<App>, Query(query): Query<McpToolQuery>) -> ApiResult<Response> {
    Ok(json(&app.state.machine.mcp_tools(&query.server).await?))
}

/// Calls a tool of an MCP server, outside of any run.
#[utoipa::path(post, path = "/mcp/tools/call", tag = "mcp", request_body = McpCall,
    responses((status = 200, body = McpCallResult)))]
pub(crate) async fn call(State(app): State<App>, body: JsonBody) -> ApiResult<Response> {
    Ok(json(&app.state.machine.call_mcp_tool(body.shape()?).await?))
}
