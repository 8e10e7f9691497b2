//! A worktree as git knows it.

use std::path::PathBuf;

use crate::error::GitError;

/// A worktree that git knows, whether it is still there or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Registered {
    pub(super) path: PathBuf,
    pub(super) branch: Option<String>,
    /// Why it must not be removed, when it is locked; may be empty.
    pub(super) locked: Option<String>,
}

/// The reason by which git itself locks a worktree while it makes it.
const BY_GIT: &str = "initializing";

impl Registered {
    /// Refuses when a person has locked it.
    pub(super) fn refuse_locked(&self) -> Result<(), GitError> {
        match &self.locked {
            Some(reason) if reason != BY_GIT => {
                Err(GitError::Locked { path: self.path.clone(), reason: reason.clone() })
            }
            Some(_) | None => Ok(()),
        }
    }
}
