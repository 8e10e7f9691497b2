//! What a run has made and where it has been: plan, diff, files, graph, checkpoints, forks.

use amelia_core::checkpoint::CheckpointInfo;
use amelia_core::id::Seq;
use amelia_core::workplace::FileChange;
use amelia_orchestrator::service::{
    DefinitionSource, DiffDetail, DiffRange, PlanVersion, RunDiff, ShownPlan,
};
use amelia_wire::error::Code;
use amelia_wire::maf::checkpoint as maf;
use amelia_wire::rest::request::Accepted;
use amelia_wire::rest::run::stages;
use amelia_wire::rest::travel::{
    ChangedFile, CheckpointAnswer, CheckpointDetail, CheckpointFormat, CheckpointListed, CheckpointQuery,
    CheckpointsQuery, Diff, DiffQuery, Drawing, FileQuery, FileSource, ForkRequest, PlanAnswer, PlanRevision,
    PlanShown,
};
use amelia_wire::rest::{ListQuery, Page};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use super::accepted;
use super::start::is_below;
use crate::error::{ApiError, ApiResult, json};
use crate::request::{JsonBody, NumberPath, Query, RunIdPath};
use crate::state::App;

const MARKDOWN: &str = "text/markdown";

/// Returns the current plan: of a run of a team as `plan.json`, of others as `{"plan"}`. With `Accept: text/markdown`, the
/// response is Markdown.
#[utoipa::path(get, path = "/{id}/plan", tag = "work", responses((status = 200, content(
    (PlanAnswer = "application/json"), (String = "text/markdown")))))]
pub(crate) async fn plan(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let row = app.row(run).await?;
    let plan = app.state.service.plan(&row).await?;
    let ShownPlan { markdown: plan, document } =
        plan.ok_or_else(|| ApiError::new(Code::NotFound, format!("run {run} has no plan yet")))?;
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    Ok(match document {
        _ if accepted.is_some_and(|kinds| kinds.contains(MARKDOWN)) => {
            ([(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], plan).into_response()
        }
        Some(document) => json(&document),
        None => json(&PlanShown { plan }),
    })
}

/// Lists every version of the plan, oldest first.
#[utoipa::path(get, path = "/{id}/plans", tag = "work", params(ListQuery),
    responses((status = 200, body = Page<PlanRevision>)))]
pub(crate) async fn plans(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    Query(query): Query<ListQuery>,
) -> ApiResult<Response> {
    let row = app.row(run).await?;
    let plans = app.state.service.plans(&row).await?;
    Ok(json(&Page::slice((1..).zip(plans).map(revision).collect(), &query)))
}

fn revision((revision, version): (u32, PlanVersion)) -> PlanRevision {
    let PlanVersion { checkpoint, seq, at, plan, problems, feedback } = version;
    PlanRevision { revision, checkpoint, sequence: seq.0, created_at: at, plan, problems, feedback }
}

/// Returns what a run has changed since its base, committed or not; at an earlier moment, or by one task.
#[utoipa::path(get, path = "/{id}/diff", tag = "work", params(DiffQuery),
    responses((status = 200, body = Diff)))]
pub(crate) async fn diff(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    Query(query): Query<DiffQuery>,
) -> ApiResult<Response> {
    let row = app.row(run).await?;
    let detail = if query.stat { DiffDetail::Files } else { DiffDetail::Whole };
    let extent = match (query.at, query.task) {
        (None, None) => DiffRange::Now,
        (Some(at), None) => DiffRange::At(Seq(at.get())),
        (None, Some(task)) => DiffRange::Task(task),
        (Some(_), Some(_)) => {
            return Err(ApiError::new(Code::Invalid, "task: either `at` or `task`, not both"));
        }
    };
    let changes = app.state.service.changes(&row, &extent, detail).await?;
    let RunDiff { diff, is_cut, files, uncommitted, branch, worktree, merged_into } = changes;
    let (files, worktree) = (changed(files), worktree.display().to_string());
    Ok(json(&Diff { diff, is_cut, files, uncommitted, branch, worktree, merged_into }))
}

pub(super) fn changed(files: Vec<FileChange>) -> Vec<ChangedFile> {
    let file = |FileChange { path, lines }| {
        let (added, removed) = lines.unzip();
        ChangedFile { path, added, removed }
    };
    files.into_iter().map(file).collect()
}

/// Returns a file in the run's worktree, or one that a tool returned.
#[utoipa::path(get, path = "/{id}/files", tag = "work", params(FileQuery),
    responses((status = 200, description = "the content of the file", body = String, content_type = "text/plain")))]
pub(crate) async fn file(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    Query(query): Query<FileQuery>,
) -> ApiResult<Response> {
    let row = app.row(run).await?;
    // The service holds paths to the worktree, links included. What is plainly outside does not even get there.
    if !is_below(&query.path) {
        return Err(ApiError::new(Code::Invalid, "path: must be a relative path without `..`"));
    }
    let bytes = match query.from {
        FileSource::Worktree => app.state.service.file(&row, &query.path).await?,
        FileSource::Results => app.state.service.result_file(&row, &query.path).await?,
    };
    // Never as a page: it may hold anything that a model wrote.
    let kind = match std::str::from_utf8(&bytes) {
        Ok(_) => "text/plain; charset=utf-8",
        Err(_) => "application/octet-stream",
    };
    Ok(([(header::CONTENT_TYPE, kind), (header::CONTENT_SECURITY_POLICY, "sandbox")], bytes).into_response())
}

/// Returns the graph of a run, and where the run is in it.
#[utoipa::path(get, path = "/{id}/graph", tag = "work", responses((status = 200, body = Drawing)))]
pub(crate) async fn graph(State(app): State<App>, RunIdPath(run): RunIdPath) -> ApiResult<Response> {
    let row = app.row(run).await?;
    let graph = app.state.service.graph(&row).await?;
    let active = row.view.active_nodes().map(ToString::to_string).collect();
    Ok(json(&Drawing { graph, active, stages: stages(&row) }))
}

/// Lists the checkpoints of a run, oldest first. With `format=004`, each has its state.
#[utoipa::path(get, path = "/{id}/checkpoints", tag = "time", params(CheckpointsQuery),
    responses((status = 200, body = Page<CheckpointListed>)))]
pub(crate) async fn checkpoints(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    Query(query): Query<CheckpointsQuery>,
) -> ApiResult<Response> {
    let row = app.row(run).await?;
    let CheckpointsQuery { limit, cursor, format } = query;
    let all = app.store().checkpoints(run).await?;
    let Page { items, next_cursor } = Page::slice(all, &ListQuery { limit, cursor });
    let mut listed = Vec::new();
    for info in items {
        listed.push(match format {
            CheckpointFormat::Shown => CheckpointListed::Shown(info.into()),
            CheckpointFormat::Maf => {
                let state = match info.is_damaged {
                    true => Value::Null,
                    false => app.state.service.state(&row, Some(info.number)).await?,
                };
                CheckpointListed::Maf(maf::checkpoint(run, &info, state))
            }
        });
    }
    Ok(json(&Page { items: listed, next_cursor }))
}

/// Returns a checkpoint with its state.
#[utoipa::path(get, path = "/{id}/checkpoints/{number}", tag = "time", params(CheckpointQuery),
    responses((status = 200, body = CheckpointAnswer)))]
pub(crate) async fn checkpoint(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    NumberPath(number): NumberPath,
    Query(shape): Query<CheckpointQuery>,
) -> ApiResult<Response> {
    let row = app.row(run).await?;
    let all = app.store().checkpoints(run).await?;
    let is_whole = |info: &&CheckpointInfo| info.number < number && !info.is_damaged;
    let whole = all.iter().rev().find(is_whole).map(|info| info.number);
    let info = find_checkpoint(all, number)?;
    let warning = whole.filter(|_| info.is_damaged).map(|whole| {
        format!("checkpoint {number} is damaged: this is the state of checkpoint {whole}, the last intact one before it")
    });
    let state = app.state.service.state(&row, Some(number)).await?;
    Ok(json(&match shape.format {
        CheckpointFormat::Shown => {
            CheckpointAnswer::Shown(CheckpointDetail { summary: info.into(), state, warning })
        }
        CheckpointFormat::Maf => CheckpointAnswer::Maf(maf::checkpoint(run, &info, state)),
    }))
}

/// Creates a run from a checkpoint. It does not start until `start` or `resume`.
#[utoipa::path(post, path = "/{id}/fork", tag = "time", request_body = ForkRequest,
    responses((status = 201, body = Accepted)))]
pub(crate) async fn fork(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    body: JsonBody,
) -> ApiResult<Response> {
    let request: ForkRequest = body.shape()?;
    let row = app.row(run).await?;
    let all = app.store().checkpoints(run).await?;
    find_checkpoint(all, request.at)?;
    let definition = match request.definition_from_file {
        true => DefinitionSource::File,
        false => DefinitionSource::Run,
    };
    let forked = app.state.service.fork(&row, request.at, &request.edits(), definition).await?;
    app.state.orchestrator.runs().announce(forked).await?;
    accepted(&app, StatusCode::CREATED, forked).await
}

fn find_checkpoint(all: Vec<CheckpointInfo>, number: u32) -> ApiResult<CheckpointInfo> {
    let last = all.iter().map(|info| info.number).max();
    all.into_iter().find(|info| info.number == number).ok_or_else(|| {
        let missing = ApiError::new(Code::NotFound, format!("there is no checkpoint {number}"));
        match last {
            Some(last) => {
                missing.hint(format!("the run has checkpoints up to {last}; `amelia checkpoints` lists them"))
            }
            None => missing.hint("the run has no checkpoint yet"),
        }
    })
}
