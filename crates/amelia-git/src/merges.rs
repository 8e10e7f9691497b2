//! Parts of a run's work come together: merged once and whole, or not at all.

use std::path::PathBuf;

use amelia_core::workplace::{ConflictedMerge, MergeOutcome, UncommittedWork};
use amelia_process::git::DIFF_FLAGS;

use crate::commits::{NewCommit, find};
use crate::error::GitError;
use crate::git::Git;
use crate::repository::{Repository, changed};
use crate::worktree::Worktree;
use crate::worktree_lock::with_worktree_lock;
use crate::worktrees::Worktrees;

impl Repository {
    /// Takes the commits of `branch` over into a worktree in which no one works. An earlier merge with the same `marker`
    /// is the same merge; one that was interrupted is taken back and made again.
    pub async fn merge(
        &self,
        worktree: &Worktree,
        branch: &str,
        commit: NewCommit<'_>,
    ) -> Result<MergeOutcome, GitError> {
        let git = with_worktree_lock(&self.git.at(&worktree.path)).await?;
        let begun = mark(&git).await?;
        if begun.exists() {
            // The tree was clean when it began: what is not committed is half a merge, of this part or another.
            clean(&git, "HEAD").await?;
            unmark(&begun)?;
        }
        if let Some(commit) = find(&git, &worktree.base_commit, commit.marker).await? {
            return Ok(MergeOutcome::Made { commit });
        }
        let files = changed(&git).await?;
        if !files.is_empty() {
            return Err(GitError::Dirty { path: worktree.path.clone(), files });
        }
        if holds(&git, branch).await? {
            return Ok(MergeOutcome::Nothing);
        }
        std::fs::write(&begun, branch).map_err(GitError::io(&begun))?;
        let merged = whole(&git, branch, &commit.text()).await?;
        unmark(&begun).map(|()| merged)
    }

    /// Whether a branch has a commit in its history.
    pub async fn has_commit(&self, branch: &str, commit: &str) -> Result<bool, GitError> {
        self.git.is_ancestor(commit, &format!("refs/heads/{branch}")).await
    }

    /// Whether a worktree stands at a commit, or further.
    pub async fn holds(&self, worktree: &Worktree, commit: &str) -> Result<bool, GitError> {
        holds(&self.git.at(&worktree.path), commit).await
    }

    /// Begins a merge in a worktree in which no one has worked yet, and leaves it open to be finished.
    pub async fn open_merge(
        &self,
        worktree: &Worktree,
        branch: &str,
        limit: u64,
    ) -> Result<ConflictedMerge, GitError> {
        let git = with_worktree_lock(&self.git.at(&worktree.path)).await?;
        clean(&git, &worktree.base_commit).await?;
        let begun = git.text(&["merge", "--quiet", "--no-ff", "--no-commit", "--", branch]).await;
        let files = unmerged(&git).await?;
        match begun {
            Err(GitError::Git { .. }) if !files.is_empty() => {}
            begun => drop(begun?),
        }
        let args: Vec<&str> = ["diff"].into_iter().chain(DIFF_FLAGS).chain(["--diff-filter=U"]).collect();
        let shown = git.run(&args, limit).await?;
        Ok(ConflictedMerge { files, text: String::from_utf8_lossy(&shown.bytes).into_owned() })
    }
}

impl Worktrees {
    /// Ends the worktree of `run`, a part of the work in `into`: the directory goes, and the branch if `into` has all of
    /// it. What is gone is gone.
    pub async fn close(&self, run: &str, into: &Worktree, unsaved: UncommittedWork) -> Result<(), GitError> {
        // Under the lock of the whole: the part's own would go with it.
        let whole = with_worktree_lock(&self.repository.git.at(&into.path)).await?;
        let Some(part) = self.find(run).await? else { return Ok(()) };
        let git = whole.at(&part.path);
        self.refuse_locked(&part.path).await?;
        match unsaved {
            UncommittedWork::Keep => self.refuse_to_lose(&part.path).await?,
            // The whole may have taken over a link to a commit that only the part's submodule has.
            UncommittedWork::Discard => {
                self.refuse_to_lose_inside(&part.path).await?;
                clean(&git, "HEAD").await?;
            }
        }
        if let Some(branch) = &part.branch {
            git.text(&["checkout", "--quiet", "--detach"]).await?;
            // Refused when it holds what nothing else holds: then it stays. And it may be gone since an earlier try.
            match whole.text(&["branch", "--quiet", "-d", "--", branch]).await {
                Ok(_) | Err(GitError::Git { .. }) => {}
                Err(other) => return Err(other),
            }
        }
        let here = self.with(Repository { git: whole.at(self.repository.root()) });
        here.remove(&part, unsaved).await?;
        self.forget_made(&part)
    }
}

async fn whole(git: &Git, branch: &str, message: &str) -> Result<MergeOutcome, GitError> {
    let args = ["merge", "--quiet", "--no-ff", "--no-edit", "--message", message, "--", branch];
    match git.text(&args).await {
        Ok(_) => Ok(MergeOutcome::Made { commit: git.text(&["rev-parse", "HEAD"]).await? }),
        Err(GitError::Git { command, message }) => {
            let files = unmerged(git).await?;
            clean(git, "HEAD").await?;
            match files.is_empty() {
                true => Err(GitError::Git { command, message }),
                false => Ok(MergeOutcome::Conflict { files }),
            }
        }
        Err(other) => Err(other),
    }
}

/// Back to a commit, with nothing beside it but what git ignores.
async fn clean(git: &Git, commit: &str) -> Result<(), GitError> {
    git.text(&["reset", "--quiet", "--hard", commit, "--"]).await?;
    git.text(&["clean", "--quiet", "-f", "-d"]).await.map(drop)
}

async fn unmerged(git: &Git) -> Result<Vec<String>, GitError> {
    let files = git.pieces(&["diff", "--name-only", "--diff-filter=U", "-z"]).await?;
    Ok(files.iter().map(|file| file.to_string_lossy().into_owned()).collect())
}

/// Whether everything of a branch is here already. Nothing that does not exist is.
async fn holds(git: &Git, branch: &str) -> Result<bool, GitError> {
    match git.text(&["merge-base", "--is-ancestor", branch, "HEAD"]).await {
        Ok(_) => Ok(true),
        // It has no other way to say no; the merge reports a branch that does not exist.
        Err(GitError::Git { .. }) => Ok(false),
        Err(other) => Err(other),
    }
}

/// A file among git's notes about the worktree that is there as long as a merge is under way.
async fn mark(git: &Git) -> Result<PathBuf, GitError> {
    Ok(git.dir().join(git.path(&["rev-parse", "--git-path", "amelia-merging"]).await?))
}

fn unmark(mark: &PathBuf) -> Result<(), GitError> {
    match std::fs::remove_file(mark) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(GitError::io(mark)(error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
