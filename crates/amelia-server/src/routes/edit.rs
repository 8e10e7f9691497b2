//! The state of a run, shown and changed.

use amelia_core::run::RunStatus;
use amelia_core::view::RunRow;
use amelia_orchestrator::orchestrator::CommandError;
use amelia_wire::rest::travel::{ChangedField, EditState, StateShown};
use axum::extract::State;
use axum::response::Response;

use crate::error::{ApiResult, json};
use crate::request::{JsonBody, RunIdPath};
use crate::state::App;

/// Returns the current state of a run.
#[utoipa::path(get, path = "/{id}/state", tag = "time", responses((status = 200, body = StateShown)))]
pub(crate) async fn show(State(app): State<App>, RunIdPath(run): RunIdPath) -> ApiResult<Response> {
    let row = app.row(run).await?;
    shown(&app, &row, Vec::new()).await
}

/// Changes fields of the state of a run that waits for a person, is paused or has failed. It continues with the new values.
#[utoipa::path(post, path = "/{id}/state", tag = "time", request_body = EditState,
    responses((status = 200, body = StateShown)))]
pub(crate) async fn change(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    body: JsonBody,
) -> ApiResult<Response> {
    let EditState { set, user_id } = body.shape()?;
    let changed = app.state.orchestrator.edit_state(run, set, user_id).await?;
    let row = app.row(run).await?;
    shown(&app, &row, changed.into_iter().map(ChangedField::from).collect()).await
}

async fn shown(app: &App, row: &RunRow, changed: Vec<ChangedField>) -> ApiResult<Response> {
    let all = app.store().checkpoints(row.run.id).await?;
    let last = all.last().ok_or(CommandError::NoState(row.run.id))?;
    let state = app.state.service.state(row, Some(last.number)).await?;
    Ok(json(&StateShown { checkpoint: last.number, state, can_edit: can_edit(row), changed }))
}

fn can_edit(row: &RunRow) -> bool {
    match row.view.status {
        RunStatus::Pending | RunStatus::Running => !row.view.is_wanted(),
        RunStatus::Waiting(_) | RunStatus::Failed => true,
        RunStatus::Completed | RunStatus::Cancelled => false,
    }
}
