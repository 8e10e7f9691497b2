//! Runs, to look at.

use std::collections::BTreeMap;
use std::sync::Arc;

use amelia_core::id::RunId;
use amelia_core::view::RunRow;
use amelia_orchestrator::run_retention::days_kept;
use amelia_orchestrator::service::{self, DiffDetail, RunWorktree, ServiceError};
use amelia_wire::amelia::state::fold::{Extent, StateFold};
use amelia_wire::amelia::state::shown::{StateSources, shown};
use amelia_wire::amelia::v1;
use amelia_wire::rest::Page;
use amelia_wire::rest::delivery::{MergedShown, UndoneWay};
use amelia_wire::rest::estimate::CostEstimate;
use amelia_wire::rest::flat_run::FlatRun;
use amelia_wire::rest::outcome::RunOutcome;
use amelia_wire::rest::run::{
    Include, RunAnswer, RunDetail, RunFormat, RunListed, RunQuery, RunSummary, ShowQuery, StoredRun,
};
use axum::extract::State;
use axum::response::Response;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::error::{ApiResult, json};
use crate::request::{Query, RunIdPath};
use crate::state::App;

/// Lists runs, newest first.
#[utoipa::path(get, path = "/", tag = "runs", params(RunQuery), responses((status = 200, body = Page<RunListed>)))]
pub(crate) async fn list(State(app): State<App>, Query(query): Query<RunQuery>) -> ApiResult<Response> {
    match query.format {
        RunFormat::Shown | RunFormat::V1 if query.undone => Ok(json(&with_undone(&app, &query).await?)),
        RunFormat::Shown | RunFormat::V1 => Ok(json(&app.catalogue.list(&query).await?)),
        RunFormat::Flat => {
            let shown = |row, undone, by_hand| flat(&app, row, undone, by_hand);
            Ok(json(&each_of(&app, &query, shown).await?))
        }
        RunFormat::Row => {
            let stored = |row: RunRow, undone, merged_by_hand| {
                let worker = app.worker(row.run.id);
                StoredRun { merged_by_hand, ..StoredRun::new(row, worker, undone) }
            };
            Ok(json(&each_of(&app, &query, stored).await?))
        }
    }
}

/// The list, with how merges were undone. Runs that were not merged cost nothing.
async fn with_undone(app: &App, query: &RunQuery) -> ApiResult<Page<Arc<RawValue>>> {
    let Page { items, next_cursor } = app.catalogue.list_with_merges(query).await?;
    let mut rows = Vec::new();
    for summary in items.iter().filter_map(|(_, summary)| summary.as_ref()) {
        rows.extend(app.store().run(RunId(summary.id)).await?);
    }
    let undone = app.state.service.undone_merges(&rows.iter().collect::<Vec<_>>()).await;
    let shown = |summary: Option<RunSummary>| {
        let mut summary = summary?;
        let how = undone.get(&RunId(summary.id))?;
        summary.merged.as_mut()?.undone = Some((*how).into());
        // What was written once can be written again.
        to_raw_value(&summary).ok().map(Arc::from)
    };
    let items = items.into_iter().map(|(json, summary)| shown(summary).unwrap_or(json)).collect();
    Ok(Page { items, next_cursor })
}

/// Runs as they are shown, each with how its merge was undone, and, if that is asked for, the branch that a person has
/// merged it into.
async fn each_of<T>(
    app: &App,
    query: &RunQuery,
    show: impl Fn(RunRow, Option<UndoneWay>, Option<String>) -> T,
) -> ApiResult<Page<T>> {
    let Page { items: ids, next_cursor } = app.catalogue.ids(query).await?;
    let mut rows = Vec::with_capacity(ids.len());
    for id in ids {
        // One that was removed in this moment is not there.
        rows.extend(app.store().run(id).await?);
    }
    let all: Vec<&RunRow> = rows.iter().collect();
    let undone = app.state.service.undone_merges(&all).await;
    let mut by_hand = match query.undone {
        true => app.state.service.merged_by_hand(&all).await,
        false => BTreeMap::new(),
    };
    let shown = |row: RunRow| {
        let run = row.run.id;
        show(row, undone.get(&run).copied().map(Into::into), by_hand.remove(&run))
    };
    Ok(Page { items: rows.into_iter().map(shown).collect(), next_cursor })
}

/// How the merge of a run was undone.
pub(super) async fn undone_merge(app: &App, row: &RunRow) -> Option<UndoneWay> {
    app.state.service.undone_merges(&[row]).await.remove(&row.run.id).map(Into::into)
}

/// A run for scripts. A merge that was undone is none, and one of a person is one.
fn flat(app: &App, mut row: RunRow, undone: Option<UndoneWay>, by_hand: Option<String>) -> FlatRun {
    if undone.is_some() || by_hand.is_some() {
        row.view.merged = None;
    }
    let RunWorktree { worktree, branch } = app.state.service.whereabouts(&row);
    let worktree = worktree.map(|path| path.display().to_string());
    let worker = app.worker(row.run.id);
    let run = FlatRun::new(&row, &worker, worktree, branch);
    let active_ms = worker.running_ms(&row.view, app.now());
    FlatRun { merged_into: run.merged_into.or(by_hand), active_ms, ..run }
}

/// Returns a run.
#[utoipa::path(get, path = "/{id}", tag = "runs", params(ShowQuery), responses((status = 200, body = RunAnswer)))]
pub(crate) async fn show(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    Query(query): Query<ShowQuery>,
) -> ApiResult<Response> {
    let row = app.row(run).await?;
    if query.format == RunFormat::Row {
        let undone = undone_merge(&app, &row).await;
        // Another run costs no look.
        let merged_by_hand = match (&row.view.merged, undone) {
            (Some(_), None) => app.state.service.merged_by_hand(&[&row]).await.remove(&run),
            _ => None,
        };
        return Ok(json(&StoredRun { merged_by_hand, ..StoredRun::new(row, app.worker(run), undone) }));
    }
    if query.format == RunFormat::Flat {
        let undone = undone_merge(&app, &row).await;
        let by_hand = app.state.service.merged_by_hand(&[&row]).await.remove(&row.run.id);
        return Ok(json(&flat(&app, row, undone, by_hand)));
    }
    let state = match app.state.service.state(&row, None).await {
        Ok(state) => state,
        // It has not begun.
        Err(ServiceError::NotFound(_)) => Value::Null,
        // Everything else can be shown, and a person who looks for a fault wants to see it.
        Err(error) => {
            tracing::warn!(%run, "its state cannot be read: {error}");
            Value::Null
        }
    };
    let changes = changes_of(&app, &row, query).await;
    if query.format == RunFormat::V1 {
        // It has every message.
        let mut events = Vec::new();
        app.logs.each(run, |event| events.push(event)).await?;
        return Ok(json(&v1::state::shown(&row, &events, &state, changes)));
    }
    let system_prompt = app.state.service.system_prompt(&row).await;
    let sources = StateSources { state: &state, changes, system_prompt };
    let show = |fold: &StateFold| (shown(&row, fold, sources), fold.token_usage());
    let (pipeline_state, token_usage) = if query.include == Some(Include::State) {
        let mut fold = StateFold::new(Extent::Whole);
        app.logs.each(run, |event| fold.apply(&event)).await?;
        show(&fold)
    } else {
        app.folds.look(run, show).await?
    };
    let RunWorktree { worktree, branch } = app.state.service.whereabouts(&row);
    let worktree = worktree.map(|path| path.display().to_string());
    // What is wrong with its file is reported where it is applied.
    let policy = (app.state.retention_policy)().unwrap_or_default();
    let detail = RunDetail::new(&row, state, &app.worker(run), days_kept(policy.as_ref(), &row));
    let branch = branch.or_else(|| detail.branch.clone());
    let mut outcome = detail.outcome.clone().map(|outcome| RunOutcome { branch: branch.clone(), ..outcome });
    if let Some(outcome) = &mut outcome
        && let Some(merged) = outcome.merged.take()
    {
        outcome.merged = as_it_is_now(&app, &row, merged).await;
    }
    let estimate = estimate(&app, &row).await?;
    Ok(json(&RunDetail { worktree, branch, outcome, pipeline_state, token_usage, estimate, ..detail }))
}

/// A merge as the repository is now. If its commit is gone, and another one has brought the changes, there is none: the
/// diff names the branch that has them.
async fn as_it_is_now(app: &App, row: &RunRow, merged: MergedShown) -> Option<MergedShown> {
    let undone = undone_merge(app, row).await;
    if undone.is_none() && has_another_merge(app, row).await {
        return None;
    }
    Some(MergedShown { undone, undo: app.state.service.merge_undo(row).await, ..merged })
}

/// Whether the branch has the changes of a merged run, but not the commit of its merge.
async fn has_another_merge(app: &App, row: &RunRow) -> bool {
    app.state.service.merged_by_hand(&[row]).await.contains_key(&row.run.id)
}

/// What the plan that waits for an approval will probably cost.
async fn estimate(app: &App, row: &RunRow) -> ApiResult<Option<CostEstimate>> {
    let tasks = row.view.pending.iter().find_map(|request| request.context.get("tasks")?.as_u64());
    let Some(tasks) = tasks.and_then(|tasks| u32::try_from(tasks).ok()) else { return Ok(None) };
    let spec = &row.run.spec;
    let past = app.catalogue.past_runs(spec.graph.as_str(), spec.profile.as_deref()).await?;
    Ok(CostEstimate::new(tasks, spec.profile.as_deref(), &past))
}

/// The changes of a run, when they are asked for and can be had.
async fn changes_of(app: &App, row: &RunRow, query: ShowQuery) -> Option<String> {
    if query.include != Some(Include::State) {
        return None;
    }
    let changes = app.state.service.changes(row, &service::DiffRange::Now, DiffDetail::Whole).await;
    changes.ok().map(|changes| changes.diff)
}
