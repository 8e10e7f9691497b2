//! Runs, to look at.

use amelia_orchestrator::desk::DeskError;
use amelia_wire::rest::Page;
use amelia_wire::rest::run::{RunDetail, RunQuery, RunSummary};
use axum::extract::State;
use axum::response::Response;
use serde_json::Value;

use crate::error::{Answer, json};
use crate::request::{Id, Query};
use crate::state::App;

/// Runs, newest first.
#[utoipa::path(get, path = "/", tag = "runs", params(RunQuery), responses((status = 200, body = Page<RunSummary>)))]
pub(crate) async fn list(State(app): State<App>, Query(query): Query<RunQuery>) -> Answer<Response> {
    Ok(json(&app.catalogue.list(&query).await?))
}

/// Everything about a run.
#[utoipa::path(get, path = "/{id}", tag = "runs", responses((status = 200, body = RunDetail)))]
pub(crate) async fn show(State(app): State<App>, Id(run): Id) -> Answer<Response> {
    let row = app.row(run).await?;
    let state = match app.state.desk.state(&row, None).await {
        Ok(state) => state,
        // It has not begun.
        Err(DeskError::NotFound(_)) => Value::Null,
        // Everything else can be shown, and whoever looks for a fault wants to see it.
        Err(error) => {
            tracing::warn!(%run, "its state cannot be shown: {error}");
            Value::Null
        }
    };
    Ok(json(&RunDetail::new(&row, state)))
}
