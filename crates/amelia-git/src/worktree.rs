//! A place to work in.

use std::path::PathBuf;

/// A place to work in, and where its work began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    pub path: PathBuf,
    /// Nothing when HEAD is detached.
    pub branch: Option<String>,
    /// Fixed when it was made: the user's branch may move, this does not.
    pub base_commit: String,
}
