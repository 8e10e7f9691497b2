//! Runs, to look at.

use amelia_orchestrator::desk::{DeskError, Whereabouts};
use amelia_wire::rest::Page;
use amelia_wire::rest::run::{RunAnswer, RunDetail, RunFormat, RunListed, RunQuery, ShowQuery, StoredRun};
use axum::extract::State;
use axum::response::Response;
use serde_json::Value;

use crate::error::{Answer, json};
use crate::request::{Id, Query};
use crate::state::App;

/// Runs, newest first.
#[utoipa::path(get, path = "/", tag = "runs", params(RunQuery), responses((status = 200, body = Page<RunListed>)))]
pub(crate) async fn list(State(app): State<App>, Query(query): Query<RunQuery>) -> Answer<Response> {
    match query.format {
        RunFormat::Shown => Ok(json(&app.catalogue.list(&query).await?)),
        RunFormat::Row => {
            let Page { items: ids, next_cursor } = app.catalogue.ids(&query).await?;
            let mut items = Vec::with_capacity(ids.len());
            for id in ids {
                // One that was removed in this moment is not there.
                let row = app.store().run(id).await?;
                items.extend(row.map(|row| StoredRun::new(row, app.state.orchestrator.is_moving(id))));
            }
            Ok(json(&Page { items, next_cursor }))
        }
    }
}

/// Everything about a run.
#[utoipa::path(get, path = "/{id}", tag = "runs", params(ShowQuery), responses((status = 200, body = RunAnswer)))]
pub(crate) async fn show(
    State(app): State<App>,
    Id(run): Id,
    Query(query): Query<ShowQuery>,
) -> Answer<Response> {
    let row = app.row(run).await?;
    if query.format == RunFormat::Row {
        return Ok(json(&StoredRun::new(row, app.state.orchestrator.is_moving(run))));
    }
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
    let Whereabouts { worktree, branch } = app.state.desk.whereabouts(&row);
    let worktree = worktree.map(|path| path.display().to_string());
    let detail = RunDetail::new(
        &row,
        state,
        app.state.orchestrator.is_moving(run),
        app.state.config.log_retention_days,
    );
    Ok(json(&RunDetail { worktree, branch: branch.or_else(|| detail.branch.clone()), ..detail }))
}
