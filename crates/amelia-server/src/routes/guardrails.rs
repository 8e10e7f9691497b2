//! Guardrail policies: those in files are listed and shown; those that were sent here can be changed, too.

use amelia_core::definition::DefinitionKind;
use amelia_wire::agentx::team::parts::GuardrailPolicy;
use amelia_wire::rest::Page;
use amelia_wire::rest::definition::{DefinitionQuery, PolicyDetail, PolicySummary};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use super::{definitions, whole};
use crate::error::{ApiResult, json};
use crate::request::{JsonBody, NamePath, Query};
use crate::state::App;

const KIND: DefinitionKind = DefinitionKind::Policy;

/// Lists the guardrail policies from files of a repository and of the home, and those that were sent here, each with its problems.
#[utoipa::path(get, path = "/guardrails", tag = "definitions", params(DefinitionQuery),
    responses((status = 200, body = Page<PolicySummary>)))]
pub(crate) async fn list(
    State(app): State<App>,
    Query(query): Query<DefinitionQuery>,
) -> ApiResult<Response> {
    Ok(json(&whole(app.state.machine.policies(&query).await?)))
}

/// Shows a guardrail policy and the text of its file.
#[utoipa::path(get, path = "/guardrails/{name}", tag = "definitions", params(DefinitionQuery),
    responses((status = 200, body = PolicyDetail)))]
pub(crate) async fn show(
    State(app): State<App>,
    NamePath(name): NamePath,
    Query(query): Query<DefinitionQuery>,
) -> ApiResult<Response> {
    shown(&app, StatusCode::OK, &name, &query).await
}

/// Creates a guardrail policy.
#[utoipa::path(post, path = "/guardrails", tag = "definitions", request_body(content = Value, description = "A policy; `amelia schema policy` describes it"),
    responses((status = 201, body = PolicyDetail)))]
pub(crate) async fn create(State(app): State<App>, body: JsonBody) -> ApiResult<Response> {
    let name = definitions::create::<GuardrailPolicy>(&app, KIND, body).await?;
    shown(&app, StatusCode::CREATED, &name, &DefinitionQuery::default()).await
}

/// Creates or changes a guardrail policy. Existing runs keep the policies that they were created with.
#[utoipa::path(put, path = "/guardrails/{name}", tag = "definitions", request_body(content = Value, description = "A policy; `amelia schema policy` describes it"),
    params(("If-Match" = Option<String>, Header, description = "`ETag` of the version that you change")),
    responses((status = 200, body = PolicyDetail)))]
pub(crate) async fn replace(
    State(app): State<App>,
    NamePath(name): NamePath,
    headers: HeaderMap,
    body: JsonBody,
) -> ApiResult<Response> {
    definitions::replace::<GuardrailPolicy>(&app, KIND, &name, &headers, body).await?;
    shown(&app, StatusCode::OK, &name, &DefinitionQuery::default()).await
}

/// Deletes a guardrail policy that was sent here.
#[utoipa::path(delete, path = "/guardrails/{name}", tag = "definitions",
    responses((status = 204, description = "removed")))]
pub(crate) async fn delete(State(app): State<App>, NamePath(name): NamePath) -> ApiResult<Response> {
    definitions::delete(&app, KIND, &name).await
}

async fn shown(app: &App, status: StatusCode, name: &str, query: &DefinitionQuery) -> ApiResult<Response> {
    let policy = app.state.machine.policy(name, query).await?;
    definitions::answer(app, KIND, status, &policy.summary.place, &policy).await
}
