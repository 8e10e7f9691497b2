//! What ended runs have left, and what became of it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// `POST /cleanup`
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct Cleanup {
    /// Only list what would be removed.
    pub dry_run: bool,
    /// Also delete the branches of merged runs.
    pub merged_branches: bool,
    /// Only clean up after the runs of the repository with this root directory. Without it: after all runs, and attached files
    /// that no run refers to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub repository: Option<PathBuf>,
}

/// What was removed, or would be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Cleaned {
    pub dry_run: bool,
    /// Number of debug events, of old or long logs.
    pub events: usize,
    /// Disk space of the removed worktrees.
    pub bytes: u64,
    pub worktrees: Vec<CleanedWorktree>,
    /// Number of attached files that no run refers to.
    #[serde(default)]
    pub attachments: usize,
    /// Disk space of these files.
    #[serde(default)]
    pub attachment_bytes: u64,
    /// Merged branches. Deleted only if the request says so.
    pub merged_branches: Vec<CleanedBranch>,
    /// Runs whose retention period has passed.
    #[serde(default)]
    pub runs: Vec<CleanedRun>,
}

/// A run whose retention period has passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CleanedRun {
    pub workflow_id: Uuid,
    /// Short id, such as `r12`.
    pub short_id: String,
    /// The root directory of its repository.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub repository: Option<PathBuf>,
    pub title: String,
    #[schema(required)]
    pub label: Option<String>,
    /// Retention period, in days after its end.
    pub days: u32,
    pub removed: bool,
    /// Why the run was not removed.
    #[schema(required)]
    pub kept_because: Option<String>,
}

/// The branch of a merged run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CleanedBranch {
    pub workflow_id: Uuid,
    /// The root directory of the repository.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub repository: Option<PathBuf>,
    pub branch: String,
    /// The branch that it was merged into.
    pub into: String,
    pub deleted: bool,
}

/// A worktree of a run that has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CleanedWorktree {
    pub workflow_id: Uuid,
    #[serde(default)]
    pub short_id: String,
    /// The root directory of the repository.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub repository: Option<PathBuf>,
    pub path: String,
    #[schema(required)]
    pub branch: Option<String>,
    pub bytes: u64,
    pub removed: bool,
    /// Whether its branch was removed as well, because it had no commits of its own.
    pub branch_removed: bool,
    /// Files that git ignores, and directories (with a trailing slash). They are removed with the worktree.
    #[serde(default)]
    pub ignored: Vec<String>,
    /// Why the worktree was not removed.
    #[schema(required)]
    pub kept_because: Option<String>,
}
