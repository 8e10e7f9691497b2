//! What ended runs have left, and what became of it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// `POST /cleanup`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct Cleanup {
    /// Only say what would go.
    pub dry_run: bool,
    /// Also delete the branches of runs that were merged.
    pub merged_branches: bool,
}

/// What went, or would go.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Cleaned {
    pub dry_run: bool,
    /// Debug events of old or long logs.
    pub events: usize,
    /// On the disk, of the worktrees that went.
    pub bytes: u64,
    pub worktrees: Vec<CleanedWorktree>,
    /// Attached files that no run refers to.
    #[serde(default)]
    pub attachments: usize,
    /// Of these files, on the disk.
    #[serde(default)]
    pub attachment_bytes: u64,
    /// Branches that were merged: deleted if that was asked for.
    pub merged_branches: Vec<CleanedBranch>,
}

/// The branch of a run whose commits were merged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CleanedBranch {
    pub workflow_id: Uuid,
    pub branch: String,
    /// The branch that has its commits.
    pub into: String,
    pub deleted: bool,
}

/// A worktree of a run that has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CleanedWorktree {
    pub workflow_id: Uuid,
    pub path: String,
    #[schema(required)]
    pub branch: Option<String>,
    pub bytes: u64,
    pub removed: bool,
    /// It held nothing.
    pub branch_removed: bool,
    /// What git ignores in it: files, and directories with a slash at the end. It goes with the worktree.
    #[serde(default)]
    pub ignored: Vec<String>,
    /// Why it stays.
    #[schema(required)]
    pub kept_because: Option<String>,
}
