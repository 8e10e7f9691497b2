//! Parts of a workplace: worktrees of their own for tasks that are worked on at the same time.

use std::sync::Arc;

use amelia_core::workplace::{Workplace, WorkplaceError};
use amelia_git::{Worktree, Worktrees};
use amelia_tools::Root;

use super::GitWorkplace;

impl GitWorkplace {
    pub(super) fn divisible(&self) -> Result<&Worktrees, WorkplaceError> {
        let refused = || WorkplaceError("work in place cannot be divided".into());
        self.worktrees.as_ref().ok_or_else(refused)
    }

    /// The name of a part's directory.
    pub(super) fn part_name(&self, key: &str) -> String {
        format!("{}-{key}", self.run)
    }

    /// What a part's branch is named after: `amelia/x` has the part `amelia/x-task-1`.
    pub(super) fn part_branch(&self, key: &str) -> String {
        let whole = self.branch().unwrap_or("part");
        format!("{}-{key}", whole.strip_prefix("amelia/").unwrap_or(whole))
    }

    /// A part, of which only the port is known.
    pub(super) fn like(&self, part: &dyn Workplace) -> Result<Self, WorkplaceError> {
        self.at(Worktree {
            path: part.path().to_owned(),
            branch: part.branch().map(str::to_owned),
            base_commit: part.base().to_owned(),
        })
    }

    /// The same surroundings in another worktree.
    pub(super) fn at(&self, worktree: Worktree) -> Result<Self, WorkplaceError> {
        let root = Root::open(&worktree.path)
            .map_err(|error| WorkplaceError(format!("{}: {error}", worktree.path.display()).into()))?;
        Ok(Self {
            run: self.run,
            repository: self.repository.clone(),
            worktrees: self.worktrees.clone(),
            worktree,
            environment: Arc::clone(&self.environment),
            root: Arc::new(root),
            copy_files: self.copy_files.clone(),
            setup: self.setup.clone(),
            trailers: self.trailers.clone(),
            own: None,
            attached: self.attached.clone(),
        })
    }
}

pub(super) fn branch_of(part: &dyn Workplace) -> Result<&str, WorkplaceError> {
    part.branch().ok_or_else(|| WorkplaceError("the part has no branch".into()))
}
