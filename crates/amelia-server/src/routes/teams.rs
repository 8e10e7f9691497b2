//! Teams: those in files are listed and shown; those that were sent here can be changed, too.

use amelia_core::definition::DefinitionKind;
use amelia_wire::agentx::team::TeamConfig;
use amelia_wire::rest::Page;
use amelia_wire::rest::definition::{CheckedTeam, DefinitionQuery, DefinitionText, TeamDetail, TeamSummary};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use super::{definitions, whole};
use crate::error::{ApiResult, json};
use crate::request::{JsonBody, NamePath, Query};
use crate::state::App;

const KIND: DefinitionKind = DefinitionKind::Team;

/// Lists the teams from files of a repository and of the home, and those that were sent here, each with its problems.
#[utoipa::path(get, path = "/teams", tag = "definitions", params(DefinitionQuery),
    responses((status = 200, body = Page<TeamSummary>)))]
pub(crate) async fn list(
    State(app): State<App>,
    Query(query): Query<DefinitionQuery>,
) -> ApiResult<Response> {
    Ok(json(&whole(app.state.machine.teams(&query).await?)))
}

/// Shows a team and the text of its file.
#[utoipa::path(get, path = "/teams/{name}", tag = "definitions", params(DefinitionQuery),
    responses((status = 200, body = TeamDetail)))]
pub(crate) async fn show(
    State(app): State<App>,
    NamePath(name): NamePath,
    Query(query): Query<DefinitionQuery>,
) -> ApiResult<Response> {
    shown(&app, StatusCode::OK, &name, &query).await
}

/// Creates a team.
#[utoipa::path(post, path = "/teams", tag = "definitions", request_body(content = Value, description = "A team; `amelia schema team` describes it"),
    responses((status = 201, body = TeamDetail)))]
pub(crate) async fn create(State(app): State<App>, body: JsonBody) -> ApiResult<Response> {
    let name = definitions::create::<TeamConfig>(&app, KIND, body).await?;
    shown(&app, StatusCode::CREATED, &name, &DefinitionQuery::default()).await
}

/// Creates or changes a team. Existing runs keep the team that they were created with.
#[utoipa::path(put, path = "/teams/{name}", tag = "definitions", request_body(content = Value, description = "A team; `amelia schema team` describes it"),
    params(("If-Match" = Option<String>, Header, description = "`ETag` of the version that you change")),
    responses((status = 200, body = TeamDetail)))]
pub(crate) async fn replace(
    State(app): State<App>,
    NamePath(name): NamePath,
    headers: HeaderMap,
    body: JsonBody,
) -> ApiResult<Response> {
    definitions::replace::<TeamConfig>(&app, KIND, &name, &headers, body).await?;
    shown(&app, StatusCode::OK, &name, &DefinitionQuery::default()).await
}

/// Deletes a team that was sent here.
#[utoipa::path(delete, path = "/teams/{name}", tag = "definitions",
    responses((status = 204, description = "removed")))]
pub(crate) async fn delete(State(app): State<App>, NamePath(name): NamePath) -> ApiResult<Response> {
    definitions::delete(&app, KIND, &name).await
}

/// Checks a text as the file of the team that it names. Nothing is stored.
#[utoipa::path(post, path = "/teams/validate", tag = "definitions", request_body = DefinitionText,
    responses((status = 200, body = CheckedTeam)))]
pub(crate) async fn validate(State(app): State<App>, body: JsonBody) -> ApiResult<Response> {
    Ok(json(&app.state.machine.check_team(body.shape()?).await?))
}

async fn shown(app: &App, status: StatusCode, name: &str, query: &DefinitionQuery) -> ApiResult<Response> {
    let team = app.state.machine.team(name, query).await?;
    definitions::answer(app, KIND, status, &team.summary.place, &team).await
}
