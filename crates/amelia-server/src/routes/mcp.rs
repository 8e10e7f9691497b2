//! MCP servers: how they stand, and their tools, tried. Those in files are only shown; those that were sent here can be
//! changed, too.

use amelia_core::config::mcp::McpServer;
use amelia_core::document::DocumentKind;
use amelia_wire::error::Code;
use amelia_wire::maf::mcp::MCPServer;
use amelia_wire::rest::Page;
use amelia_wire::rest::definition::DefinitionOrigin;
use amelia_wire::rest::mcp::{McpCall, McpCallResult, McpServerShown, McpToolList, McpToolQuery};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use super::whole;
use crate::error::{ApiError, ApiResult, json, with_status};
use crate::request::{JsonBody, NamePath, Query, if_match, tag};
use crate::state::App;

const KIND: DocumentKind = DocumentKind::McpServer;

/// Lists the configured MCP servers and their status. Does not start them.
#[utoipa::path(get, path = "/mcp/servers", tag = "mcp",
    responses((status = 200, body = Page<McpServerShown>)))]
pub(crate) async fn servers(State(app): State<App>) -> ApiResult<Response> {
    Ok(json(&whole(app.state.machine.mcp_servers().await?)))
}

/// Shows a configured MCP server and its status. Does not start it.
#[utoipa::path(get, path = "/mcp/servers/{name}", tag = "mcp",
    responses((status = 200, body = McpServerShown)))]
pub(crate) async fn show(State(app): State<App>, NamePath(name): NamePath) -> ApiResult<Response> {
    shown(&app, StatusCode::OK, &name).await
}

/// Creates an MCP server. Runs that start or resume afterwards can use it.
#[utoipa::path(post, path = "/mcp/servers", tag = "mcp",
    request_body(content = Value, description = "A server, as in `amelia schema mcp`, with its `name`"),
    responses((status = 201, body = McpServerShown)))]
pub(crate) async fn create(State(app): State<App>, body: JsonBody) -> ApiResult<Response> {
    let server = body.read::<MCPServer>()?;
    if let Some(other) = find(&app, &server.name).await? {
        let message = format!("the MCP server `{}` exists already", other.name);
        let hint = match other.source {
            DefinitionOrigin::Api => format!("PUT to the path of `{}` changes it", other.name),
            DefinitionOrigin::Home | DefinitionOrigin::Repository => format!("change {}", other.path),
        };
        return Err(ApiError::new(Code::Conflict, message).hint(hint));
    }
    keep(&app, &server, None).await?;
    shown(&app, StatusCode::CREATED, &server.name).await
}

/// Creates or changes an MCP server.
#[utoipa::path(put, path = "/mcp/servers/{name}", tag = "mcp",
    request_body(content = Value, description = "A server, as in `amelia schema mcp`"),
    params(("If-Match" = Option<String>, Header, description = "`ETag` of the version that you change")),
    responses((status = 200, body = McpServerShown)))]
pub(crate) async fn replace(
    State(app): State<App>,
    NamePath(name): NamePath,
    headers: HeaderMap,
    mut body: JsonBody,
) -> ApiResult<Response> {
    body.default_field("name", &name);
    let server = body.read::<MCPServer>()?;
    if server.name != name {
        let message = format!("name: `{}` differs from the path", server.name);
        return Err(ApiError::new(Code::Invalid, message).hint("create a new MCP server and delete this one"));
    }
    not_in_a_file(&app, &name).await?;
    keep(&app, &server, if_match(&headers)?).await?;
    shown(&app, StatusCode::OK, &name).await
}

/// Deletes an MCP server that was sent here.
#[utoipa::path(delete, path = "/mcp/servers/{name}", tag = "mcp",
    responses((status = 204, description = "removed")))]
pub(crate) async fn delete(State(app): State<App>, NamePath(name): NamePath) -> ApiResult<Response> {
    if app.state.definitions.delete(KIND, &name).await? {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    not_in_a_file(&app, &name).await?;
    Err(not_found(&name))
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

async fn keep(app: &App, server: &McpServer, after: Option<u32>) -> ApiResult<()> {
    let unwritable = |error: serde_json::Error| ApiError::new(Code::Invalid, error.to_string());
    let text = serde_json::to_string_pretty(&MCPServer::from(server.clone())).map_err(unwritable)?;
    Ok(app.state.definitions.put(KIND, &server.name, text, after).await?)
}

async fn find(app: &App, name: &str) -> ApiResult<Option<McpServerShown>> {
    let servers = app.state.machine.mcp_servers().await?;
    Ok(servers.into_iter().find(|server| server.name == name))
}

/// A server, with its version if it can be changed here.
async fn shown(app: &App, status: StatusCode, name: &str) -> ApiResult<Response> {
    let server = find(app, name).await?.ok_or_else(|| not_found(name))?;
    let response = with_status(status, &server);
    if server.source != DefinitionOrigin::Api {
        return Ok(response);
    }
    let version = app.state.definitions.version(KIND, name).await?;
    Ok(([(header::ETAG, tag(version))], response).into_response())
}

/// A file comes before what is kept here, and is changed where it is.
async fn not_in_a_file(app: &App, name: &str) -> ApiResult<()> {
    match find(app, name).await? {
        Some(server) if server.source != DefinitionOrigin::Api => {
            let message = format!("the MCP server `{name}` is configured in a file");
            Err(ApiError::new(Code::Conflict, message).hint(format!("change {}", server.path)))
        }
        _ => Ok(()),
    }
}

fn not_found(name: &str) -> ApiError {
    ApiError::new(Code::NotFound, format!("there is no MCP server `{name}`"))
}
