//! Commits that a run has made and names in its log. A person or an agent can take them off the branch: the run says so
//! and claims nothing that is not there.

use std::fmt;

use amelia_core::problem::{Hinted, Problem};
use amelia_core::shell_word::path_word;
use amelia_core::workplace::{CommitOutcome, WorkplaceError};

use super::{GitWorkplace, broken};

/// A commit of the run is not on its branch any more: which one, and what to do about it.
#[derive(Debug)]
pub(crate) struct LostCommit(pub(super) Problem);

impl std::error::Error for LostCommit {}

impl fmt::Display for LostCommit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Hinted for LostCommit {
    fn hint(&self) -> Option<String> {
        self.0.hint.clone()
    }
}

impl From<LostCommit> for WorkplaceError {
    fn from(LostCommit(problem): LostCommit) -> Self {
        Self(problem)
    }
}

impl GitWorkplace {
    /// What came of a commit that was made now, or was not needed: an agent may have committed its work itself.
    pub(super) async fn made(&self, commit: Option<String>) -> Result<CommitOutcome, WorkplaceError> {
        let since = self.last_commit().unwrap_or_else(|| self.worktree.base_commit.clone());
        let own = self.repository.own_commits(&self.worktree, &since).await.map_err(broken)?;
        let Some(commit) = commit.or_else(|| own.last().map(|own| own.commit.clone())) else {
            return Ok(CommitOutcome::Nothing);
        };
        self.note_commit(&commit)?;
        let unpublished = self.repository.unpublished(&self.worktree).await.map_err(broken)?;
        Ok(CommitOutcome::Made { commit, own, unpublished })
    }

    fn last_commit(&self) -> Option<String> {
        match &self.worktrees {
            Some(worktrees) => worktrees.last_commit(&self.worktree),
            None => self.own.as_ref().and_then(|own| own.last_commit()),
        }
    }

    /// Whether the last commit that was made here is still there. What it is made of is there with it.
    pub(crate) async fn check_commits(&self) -> Result<Result<(), LostCommit>, WorkplaceError> {
        let Some(commit) = self.last_commit() else { return Ok(Ok(())) };
        match self.repository.holds(&self.worktree, &commit).await.map_err(broken)? {
            true => Ok(Ok(())),
            false => Ok(Err(self.lost(&commit))),
        }
    }

    /// Notes a commit, so that it is missed when it is gone.
    pub(super) fn note_commit(&self, commit: &str) -> Result<(), WorkplaceError> {
        match &self.worktrees {
            Some(worktrees) => worktrees.remember_commit(&self.worktree, commit).map_err(broken),
            None => self.own.as_ref().map_or(Ok(()), |own| own.committed(commit)),
        }
    }

    fn lost(&self, commit: &str) -> LostCommit {
        let branch =
            self.worktree.branch.as_deref().map_or("HEAD".to_owned(), |name| format!("branch {name}"));
        let git = format!("git -C {} merge", path_word(&self.worktree.path));
        let problem = Problem::new(format!("commit {commit} of run {} is no longer on {branch}", self.run));
        LostCommit(problem.with_hint(format!(
            "`{git} {commit}` puts it back; `{git} --strategy=ours {commit}` keeps the files as they are now; then resume the run"
        )))
    }
}
