//! The log of a run, in the words of each dialect. With an upgrade, `/events` is a WebSocket.

use amelia_core::event::{AgentEvent, Event, EventKind};
use amelia_core::id::RunId;
use amelia_wire::agentx::memory_step::memory_step;
use amelia_wire::agentx::step::TaskStep;
use amelia_wire::error::Code;
use amelia_wire::maf::task::{sub_agent_session, sub_agent_sessions};
use amelia_wire::maf::trace::trace_log;
use amelia_wire::rest::Page;
use amelia_wire::rest::log::{LogQuery, PartQuery};
use axum::extract::{FromRequestParts, Request, State};
use axum::response::Response;
use serde_json::Value;

use crate::error::{ApiError, ApiResult, json};
use crate::live;
use crate::live::run_channel::RunChannel;
use crate::request::{Query, RunIdPath, SessionIdPath};
use crate::state::App;

/// Lists events. As a WebSocket: sends notifications as they happen, after `?after=SEQ`.
#[utoipa::path(get, path = "/{id}/events", tag = "log", params(LogQuery),
    responses((status = 200, body = Page<Value>), (status = 101, description = "a WebSocket")))]
pub(crate) async fn events(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    request: Request,
) -> ApiResult<Response> {
    let is_socket = live::run::is_upgrade(&request);
    let (mut parts, _) = request.into_parts();
    if is_socket {
        return live::run::open(&app, run, &mut parts, RunChannel::Events).await;
    }
    let Query(query) = Query::<LogQuery>::from_request_parts(&mut parts, &app).await?;
    let row = app.row(run).await?;
    let page = app
        .logs
        .part(&row, query.begin(), query.limit.get(), |event, facts| query.show(event, facts))
        .await?;
    Ok(json(&page))
}

/// Lists the complete turns of agents, and what they did with memory, each as a step with its parts.
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
        EventKind::Memory(memory) => Some(memory_step(memory, &event.draft)),
        _ => None,
    });
    Ok(json(&steps.await?))
}

/// Returns the whole log as one trace, for debugging.
#[utoipa::path(get, path = "/{id}/trace", tag = "log", responses((status = 200, body = Value)))]
pub(crate) async fn trace(State(app): State<App>, RunIdPath(run): RunIdPath) -> ApiResult<Response> {
    Ok(json(&trace_log(&all_events(&app, run).await?)))
}

/// Lists the sessions of sub-agents, oldest first.
#[utoipa::path(get, path = "/{id}/sessions", tag = "log", responses((status = 200, body = Page<Value>)))]
pub(crate) async fn sessions(State(app): State<App>, RunIdPath(run): RunIdPath) -> ApiResult<Response> {
    let items = sub_agent_sessions(&all_events(&app, run).await?);
    Ok(json(&Page { items, next_cursor: None }))
}

/// Returns the session of a sub-agent with its messages.
#[utoipa::path(get, path = "/{id}/sessions/{session_id}", tag = "log", responses((status = 200, body = Value)))]
pub(crate) async fn session(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    SessionIdPath(session): SessionIdPath,
) -> ApiResult<Response> {
    let found = sub_agent_session(session, &all_events(&app, run).await?);
    let missing = || ApiError::new(Code::NotFound, format!("the run has no sub-agent session `{session}`"));
    Ok(json(&found.ok_or_else(missing)?))
}

async fn all_events(app: &App, run: RunId) -> ApiResult<Vec<Event>> {
    app.row(run).await?;
    let mut events = Vec::new();
    app.logs.each(run, |event| events.push(event)).await?;
    Ok(events)
}
