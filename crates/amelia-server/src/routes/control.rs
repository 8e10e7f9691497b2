//! Start, pause, resume, cancel, remove. What is answered here is durable; the work itself continues behind it.

use amelia_core::budget::Budget;
use amelia_core::human::{HumanAction, HumanReply, HumanRequest};
use amelia_core::id::{RequestId, RunId};
use amelia_core::run::RunStatus;
use amelia_core::store::RunFilter;
use amelia_core::view::RunRow;
use amelia_orchestrator::orchestrator::CommandError;
use amelia_wire::error::Code;
use amelia_wire::rest::request::{Accepted, Batch, BatchStarted, LimitName, Limits, Resume, Say};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::accepted;
use crate::error::{ApiError, ApiResult, json};
use crate::request::{JsonBody, RunIdPath};
use crate::state::App;

/// Starts a queued run.
#[utoipa::path(post, path = "/{id}/start", tag = "runs", responses((status = 202, body = Accepted)))]
pub(crate) async fn start(State(app): State<App>, RunIdPath(run): RunIdPath) -> ApiResult<Response> {
    if app.row(run).await?.view.status == RunStatus::Failed {
        let failed = ApiError::new(Code::WrongState, format!("run {run} has failed"));
        return Err(failed.hint(format!("POST /api/workflows/{run}/resume tries again")));
    }
    app.state.orchestrator.launch(run).await?;
    accepted(&app, StatusCode::ACCEPTED, run).await
}

/// Pauses a run immediately, until it is resumed.
#[utoipa::path(post, path = "/{id}/pause", tag = "runs", responses((status = 202, body = Accepted)))]
pub(crate) async fn pause(State(app): State<App>, RunIdPath(run): RunIdPath) -> ApiResult<Response> {
    app.state.orchestrator.pause(run).await?;
    accepted(&app, StatusCode::ACCEPTED, run).await
}

/// Sends a message to a run. An agent gets it as soon as possible, or when the run continues.
#[utoipa::path(post, path = "/{id}/say", tag = "runs", request_body = Say,
    responses((status = 202, body = Accepted)))]
pub(crate) async fn say(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    body: JsonBody,
) -> ApiResult<Response> {
    let Say { message } = body.read::<Say>()?;
    app.state.orchestrator.say(run, message.trim()).await?;
    accepted(&app, StatusCode::ACCEPTED, run).await
}

/// Resumes a paused or interrupted run, or retries a failed one; optionally with new limits.
#[utoipa::path(post, path = "/{id}/resume", tag = "runs", request_body = Option<Resume>,
    responses((status = 202, body = Accepted)))]
pub(crate) async fn resume(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    body: JsonBody,
) -> ApiResult<Response> {
    let told = body.read::<Resume>()?;
    let row = app.row(run).await?;
    if told.budget.is_some() || !told.off.is_empty() {
        let wanted = Limits { budget: told.budget.unwrap_or_default(), off: told.off };
        app.state.orchestrator.limit(run, limited(&app, &row, &wanted)?).await?;
    }
    match row.view.status {
        RunStatus::Failed => app.state.orchestrator.launch(run).await?,
        // Resumed before, and queued; or a fork, which begins in the middle.
        RunStatus::Pending if row.view.resume.is_some() || row.run.spec.forked_from.is_some() => {
            app.state.orchestrator.launch(run).await?;
        }
        RunStatus::Waiting(_) => {
            let is_stop = |request: &&HumanRequest| !request.kind.is_asked_by_node();
            let stops: Vec<RequestId> =
                row.view.pending.iter().filter(is_stop).map(|request| request.id).collect();
            if stops.is_empty() {
                let waits = ApiError::new(Code::WrongState, format!("run {run} is waiting for an answer"));
                return Err(waits.hint(super::human::way_out(&app, &row)));
            }
            for request in stops {
                let at = app.now();
                let (action, by) = (HumanAction::Approve, None);
                let reply = HumanReply { request, action, at, by, message: None, updates: None, grant: None };
                app.state.orchestrator.reply(run, reply).await?;
            }
        }
        RunStatus::Pending => {
            let pending = ApiError::new(Code::WrongState, format!("run {run} has not started"));
            return Err(pending.hint(super::human::way_out(&app, &row)));
        }
        // No worker moves it: the process that did is gone.
        RunStatus::Running if !app.state.orchestrator.is_moving(run) => {
            app.state.orchestrator.launch(run).await?;
        }
        RunStatus::Running => return Err(CommandError::AlreadyStarted(run).into()),
        RunStatus::Completed | RunStatus::Cancelled => return Err(CommandError::Ended(run).into()),
    }
    accepted(&app, StatusCode::ACCEPTED, run).await
}

/// Changes the limits of a run that is not running. Absent limits stay as they are.
#[utoipa::path(post, path = "/{id}/limits", tag = "runs", request_body = Limits,
    responses((status = 202, body = Accepted)))]
pub(crate) async fn limits(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    body: JsonBody,
) -> ApiResult<Response> {
    let wanted = body.read::<Limits>()?;
    let row = app.row(run).await?;
    app.state.orchestrator.limit(run, limited(&app, &row, &wanted)?).await?;
    accepted(&app, StatusCode::ACCEPTED, run).await
}

/// Replaces the checks of a run that is not running with the current checks of its profile.
#[utoipa::path(post, path = "/{id}/checks-from-profile", tag = "runs", responses((status = 202, body = Accepted)))]
pub(crate) async fn checks_from_profile(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
) -> ApiResult<Response> {
    let row = app.row(run).await?;
    let checks = app.state.service.profile_checks(&row).await?;
    app.state.orchestrator.replace_checks(run, checks).await?;
    accepted(&app, StatusCode::ACCEPTED, run).await
}

/// Replaces the agents of a run that is not running with the current agents of its profile.
#[utoipa::path(post, path = "/{id}/agents-from-profile", tag = "runs", responses((status = 202, body = Accepted)))]
pub(crate) async fn agents_from_profile(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
) -> ApiResult<Response> {
    let row = app.row(run).await?;
    let agents = app.state.service.profile_agents(&row).await?;
    app.state.orchestrator.replace_agents(run, agents).await?;
    accepted(&app, StatusCode::ACCEPTED, run).await
}

/// The limits of a run as a person wants them now. Those of the server cannot be taken off.
fn limited(app: &App, row: &RunRow, wanted: &Limits) -> ApiResult<Budget> {
    let ceiling = app.state.config.budgets.per_run;
    if LimitName::take_off(&wanted.off, ceiling) != ceiling {
        let message = format!("the server limits every run to {ceiling}");
        return Err(ApiError::new(Code::Invalid, message).hint("change the server's budgets.per_run"));
    }
    let left = LimitName::take_off(&wanted.off, row.budget());
    Ok(Budget::from(wanted.budget).or(left).at_most(ceiling))
}

/// Cancels a run in any state. Its work is kept.
#[utoipa::path(post, path = "/{id}/cancel", tag = "runs", responses((status = 202, body = Accepted)))]
pub(crate) async fn cancel(State(app): State<App>, RunIdPath(run): RunIdPath) -> ApiResult<Response> {
    app.state.orchestrator.cancel(run).await?;
    accepted(&app, StatusCode::ACCEPTED, run).await
}

/// Hides an ended run from lists. Nothing else changes, and `reference` still finds it.
#[utoipa::path(post, path = "/{id}/archive", tag = "runs", responses((status = 202, body = Accepted)))]
pub(crate) async fn archive(State(app): State<App>, RunIdPath(run): RunIdPath) -> ApiResult<Response> {
    app.state.orchestrator.archive(run, true).await?;
    accepted(&app, StatusCode::ACCEPTED, run).await
}

/// Shows an archived run in lists again.
#[utoipa::path(post, path = "/{id}/unarchive", tag = "runs", responses((status = 202, body = Accepted)))]
pub(crate) async fn unarchive(State(app): State<App>, RunIdPath(run): RunIdPath) -> ApiResult<Response> {
    app.state.orchestrator.archive(run, false).await?;
    accepted(&app, StatusCode::ACCEPTED, run).await
}

/// Deletes a run, and cancels it first if it is active. Branches and worktrees are not touched.
#[utoipa::path(delete, path = "/{id}", tag = "runs", responses((status = 204, description = "removed")))]
pub(crate) async fn remove(State(app): State<App>, RunIdPath(run): RunIdPath) -> ApiResult<Response> {
    if !app.row(run).await?.view.status.is_final() {
        match app.state.orchestrator.cancel(run).await {
            // It ended by itself in this moment.
            Ok(()) | Err(CommandError::Ended(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    app.state.orchestrator.runs().remove(run).await?;
    app.logs.forget(run);
    app.folds.forget(run);
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Starts queued runs: those in `ids`, or all.
#[utoipa::path(post, path = "/start-batch", tag = "runs", request_body = Option<Batch>,
    responses((status = 200, body = BatchStarted)))]
pub(crate) async fn start_batch(State(app): State<App>, body: JsonBody) -> ApiResult<Response> {
    let Batch { ids, worktree } = body.shape()?;
    let runs = match ids {
        Some(ids) => ids.into_iter().map(RunId).collect(),
        None => created(&app).await?,
    };
    let mut batch = BatchStarted::default();
    for run in runs {
        let row = app.row(run).await;
        let is_elsewhere = row.as_ref().is_ok_and(|row| {
            let place = row.run.spec.place.as_ref().map(|place| place.repository.to_string_lossy());
            worktree.as_deref().is_some_and(|worktree| place.as_deref() != Some(worktree))
        });
        if is_elsewhere {
            continue;
        }
        match app.state.orchestrator.launch(run).await.map_err(ApiError::from) {
            Ok(()) => batch.started.push(run.0),
            Err(refusal) => drop(batch.errors.insert(run.to_string(), refusal.info().message)),
        }
    }
    Ok(json(&batch))
}

/// Runs that were only created, oldest first.
async fn created(app: &App) -> ApiResult<Vec<RunId>> {
    let rows = app.store().runs(&RunFilter { unfinished: true, ..RunFilter::default() }).await?;
    let mut runs: Vec<_> = rows
        .iter()
        .filter(|row| row.view.status == RunStatus::Pending && row.view.queued_at.is_none())
        .map(|row| (row.run.created_at, row.run.id))
        .collect();
    runs.sort();
    Ok(runs.into_iter().map(|(_, run)| run).collect())
}
