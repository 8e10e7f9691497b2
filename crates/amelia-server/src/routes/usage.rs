//! What was spent, and one run in numbers.

use amelia_core::event::{AgentEvent, Event, EventKind, NodeEvent};
use amelia_core::view::RunRow;
use amelia_wire::facts::milliseconds;
use amelia_wire::rest::usage::{RunMetrics, Usage, UsageFormat, UsageQuery};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use crate::error::{ApiResult, json};
use crate::request::{Query, RunIdPath};
use crate::state::App;

/// Returns tokens and cost of all runs, by run, agent, model and day.
#[utoipa::path(get, path = "/usage", tag = "usage", params(UsageQuery),
    responses((status = 200, content((Usage = "application/json"), (String = "text/csv")))))]
pub(crate) async fn usage(State(app): State<App>, Query(query): Query<UsageQuery>) -> ApiResult<Response> {
    let usage = app.catalogue.usage(&query).await?;
    Ok(match query.format {
        UsageFormat::Json => json(&usage),
        UsageFormat::Csv => {
            ([(header::CONTENT_TYPE, "text/csv; charset=utf-8")], usage.csv()).into_response()
        }
    })
}

/// Returns durations, tokens, cost and calls of one run.
#[utoipa::path(get, path = "/{id}/metrics", tag = "usage", responses((status = 200, body = RunMetrics)))]
pub(crate) async fn metrics(State(app): State<App>, RunIdPath(run): RunIdPath) -> ApiResult<Response> {
    let row = app.row(run).await?;
    let mut metrics = begin(&row);
    app.logs.each(run, |event| count(&mut metrics, &event)).await?;
    Ok(json(&metrics))
}

/// What the row knows already.
fn begin(row: &RunRow) -> RunMetrics {
    let view = &row.view;
    let end = view.ended_at.or(view.updated_at);
    let duration = view.started_at.zip(end).map(|(start, end)| milliseconds(start, end));
    let agents = view.spend_by_agent.iter().map(|(agent, spend)| (agent.to_string(), (*spend).into()));
    let models = view.spend_by_model.iter().map(|(model, spend)| (model.clone(), (*spend).into()));
    RunMetrics {
        duration_ms: duration.unwrap_or(0),
        active_ms: view.active_ms,
        usage: view.spend.into(),
        usage_by_agent: agents.collect(),
        usage_by_model: models.collect(),
        ..RunMetrics::default()
    }
}

fn count(metrics: &mut RunMetrics, event: &Event) {
    metrics.events = metrics.events.saturating_add(1);
    match &event.draft.kind {
        EventKind::Node(NodeEvent::Entered { node, .. }) => {
            let stage = metrics.stages.entry(node.to_string()).or_default();
            stage.visits = stage.visits.saturating_add(1);
        }
        EventKind::Node(NodeEvent::Left { node, duration_ms, .. }) => {
            let stage = metrics.stages.entry(node.to_string()).or_default();
            stage.duration_ms = stage.duration_ms.saturating_add(*duration_ms);
        }
        EventKind::Agent(AgentEvent::Called(call)) => {
            let tool = metrics.tools.entry(call.tool.to_string()).or_default();
            tool.calls = tool.calls.saturating_add(1);
        }
        EventKind::Agent(AgentEvent::Returned(result)) => {
            let tool = metrics.tools.entry(result.tool.to_string()).or_default();
            tool.errors = tool.errors.saturating_add(u64::from(!result.is_success()));
            tool.duration_ms = tool.duration_ms.saturating_add(result.duration_ms.unwrap_or(0));
        }
        _ => {}
    }
}
