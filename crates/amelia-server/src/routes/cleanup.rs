//! Retention now, and the end of what ended runs have left on the disk.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use amelia_core::run::RunStatus;
use amelia_core::store::RunPages;
use amelia_core::view::RunRow;
use amelia_orchestrator::retention::{Retention, RetentionSweeper, is_in};
use amelia_orchestrator::run_retention::{OldRun, RunSweeper};
use amelia_orchestrator::service::{CleanupMode, Leftover, LeftoverResult, MergedBranch, UnusedAttachments};
use amelia_wire::rest::cleanup::{Cleaned, CleanedBranch, CleanedRun, CleanedWorktree, Cleanup};
use axum::extract::State;
use axum::response::Response;

use crate::error::{ApiResult, json};
use crate::request::JsonBody;
use crate::state::App;

/// Removes runs whose retention period has passed, and what other ended runs no longer need: old debug events and
/// recordings, worktrees without uncommitted changes, and attached files that no run refers to.
#[utoipa::path(post, path = "/cleanup", tag = "server", request_body = Cleanup,
    responses((status = 200, body = Cleaned)))]
pub(crate) async fn cleanup(State(app): State<App>, body: JsonBody) -> ApiResult<Response> {
    let Cleanup { dry_run, merged_branches, repository } = body.shape()?;
    let repository = repository.as_deref();
    // One that cannot be read is refused before anything is removed.
    (app.state.retention_policy)()?;
    let config = &app.state.config;
    let retention =
        Retention { days: config.log_retention_days, max_events: config.log_retention_max_events };
    let store = Arc::clone(app.state.orchestrator.runs().store());
    let mut keeper = RetentionSweeper::new(store, Arc::clone(&app.state.clock), retention);
    let (events, how) = match dry_run {
        true => (keeper.due(repository).await?, CleanupMode::Look),
        false => (keeper.sweep(repository).await?, CleanupMode::Remove),
    };
    if !dry_run {
        app.folds.forget_all();
    }
    let mut worktrees: Vec<CleanedWorktree> = Vec::new();
    let mut branches: Vec<CleanedBranch> = Vec::new();
    let of_branches = if merged_branches { how } else { CleanupMode::Look };
    let mut pages = RunPages::new(app.store());
    while let Some(mut rows) = pages.next().await? {
        rows.retain(|row| is_over(row) && is_in(row, repository));
        let left = app.state.service.tidy(&rows, how).await?;
        worktrees.extend(left.into_iter().map(|left| shown(left, &rows)));
        let merged = app.state.service.merged_branches(&rows, of_branches).await?;
        branches.extend(merged.into_iter().map(|merged| shown_branch(merged, &rows)));
    }
    // Last: the merged branch of a run that is gone could not be found any more.
    let old = old_runs(&app, how, repository).await?;
    for one in old.iter().filter(|one| !is_over(&one.row)) {
        let rows = std::slice::from_ref(&one.row);
        worktrees.extend(one.left.iter().cloned().map(|left| shown(left, rows)));
    }
    let runs = old.into_iter().map(|one| shown_run(one, how)).collect();
    let bytes = worktrees.iter().filter(|worktree| worktree.removed).map(|worktree| worktree.bytes).sum();
    // They belong to no run, and so to no repository.
    let unused = match repository {
        None => app.state.service.tidy_attachments(how).await?,
        Some(_) => UnusedAttachments::default(),
    };
    Ok(json(&Cleaned {
        dry_run,
        events,
        bytes,
        worktrees,
        attachments: unused.count,
        attachment_bytes: unused.bytes,
        merged_branches: branches,
        runs,
    }))
}

/// Whole runs that have been kept long enough.
async fn old_runs(app: &App, how: CleanupMode, repository: Option<&Path>) -> ApiResult<Vec<OldRun>> {
    let sweeper = RunSweeper {
        runs: app.state.orchestrator.runs().clone(),
        service: Arc::clone(&app.state.service),
        policy: Arc::clone(&app.state.retention_policy),
        clock: Arc::clone(&app.state.clock),
    };
    let old = sweeper.sweep(how, repository).await?;
    if how == CleanupMode::Remove {
        old.iter().for_each(|one| app.logs.forget(one.row.run.id));
    }
    Ok(old)
}

fn shown_run(old: OldRun, how: CleanupMode) -> CleanedRun {
    let OldRun { row, days, left: _, kept_because } = old;
    CleanedRun {
        workflow_id: row.run.id.0,
        short_id: row.run.number.to_string(),
        repository: repository_of(&row),
        title: row.run.spec.title,
        label: row.run.spec.label,
        days,
        removed: kept_because.is_none() && how == CleanupMode::Remove,
        kept_because,
    }
}

/// For good: a failed run may be tried again, and continues where it was.
fn is_over(row: &RunRow) -> bool {
    match row.view.status {
        RunStatus::Completed | RunStatus::Cancelled => true,
        RunStatus::Pending | RunStatus::Running | RunStatus::Waiting(_) | RunStatus::Failed => false,
    }
}

fn repository_of(row: &RunRow) -> Option<PathBuf> {
    row.run.spec.place.as_ref().map(|place| place.repository.clone())
}

fn shown_branch(merged: MergedBranch, rows: &[RunRow]) -> CleanedBranch {
    let MergedBranch { run, branch, into, is_deleted } = merged;
    let repository = rows.iter().find(|row| row.run.id == run).and_then(repository_of);
    CleanedBranch { workflow_id: run.0, repository, branch, into, deleted: is_deleted }
}

fn shown(left: Leftover, rows: &[RunRow]) -> CleanedWorktree {
    let row = rows.iter().find(|row| row.run.id == left.run);
    let (removed, branch_removed, kept_because) = match left.fate {
        LeftoverResult::Removed { with_branch } => (true, with_branch, None),
        LeftoverResult::Kept { why } => (false, false, Some(why)),
    };
    CleanedWorktree {
        workflow_id: left.run.0,
        short_id: row.map(|row| row.run.number.to_string()).unwrap_or_default(),
        repository: row.and_then(repository_of),
        path: left.path.display().to_string(),
        branch: left.branch,
        bytes: left.bytes,
        removed,
        branch_removed,
        ignored: left.ignored,
        kept_because,
    }
}
