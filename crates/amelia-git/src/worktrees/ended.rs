//! What is left of a run that has ended: its worktree, those of its parts, and branches that hold nothing.

use std::path::Path;

use amelia_core::workplace::UncommittedWork;

use super::{Worktree, Worktrees, name, note};
use crate::error::GitError;

impl Worktrees {
    /// The worktree of a run and those of its parts, as far as they are there.
    pub async fn of_run(&self, run: &str) -> Result<Vec<Worktree>, GitError> {
        let whole = self.path_of(run);
        let name = whole.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let part = format!("{name}-");
        let is_its = |worktree: &Worktree| {
            let name = worktree.path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
            worktree.path == whole || name.starts_with(&part)
        };
        Ok(self.list().await?.into_iter().filter(is_its).collect())
    }

    /// Refuses when work would be lost with a worktree, or a person has locked it.
    pub async fn check_removable(&self, worktree: &Worktree) -> Result<(), GitError> {
        self.refuse_locked(&worktree.path).await?;
        match worktree.path.exists() {
            true => self.refuse_to_lose(&worktree.path).await,
            false => Ok(()),
        }
    }

    /// Whether its branch is where it began, so that nothing is in it that is not elsewhere.
    pub async fn is_branch_empty(&self, worktree: &Worktree) -> Result<bool, GitError> {
        let Some(branch) = &worktree.branch else { return Ok(false) };
        let name = format!("refs/heads/{branch}");
        match self.repository.git.text(&["rev-parse", "--verify", "--quiet", &name]).await {
            Ok(tip) => Ok(tip == worktree.base_commit),
            // It is gone, or was never made.
            Err(GitError::Git { .. }) => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// Removes a worktree in which nothing was changed, with its branch, and remembers that it was so. Of a branch that has
    /// commits, the last one is remembered.
    pub async fn remove_unchanged(&self, worktree: &Worktree) -> Result<(), GitError> {
        if !self.is_branch_empty(worktree).await? {
            let last = self.tip_of(worktree).await;
            return last.map_or(Ok(()), |last| note::remember(worktree, Some(&last)));
        }
        if self.check_removable(worktree).await.is_err() {
            return Ok(());
        }
        // First, so that what is asked about the run from now on is answered without it.
        note::keep_branch(&worktree.path, "", None)?;
        self.remove_with_empty_branch(worktree, UncommittedWork::Keep).await.map(drop)
    }

    /// Remembers of a run that it needs no worktree, and so changes nothing.
    pub fn note_unchanged(dir: &Path, run: &str) -> Result<(), GitError> {
        note::keep_branch(&dir.join(name::safe(run)), "", None)
    }

    /// The last commit on the branch of a run when the run had completed or its worktree was removed.
    #[must_use]
    pub fn noted_commit(dir: &Path, run: &str) -> Option<String> {
        note::last_commit(&dir.join(name::safe(run)))
    }

    /// Whether a run has left nothing: [`Worktrees::remove_unchanged`] has removed its worktree, or it never had one.
    #[must_use]
    pub fn was_unchanged(dir: &Path, run: &str) -> bool {
        note::was_unchanged(&dir.join(name::safe(run)))
    }

    /// Removes a worktree, and its branch when that holds nothing; says whether the branch went.
    pub async fn remove_with_empty_branch(
        &self,
        worktree: &Worktree,
        unsaved: UncommittedWork,
    ) -> Result<bool, GitError> {
        let is_empty = self.is_branch_empty(worktree).await?;
        let last = self.tip_of(worktree).await;
        self.remove(worktree, unsaved).await?;
        note::forget(&worktree.path)?;
        let Some(branch) = &worktree.branch else { return Ok(false) };
        // Only if it is still where it began: a person may have committed in between.
        if is_empty && self.repository.delete_branch(branch, &worktree.base_commit).await? {
            return Ok(true);
        }
        note::keep_branch(&worktree.path, branch, last.as_deref()).map(|()| false)
    }

    /// The last commit on the branch of a worktree, as far as git says so.
    async fn tip_of(&self, worktree: &Worktree) -> Option<String> {
        self.repository.branch_tip(worktree.branch.as_deref()?).await.ok()
    }
}
