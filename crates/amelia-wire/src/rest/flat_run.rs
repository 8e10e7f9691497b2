//! A run for scripts: one object without parts, each field always there. What is not known is `null`.

use amelia_core::delivery::OpenedPullRequest;
use amelia_core::view::RunRow;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::usage::Spent;
use super::why::{Worker, why};
use crate::status::Status;

/// `GET /workflows?format=flat`, and the object that `--json` prints for a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FlatRun {
    pub id: Uuid,
    /// Short id, such as `r12`.
    pub short_id: String,
    pub title: String,
    pub status: Status,
    /// What the run is waiting for: `approval`, `question`, `budget`, …; `null` when it has ended for good.
    #[schema(required)]
    pub waiting_for: Option<String>,
    /// The same as a sentence.
    #[schema(required)]
    pub reason: Option<String>,
    #[schema(required)]
    pub issue: Option<String>,
    pub pipeline: String,
    #[schema(required)]
    pub profile: Option<String>,
    #[schema(required)]
    pub repository: Option<String>,
    /// Path of its worktree, as long as it has one.
    #[schema(required)]
    pub worktree: Option<String>,
    #[schema(required)]
    pub branch: Option<String>,
    pub created_at: Timestamp,
    #[schema(required)]
    pub started_at: Option<Timestamp>,
    #[schema(required)]
    pub updated_at: Option<Timestamp>,
    #[schema(required)]
    pub ended_at: Option<Timestamp>,
    /// Running time, without the time that the run waited or was interrupted.
    pub active_ms: u64,
    /// The current task of the plan.
    #[schema(required)]
    pub task: Option<String>,
    pub model_calls: u64,
    pub tokens: u64,
    /// Cost of the calls whose price is known; `null` if no price is known.
    #[schema(required)]
    pub cost_usd: Option<f64>,
    #[schema(required)]
    pub error: Option<String>,
    #[schema(required)]
    pub error_code: Option<String>,
    #[schema(required)]
    pub summary: Option<String>,
    /// The branch that its changes were merged into; `null` if that was undone. Lists find what was merged with git itself
    /// only with `?undone=true`.
    #[schema(required)]
    pub merged_into: Option<String>,
    #[schema(required)]
    pub merge_commit: Option<String>,
    #[schema(required)]
    pub pull_request: Option<u64>,
    #[schema(required)]
    pub pull_request_url: Option<String>,
    /// The run that it was forked from.
    #[schema(required)]
    pub forked_from: Option<Uuid>,
    pub is_archived: bool,
}

impl FlatRun {
    /// A run, with its worktree and its branch, which its log does not know.
    #[must_use]
    pub fn new(row: &RunRow, worker: &Worker, worktree: Option<String>, branch: Option<String>) -> Self {
        let RunRow { run, view } = row;
        let spec = &run.spec;
        let (waiting_for, reason) = why(row, worker).map(|why| (why.waiting_for, why.message)).unzip();
        let spent = Spent::from(view.spend);
        let (merged_into, merge_commit) =
            view.merged.as_ref().map(|merged| (merged.into.clone(), merged.commit.clone())).unzip();
        let opened = view.pull_request.as_ref();
        let (pull_request, pull_request_url) =
            opened.map(|OpenedPullRequest { number, url, .. }| (*number, url.clone())).unzip();
        let (error, error_code) =
            view.failure.as_ref().map(|failure| (failure.message.clone(), failure.code.clone())).unzip();
        Self {
            id: run.id.0,
            short_id: run.number.to_string(),
            title: spec.title.clone(),
            status: view.status.into(),
            waiting_for,
            reason,
            issue: issue_of(row),
            pipeline: spec.graph.to_string(),
            profile: spec.profile.clone(),
            repository: spec.place.as_ref().map(|place| place.repository.display().to_string()),
            worktree,
            branch,
            created_at: run.created_at,
            started_at: view.started_at,
            updated_at: view.updated_at,
            ended_at: view.ended_at,
            active_ms: view.active_ms,
            task: view.task.as_ref().map(|task| task.title.clone()),
            model_calls: spent.calls,
            tokens: spent.tokens,
            cost_usd: spent.known_cost(),
            error,
            error_code,
            summary: view.summary.clone(),
            merged_into,
            merge_commit,
            pull_request,
            pull_request_url,
            forked_from: spec.forked_from.map(|from| from.run.0),
            is_archived: view.is_archived,
        }
    }
}

/// The issue's key, as the request gave it.
pub(super) fn issue_of(row: &RunRow) -> Option<String> {
    let input = &row.run.spec.input;
    let found =
        ["/issue_id", "/issue/id", "/wanted/issue"].iter().find_map(|path| input.pointer(path)?.as_str());
    found.filter(|issue| !issue.is_empty()).map(str::to_owned)
}
