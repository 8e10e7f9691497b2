//! Agents and workflows from files: listed, shown, and checked while a person writes them.

use amelia_wire::rest::Page;
use amelia_wire::rest::definition::{
    AgentDetail, AgentSummary, CheckedAgent, CheckedGraph, DefinitionQuery, DefinitionText, GraphDetail,
    GraphSummary,
};
use axum::extract::State;
use axum::response::Response;

use super::whole;
use crate::error::{ApiResult, json};
use crate::request::{JsonBody, NamePath, Query};
use crate::state::App;

/// Lists the agents that are defined in files of a repository and of the home, each with its problems.
#[utoipa::path(get, path = "/agents", tag = "definitions", params(DefinitionQuery),
    responses((status = 200, body = Page<AgentSummary>)))]
pub(crate) async fn agents(
    State(app): State<App>,
    Query(query): Query<DefinitionQuery>,
) -> ApiResult<Response> {
    Ok(json(&whole(app.state.machine.agents(&query).await?)))
}

/// Shows an agent and the text of its file.
#[utoipa::path(get, path = "/agents/{name}", tag = "definitions", params(DefinitionQuery),
    responses((status = 200, body = AgentDetail)))]
pub(crate) async fn agent(
    State(app): State<App>,
    NamePath(name): NamePath,
    Query(query): Query<DefinitionQuery>,
) -> ApiResult<Response> {
    Ok(json(&app.state.machine.agent(&name, &query).await?))
}

/// Checks a text as the file of an agent. Nothing is stored.
#[utoipa::path(post, path = "/agents/{name}/validate", tag = "definitions", request_body = DefinitionText,
    responses((status = 200, body = CheckedAgent)))]
pub(crate) async fn check_agent(
    State(app): State<App>,
    NamePath(name): NamePath,
    body: JsonBody,
) -> ApiResult<Response> {
    Ok(json(&app.state.machine.check_agent(&name, body.shape()?).await?))
}

/// Lists the workflows that are defined in files of a repository and of the home, each with its problems.
#[utoipa::path(get, path = "/graphs", tag = "definitions", params(DefinitionQuery),
    responses((status = 200, body = Page<GraphSummary>)))]
pub(crate) async fn graphs(
    State(app): State<App>,
    Query(query): Query<DefinitionQuery>,
) -> ApiResult<Response> {
    Ok(json(&whole(app.state.machine.graphs(&query).await?)))
}

/// Shows a workflow and the text of its file.
#[utoipa::path(get, path = "/graphs/{name}", tag = "definitions", params(DefinitionQuery),
    responses((status = 200, body = GraphDetail)))]
pub(crate) async fn graph(
    State(app): State<App>,
    NamePath(name): NamePath,
    Query(query): Query<DefinitionQuery>,
) -> ApiResult<Response> {
    Ok(json(&app.state.machine.defined_graph(&name, &query).await?))
}

/// Checks a text as the file of a workflow. Nothing is stored.
#[utoipa::path(post, path = "/graphs/{name}/validate", tag = "definitions", request_body = DefinitionText,
    responses((status = 200, body = CheckedGraph)))]
pub(crate) async fn check_graph(
    State(app): State<App>,
    NamePath(name): NamePath,
    body: JsonBody,
) -> ApiResult<Response> {
    Ok(json(&app.state.machine.check_graph(&name, body.shape()?).await?))
}
