//! The change of a run goes into a branch or a pull request. What is answered here was done, and is in the log.

use amelia_core::event::DeliveryEvent;
use amelia_orchestrator::service::{MergeOptions, PullRequestOptions};
use amelia_wire::rest::delivery::{Merge, MergeAnswer, OpenPullRequest, PullRequestDetail, PullRequestShown};
use axum::extract::State;
use axum::response::Response;

use crate::error::{ApiError, ApiResult, json};
use crate::request::{JsonBody, RunIdPath};
use crate::state::App;

/// Merges the changes of a completed run into the branch that it started from, or into another branch.
/// If there are merge conflicts, or if uncommitted changes would be overwritten, it returns an error and changes
/// nothing.
#[utoipa::path(post, path = "/{id}/merge", tag = "runs", request_body = Option<Merge>,
    responses((status = 200, body = MergeAnswer)))]
pub(crate) async fn merge(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    body: JsonBody,
) -> ApiResult<Response> {
    let Merge { into, method, delete_branch } = body.read::<Merge>()?;
    let options = MergeOptions { into, method: method.into(), delete_branch };
    let report = app
        .state
        .orchestrator
        .deliver(run, async |row| {
            let report = app.state.service.merge(row, &options).await?;
            Ok::<_, ApiError>((DeliveryEvent::Merged(report.change.clone()), report))
        })
        .await?;
    Ok(json(&MergeAnswer { merged: (&report.change).into(), undo: report.undo, notes: report.notes }))
}

/// Pushes the branch of a completed run and opens a pull request.
/// If there is one already, it returns that one.
#[utoipa::path(post, path = "/{id}/pull-request", tag = "runs", request_body = Option<OpenPullRequest>,
    responses((status = 200, body = PullRequestShown)))]
pub(crate) async fn open_pull_request(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    body: JsonBody,
) -> ApiResult<Response> {
    let OpenPullRequest { base, draft } = body.read::<OpenPullRequest>()?;
    let options = PullRequestOptions { base, is_draft: draft };
    let opened = app
        .state
        .orchestrator
        .deliver(run, async |row| {
            let opened = app.state.service.open_pull_request(row, &options).await?;
            Ok::<_, ApiError>((DeliveryEvent::PullRequestOpened(opened.clone()), opened))
        })
        .await?;
    Ok(json(&PullRequestShown::from(&opened)))
}

/// Returns the state, checks and reviews of a run's pull request.
#[utoipa::path(get, path = "/{id}/pull-request", tag = "runs",
    responses((status = 200, body = PullRequestDetail)))]
pub(crate) async fn pull_request(State(app): State<App>, RunIdPath(run): RunIdPath) -> ApiResult<Response> {
    let row = app.row(run).await?;
    let state = app.state.service.pull_request(&row).await?;
    Ok(json(&PullRequestDetail::from(state)))
}
