//! The end of a worktree. Never the end of work: what is in no commit, or in a commit that nothing holds, stays.

use std::ffi::OsString;
use std::path::Path;

use amelia_core::workplace::UncommittedWork;

use super::registered::Registered;
use super::{Worktree, Worktrees, hidden, nested};
use crate::error::GitError;
use crate::git::Git;
use crate::ignoring::without_plans;
use crate::repository::{branch_of, changed};

impl Worktrees {
    /// Removes a worktree and keeps its branch. Ignored files are not work: [`Worktrees::ignored`] lists them.
    pub async fn remove(&self, worktree: &Worktree, unsaved: UncommittedWork) -> Result<(), GitError> {
        let Some(found) = self.registered(&worktree.path).await? else {
            return Err(GitError::InTheWay { path: worktree.path.clone() });
        };
        found.refuse_locked()?;
        match unsaved {
            UncommittedWork::Discard => {}
            UncommittedWork::Keep if !worktree.path.exists() => {}
            UncommittedWork::Keep => self.refuse_to_lose(&worktree.path).await?,
        }
        self.forget(&worktree.path).await
    }

    pub(crate) async fn refuse_to_lose(&self, path: &Path) -> Result<(), GitError> {
        let git = self.repository.git.at(path);
        let files = changed(&git).await?;
        if !files.is_empty() {
            return Err(GitError::Dirty { path: path.to_path_buf(), files });
        }
        let files = hidden::changed(&git).await?;
        if !files.is_empty() {
            return Err(GitError::Hidden { path: path.to_path_buf(), files });
        }
        nested::refuse_to_lose(&git).await?;
        if branch_of(&git).await?.is_some() || is_held(&git).await? {
            return Ok(());
        }
        let commit = git.text(&["rev-parse", "HEAD"]).await?;
        Err(GitError::Unreachable { path: path.to_path_buf(), commit })
    }

    /// What git ignores in a worktree and goes with it, a directory by its own name.
    pub async fn ignored(&self, worktree: &Worktree) -> Result<Vec<String>, GitError> {
        if !worktree.path.exists() {
            return Ok(Vec::new());
        }
        let args = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"];
        let found = self.repository.git.at(&worktree.path).pieces(&args).await?;
        let found = found.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        Ok(without_plans(&worktree.path, found))
    }

    /// Refuses when a person has locked a worktree.
    pub(crate) async fn refuse_locked(&self, path: &Path) -> Result<(), GitError> {
        self.registered(path).await?.map_or(Ok(()), |found| found.refuse_locked())
    }

    /// Only what repositories inside have.
    pub(crate) async fn refuse_to_lose_inside(&self, path: &Path) -> Result<(), GitError> {
        nested::refuse_to_lose(&self.repository.git.at(path)).await
    }

    /// Removes directory and registration. Twice `--force`: git asks for it where there are submodules, and where an
    /// unfinished try left a lock. Whether anything can be lost has been decided before.
    pub(super) async fn forget(&self, path: &Path) -> Result<(), GitError> {
        let mut args: Vec<OsString> =
            ["worktree", "remove", "--force", "--force", "--"].map(OsString::from).into();
        args.push(path.into());
        self.repository.git.text(&args).await.map(drop)
    }

    /// Removes what is unfinished or gone; says on which branch it was.
    pub(super) async fn clear(&self, found: Registered) -> Result<Option<String>, GitError> {
        self.forget(&found.path).await?;
        Ok(found.branch)
    }
}

async fn is_held(git: &Git) -> Result<bool, GitError> {
    let args = ["for-each-ref", "--contains", "HEAD", "--count=1", "refs/heads", "refs/tags", "refs/remotes"];
    Ok(!git.text(&args).await?.is_empty())
}
