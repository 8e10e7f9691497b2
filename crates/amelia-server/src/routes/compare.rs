//! Two runs side by side.

use amelia_core::id::RunId;
use amelia_orchestrator::service::{DiffDetail, DiffRange};
use amelia_wire::rest::compare::{CompareQuery, Compared, ComparedRun, JudgedWork};
use axum::extract::State;
use axum::response::Response;

use super::runs::undone_merge;
use super::travel::changed;
use crate::error::{ApiResult, json};
use crate::request::Query;
use crate::state::App;

/// Compares two runs: plan, changes, checks, cost and time.
#[utoipa::path(get, path = "/compare", tag = "time", params(CompareQuery),
    responses((status = 200, body = Compared)))]
pub(crate) async fn compare(
    State(app): State<App>,
    Query(CompareQuery { a, b }): Query<CompareQuery>,
) -> ApiResult<Response> {
    let (a, b) = (side(&app, RunId(a)).await?, side(&app, RunId(b)).await?);
    Ok(json(&Compared::new(a, b)))
}

async fn side(app: &App, run: RunId) -> ApiResult<ComparedRun> {
    let row = app.row(run).await?;
    // A run that has not begun has no state; one whose place is gone has no diff. The rest can be compared.
    let state = app.state.service.state(&row, None).await.unwrap_or_default();
    let changes = app.state.service.changes(&row, &DiffRange::Now, DiffDetail::Files).await;
    let files = changes.ok().map(|changes| changed(changes.files));
    let mut judged = JudgedWork::default();
    app.logs.each(run, |event| judged.apply(&event)).await?;
    let mut side = ComparedRun::new(&row, &app.worker(run), &state, &judged, files);
    if let Some(merged) = &mut side.run.merged {
        merged.undone = undone_merge(app, &row).await;
    }
    Ok(side)
}
