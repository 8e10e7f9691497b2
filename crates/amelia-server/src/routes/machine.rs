//! What is on the server's machine, for people who request work from another machine.

use amelia_wire::rest::Page;
use amelia_wire::rest::config::{ServerChange, ServerValue};
use amelia_wire::rest::doctor::{Checkup, CheckupQuery};
use amelia_wire::rest::issue::{IssueQuery, IssueShown};
use amelia_wire::rest::repository::{KnownRepository, LookQuery, RepositoryLook};
use axum::extract::State;
use axum::response::Response;

use super::whole;
use crate::error::{ApiResult, json};
use crate::request::{JsonBody, Query};
use crate::state::App;

/// Lists the repositories that runs were started for, the most recent first.
#[utoipa::path(get, path = "/repositories", tag = "machine",
    responses((status = 200, body = Page<KnownRepository>)))]
pub(crate) async fn repositories(State(app): State<App>) -> ApiResult<Response> {
    Ok(json(&whole(app.catalogue.repositories().await?)))
}

/// Describes a path on the server's machine, for completion while a person types it.
#[utoipa::path(get, path = "/repositories/look", tag = "machine", params(LookQuery),
    responses((status = 200, body = RepositoryLook)))]
pub(crate) async fn look(State(app): State<App>, Query(query): Query<LookQuery>) -> Response {
    json(&app.state.machine.look(&query.path).await)
}

/// Lists open issues of a profile's tracker, newest first, or those that match a search.
#[utoipa::path(get, path = "/issues", tag = "machine", params(IssueQuery),
    responses((status = 200, body = Page<IssueShown>)))]
pub(crate) async fn issues(State(app): State<App>, Query(query): Query<IssueQuery>) -> ApiResult<Response> {
    let found = app.state.machine.issues(&query).await?;
    Ok(json(&whole(found.into_iter().map(IssueShown::from).collect())))
}

/// Checks the server's machine for missing tools and keys, and a repository on it for what its commits and profile need.
#[utoipa::path(get, path = "/doctor", tag = "machine", params(CheckupQuery),
    responses((status = 200, body = Checkup)))]
pub(crate) async fn doctor(State(app): State<App>, Query(query): Query<CheckupQuery>) -> Response {
    json(&app.state.machine.checkup(&query).await)
}

/// Lists the server's settings: each value, its source, and the value after the next start.
#[utoipa::path(get, path = "/settings/server", tag = "settings",
    responses((status = 200, body = Page<ServerValue>)))]
pub(crate) async fn values(State(app): State<App>) -> ApiResult<Response> {
    Ok(json(&whole(app.state.machine.values().await?)))
}

/// Writes settings to the server's file, all of them or none. They apply from the next start.
#[utoipa::path(put, path = "/settings/server", tag = "settings", request_body = ServerChange,
    responses((status = 200, body = Page<ServerValue>)))]
pub(crate) async fn change(State(app): State<App>, body: JsonBody) -> ApiResult<Response> {
    app.state.machine.change(body.shape()?).await?;
    Ok(json(&whole(app.state.machine.values().await?)))
}
