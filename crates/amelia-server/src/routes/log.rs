//! The log of a run, in the words of each dialect. With an upgrade, `/events` is a WebSocket.

use amelia_core::event::{AgentEvent, EventKind};
use amelia_wire::agentx::step::TaskStep;
use amelia_wire::maf::trace::trace_log;
use amelia_wire::rest::Page;
use amelia_wire::rest::log::{LogQuery, PartQuery};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::header;
use axum::response::Response;
use serde_json::Value;

use crate::error::{ApiResult, json};
use crate::live;
use crate::request::{Query, RunIdPath};
use crate::state::App;

/// Lists events. As a WebSocket: sends notifications as they happen, after `?after=SEQ`.
#[utoipa::path(get, path = "/{id}/events", tag = "log", params(LogQuery),
    responses((status = 200, body = Page<Value>), (status = 101, description = "a WebSocket")))]
pub(crate) async fn events(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    request: Request,
) -> ApiResult<Response> {
    let upgrade = request.headers().get(header::UPGRADE);
    let is_socket = upgrade.is_some_and(|to| to.as_bytes().eq_ignore_ascii_case(b"websocket"));
    let (mut parts, _) = request.into_parts();
    if is_socket {
        return live::run::events(&app, run, &mut parts).await;
    }
    let Query(query) = Query::<LogQuery>::from_request_parts(&mut parts, &app).await?;
    let row = app.row(run).await?;
    let page = app
        .logs
        .part(&row, query.begin(), query.limit.get(), |event, facts| query.show(event, facts))
        .await?;
    Ok(json(&page))
}

/// Lists complete turns, as steps with parts.
#[utoipa::path(get, path = "/{id}/history", tag = "log", params(PartQuery),
    responses((status = 200, body = Page<Value>)))]
pub(crate) async fn history(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    Query(query): Query<PartQuery>,
) -> ApiResult<Response> {
    let row = app.row(run).await?;
    let steps = app.logs.part(&row, query.begin(), query.limit.get(), |event, _| match &event.draft.kind {
        EventKind::Agent(AgentEvent::Said(message)) => Some(TaskStep::from((**message).clone())),
        _ => None,
    });
    Ok(json(&steps.await?))
}

/// Returns the whole log as one trace, for debugging.
#[utoipa::path(get, path = "/{id}/trace", tag = "log", responses((status = 200, body = Value)))]
pub(crate) async fn trace(State(app): State<App>, RunIdPath(run): RunIdPath) -> ApiResult<Response> {
    app.row(run).await?;
    let mut events = Vec::new();
    app.logs.each(run, |event| events.push(event)).await?;
    Ok(json(&trace_log(&events)))
}
