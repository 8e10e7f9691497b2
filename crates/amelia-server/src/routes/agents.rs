//! Agents: those in files are listed and shown; those that were sent here can be changed, too.

use amelia_core::definition::DefinitionKind;
use amelia_wire::maf::agent::Agent;
use amelia_wire::rest::Page;
use amelia_wire::rest::definition::{
    AgentDetail, AgentSummary, CheckedAgent, DefinitionQuery, DefinitionText,
};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use super::{definitions, whole};
use crate::error::{ApiResult, json};
use crate::request::{JsonBody, NamePath, Query};
use crate::state::App;

const KIND: DefinitionKind = DefinitionKind::Agent;

/// Lists the agents from files of a repository and of the home, and those that were sent here, each with its problems.
#[utoipa::path(get, path = "/agents", tag = "definitions", params(DefinitionQuery),
    responses((status = 200, body = Page<AgentSummary>)))]
pub(crate) async fn list(
    State(app): State<App>,
    Query(query): Query<DefinitionQuery>,
) -> ApiResult<Response> {
    Ok(json(&whole(app.state.machine.agents(&query).await?)))
}

/// Shows an agent and the text of its file.
#[utoipa::path(get, path = "/agents/{name}", tag = "definitions", params(DefinitionQuery),
    responses((status = 200, body = AgentDetail)))]
pub(crate) async fn show(
    State(app): State<App>,
    NamePath(name): NamePath,
    Query(query): Query<DefinitionQuery>,
) -> ApiResult<Response> {
    shown(&app, StatusCode::OK, &name, &query).await
}

/// Creates an agent.
#[utoipa::path(post, path = "/agents", tag = "definitions", request_body(content = Value, description = "An agent; `amelia schema agent` describes it"),
    responses((status = 201, body = AgentDetail)))]
pub(crate) async fn create(State(app): State<App>, body: JsonBody) -> ApiResult<Response> {
    let name = definitions::create::<Agent>(&app, KIND, body).await?;
    shown(&app, StatusCode::CREATED, &name, &DefinitionQuery::default()).await
}

/// Creates or changes an agent. Existing runs keep the agent that they were created with.
#[utoipa::path(put, path = "/agents/{name}", tag = "definitions", request_body(content = Value, description = "An agent; `amelia schema agent` describes it"),
    params(("If-Match" = Option<String>, Header, description = "`ETag` of the version that you change")),
    responses((status = 200, body = AgentDetail)))]
pub(crate) async fn replace(
    State(app): State<App>,
    NamePath(name): NamePath,
    headers: HeaderMap,
    body: JsonBody,
) -> ApiResult<Response> {
    definitions::replace::<Agent>(&app, KIND, &name, &headers, body).await?;
    shown(&app, StatusCode::OK, &name, &DefinitionQuery::default()).await
}

/// Deletes an agent that was sent here.
#[utoipa::path(delete, path = "/agents/{name}", tag = "definitions",
    responses((status = 204, description = "removed")))]
pub(crate) async fn delete(State(app): State<App>, NamePath(name): NamePath) -> ApiResult<Response> {
    definitions::delete(&app, KIND, &name).await
}

/// Checks a text as the file of an agent. Nothing is stored.
#[utoipa::path(post, path = "/agents/{name}/validate", tag = "definitions", request_body = DefinitionText,
    responses((status = 200, body = CheckedAgent)))]
pub(crate) async fn validate(
    State(app): State<App>,
    NamePath(name): NamePath,
    body: JsonBody,
) -> ApiResult<Response> {
    Ok(json(&app.state.machine.check_agent(&name, body.shape()?).await?))
}

async fn shown(app: &App, status: StatusCode, name: &str, query: &DefinitionQuery) -> ApiResult<Response> {
    let agent = app.state.machine.agent(name, query).await?;
    definitions::answer(app, KIND, status, &agent.summary.place, &agent).await
}
