//! Workflows: those in files are listed and shown; those that were sent here can be changed, too.

use amelia_core::definition::DefinitionKind;
use amelia_wire::maf::workflow::Workflow;
use amelia_wire::rest::Page;
use amelia_wire::rest::definition::{
    CheckedGraph, DefinitionQuery, DefinitionText, GraphDetail, GraphSummary,
};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use super::{definitions, whole};
use crate::error::{ApiResult, json};
use crate::request::{JsonBody, NamePath, Query};
use crate::state::App;

const KIND: DefinitionKind = DefinitionKind::Workflow;

/// Lists the workflows from files of a repository and of the home, and those that were sent here, each with its problems.
#[utoipa::path(get, path = "/graphs", tag = "definitions", params(DefinitionQuery),
    responses((status = 200, body = Page<GraphSummary>)))]
pub(crate) async fn list(
    State(app): State<App>,
    Query(query): Query<DefinitionQuery>,
) -> ApiResult<Response> {
    Ok(json(&whole(app.state.machine.graphs(&query).await?)))
}

/// Shows a workflow and the text of its file.
#[utoipa::path(get, path = "/graphs/{name}", tag = "definitions", params(DefinitionQuery),
    responses((status = 200, body = GraphDetail)))]
pub(crate) async fn show(
    State(app): State<App>,
    NamePath(name): NamePath,
    Query(query): Query<DefinitionQuery>,
) -> ApiResult<Response> {
    shown(&app, StatusCode::OK, &name, &query).await
}

/// Creates a workflow.
#[utoipa::path(post, path = "/graphs", tag = "definitions", request_body(content = Value, description = "A workflow; `amelia schema workflow` describes it"),
    responses((status = 201, body = GraphDetail)))]
pub(crate) async fn create(State(app): State<App>, body: JsonBody) -> ApiResult<Response> {
    let name = definitions::create::<Workflow>(&app, KIND, body).await?;
    shown(&app, StatusCode::CREATED, &name, &DefinitionQuery::default()).await
}

/// Creates or changes a workflow. Existing runs keep the workflow that they were created with.
#[utoipa::path(put, path = "/graphs/{name}", tag = "definitions", request_body(content = Value, description = "A workflow; `amelia schema workflow` describes it"),
    params(("If-Match" = Option<String>, Header, description = "`ETag` of the version that you change")),
    responses((status = 200, body = GraphDetail)))]
pub(crate) async fn replace(
    State(app): State<App>,
    NamePath(name): NamePath,
    headers: HeaderMap,
    body: JsonBody,
) -> ApiResult<Response> {
    definitions::replace::<Workflow>(&app, KIND, &name, &headers, body).await?;
    shown(&app, StatusCode::OK, &name, &DefinitionQuery::default()).await
}

/// Deletes a workflow that was sent here.
#[utoipa::path(delete, path = "/graphs/{name}", tag = "definitions",
    responses((status = 204, description = "removed")))]
pub(crate) async fn delete(State(app): State<App>, NamePath(name): NamePath) -> ApiResult<Response> {
    definitions::delete(&app, KIND, &name).await
}

/// Checks a text as the file of a workflow. Nothing is stored.
#[utoipa::path(post, path = "/graphs/{name}/validate", tag = "definitions", request_body = DefinitionText,
    responses((status = 200, body = CheckedGraph)))]
pub(crate) async fn validate(
    State(app): State<App>,
    NamePath(name): NamePath,
    body: JsonBody,
) -> ApiResult<Response> {
    Ok(json(&app.state.machine.check_graph(&name, body.shape()?).await?))
}

async fn shown(app: &App, status: StatusCode, name: &str, query: &DefinitionQuery) -> ApiResult<Response> {
    let graph = app.state.machine.defined_graph(name, query).await?;
    definitions::answer(app, KIND, status, &graph.summary.place, &graph).await
}
