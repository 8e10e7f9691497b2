//! Where the change of a run goes: merges and pull requests.

use amelia_core::config::problem::{ProblemReport, Validate};
use amelia_core::delivery as core;
use amelia_core::tracker::{self, PullRequestCheckOutcome, PullRequestStatus, PullRequestVerdict};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::read::Incoming;

/// How commits are merged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum MergeWay {
    /// A fast-forward if possible, otherwise a merge commit.
    #[default]
    Merge,
    /// One commit with all changes.
    Squash,
    /// Each commit, rebased onto the branch.
    Rebase,
}

impl From<MergeWay> for core::MergeMethod {
    fn from(way: MergeWay) -> Self {
        match way {
            MergeWay::Merge => Self::Merge,
            MergeWay::Squash => Self::Squash,
            MergeWay::Rebase => Self::Rebase,
        }
    }
}

impl From<core::MergeMethod> for MergeWay {
    fn from(method: core::MergeMethod) -> Self {
        match method {
            core::MergeMethod::Merge => Self::Merge,
            core::MergeMethod::Squash => Self::Squash,
            core::MergeMethod::Rebase => Self::Rebase,
        }
    }
}

/// `POST …/merge`
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct Merge {
    /// Branch to merge into. Default: the branch that the run started from.
    #[cfg_attr(test, ts(optional))]
    pub into: Option<String>,
    pub method: MergeWay,
    /// Delete the branch and the worktree of the run afterwards.
    pub delete_branch: bool,
}

impl Incoming for Merge {
    type Core = Self;

    fn into_core(self, _: &mut ProblemReport) -> Self {
        self
    }
}

impl Validate for Merge {
    fn check(&self, report: &mut ProblemReport) {
        if let Some(into) = &self.into {
            report.filled("into", into);
        }
    }
}

/// A merge of a run's changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MergedShown {
    pub branch: String,
    pub into: String,
    pub method: MergeWay,
    /// The commit of the branch before the merge.
    pub before: String,
    pub commit: String,
    pub branch_deleted: bool,
    /// Shell command that undoes the merge; `null` for an old run. Of a single run, also `null` if the branch has newer commits.
    #[serde(default)]
    #[schema(required)]
    pub undo: Option<String>,
    /// How the merge was undone; `null` if it was not. Lists in the default format look only with `?undone=true`.
    #[serde(default)]
    #[schema(required)]
    pub undone: Option<UndoneWay>,
}

/// How a merge was undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum UndoneWay {
    /// The branch no longer has the commits.
    Removed,
    /// The branch has commits that revert them.
    Reverted,
}

impl From<core::UndoneMerge> for UndoneWay {
    fn from(undone: core::UndoneMerge) -> Self {
        match undone {
            core::UndoneMerge::Removed => Self::Removed,
            core::UndoneMerge::Reverted => Self::Reverted,
        }
    }
}

impl From<&core::MergedChange> for MergedShown {
    fn from(change: &core::MergedChange) -> Self {
        let core::MergedChange { method, branch, into, before, commit, branch_deleted, undo, head: _ } =
            change.clone();
        Self { branch, into, method: method.into(), before, commit, branch_deleted, undo, undone: None }
    }
}

/// The result of a merge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MergeAnswer {
    pub merged: MergedShown,
    /// Shell command that undoes the merge.
    pub undo: String,
    /// Further notes, such as commits of the branch that the run has not seen.
    pub notes: Vec<String>,
}

/// `POST …/pull-request`
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct OpenPullRequest {
    /// Branch to merge into. Default: the branch that the run started from.
    #[cfg_attr(test, ts(optional))]
    pub base: Option<String>,
    pub draft: bool,
}

impl Incoming for OpenPullRequest {
    type Core = Self;

    fn into_core(self, _: &mut ProblemReport) -> Self {
        self
    }
}

impl Validate for OpenPullRequest {
    fn check(&self, report: &mut ProblemReport) {
        if let Some(base) = &self.base {
            report.filled("base", base);
        }
    }
}

/// The pull request of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PullRequestShown {
    pub number: u64,
    pub url: String,
    pub branch: String,
    #[schema(required)]
    pub base: Option<String>,
    pub draft: bool,
}

impl From<&core::OpenedPullRequest> for PullRequestShown {
    fn from(opened: &core::OpenedPullRequest) -> Self {
        let core::OpenedPullRequest { number, url, branch, base, is_draft } = opened.clone();
        Self { number, url, branch, base, draft: is_draft }
    }
}

/// The current state of a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PullRequestDetail {
    pub number: u64,
    pub url: String,
    pub title: String,
    /// `draft`, `open`, `merged` or `closed`.
    pub status: String,
    pub base: String,
    /// `null` if the host does not know yet.
    #[schema(required)]
    pub has_conflicts: Option<bool>,
    pub checks: Vec<PullRequestCheckShown>,
    pub reviews: Vec<PullRequestReviewShown>,
    #[schema(required)]
    pub merge_commit: Option<String>,
}

/// A check of the newest commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PullRequestCheckShown {
    pub name: String,
    /// `running`, `passed`, `failed` or `skipped`.
    pub outcome: String,
    #[schema(required)]
    pub url: Option<String>,
}

/// The latest review of a reviewer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PullRequestReviewShown {
    pub author: String,
    /// `approved`, `changes_requested`, `commented` or `dismissed`.
    pub verdict: String,
}

impl From<tracker::PullRequestState> for PullRequestDetail {
    fn from(state: tracker::PullRequestState) -> Self {
        let checks = state.checks.into_iter().map(|check| PullRequestCheckShown {
            name: check.name,
            outcome: outcome(check.outcome).to_owned(),
            url: check.url,
        });
        let reviews = state.reviews.into_iter().map(|review| PullRequestReviewShown {
            author: review.author,
            verdict: verdict(review.verdict).to_owned(),
        });
        Self {
            number: state.number,
            url: state.url,
            title: state.title,
            status: status(state.status).to_owned(),
            base: state.base,
            has_conflicts: state.has_conflicts,
            checks: checks.collect(),
            reviews: reviews.collect(),
            merge_commit: state.merge_commit,
        }
    }
}

fn status(status: PullRequestStatus) -> &'static str {
    match status {
        PullRequestStatus::Draft => "draft",
        PullRequestStatus::Open => "open",
        PullRequestStatus::Merged => "merged",
        PullRequestStatus::Closed => "closed",
    }
}

fn outcome(outcome: PullRequestCheckOutcome) -> &'static str {
    match outcome {
        PullRequestCheckOutcome::Running => "running",
        PullRequestCheckOutcome::Passed => "passed",
        PullRequestCheckOutcome::Failed => "failed",
        PullRequestCheckOutcome::Skipped => "skipped",
    }
}

fn verdict(verdict: PullRequestVerdict) -> &'static str {
    match verdict {
        PullRequestVerdict::Approved => "approved",
        PullRequestVerdict::ChangesRequested => "changes_requested",
        PullRequestVerdict::Commented => "commented",
        PullRequestVerdict::Dismissed => "dismissed",
    }
}
