//! What a worktree holds, as something that can be kept and made again elsewhere: a patch, and the name of the tree that
//! comes of it.

use std::path::Path;

use amelia_core::workplace::WorktreeContents;
use amelia_process::git::DIFF_FLAGS;
use tempfile::TempDir;

use crate::error::GitError;
use crate::git::Git;
use crate::repository::{Repository, index_of};
use crate::worktree::Worktree;

/// No change that is kept is larger. A patch of a large binary file takes longer to make than its commit.
const LARGEST: u64 = 16 * 1024 * 1024;

impl Repository {
    /// Everything in a worktree, committed or not, since its base.
    pub async fn tree(&self, worktree: &Worktree) -> Result<WorktreeContents, GitError> {
        let (_scratch, git) = staged(&self.git, worktree).await?;
        let tree = git.text(&["write-tree"]).await?;
        let on = worktree.base_commit.clone();
        if size_of_change(&git, &on, &tree).await? > LARGEST {
            return Err(too_large());
        }
        let args = ["diff-tree", "-r", "--binary", "--full-index", "--no-renames", &on, &tree];
        let args: Vec<&str> =
            args.into_iter().take(1).chain(DIFF_FLAGS).chain(args.into_iter().skip(1)).collect();
        let patch = git.run(&args, LARGEST).await?;
        if patch.is_cut {
            return Err(too_large());
        }
        Ok(WorktreeContents { on, tree, patch: patch.bytes })
    }

    /// Makes a tree again from its patch, without touching any checkout; its name, for comparison.
    pub async fn remake(&self, tree: &WorktreeContents) -> Result<String, GitError> {
        let scratch = tempfile::tempdir().map_err(GitError::io(self.root()))?;
        let git: Git = self.git.with_index(scratch.path().join("index"));
        git.text(&["read-tree", &tree.on]).await?;
        let patch: &Path = &scratch.path().join("patch");
        std::fs::write(patch, &tree.patch).map_err(GitError::io(patch))?;
        if !tree.patch.is_empty() {
            let path = patch.to_string_lossy().into_owned();
            git.text(&["apply", "--cached", "--binary", "--whitespace=nowarn", &path]).await?;
        }
        git.text(&["write-tree"]).await
    }
}

/// Git with everything of a worktree in an index of its own, which lives as long as its directory.
pub(crate) async fn staged(git: &Git, worktree: &Worktree) -> Result<(TempDir, Git), GitError> {
    let scratch = tempfile::tempdir().map_err(GitError::io(&worktree.path))?;
    let git = git.at(&worktree.path);
    let index = index_of(&git).await?;
    let copy = scratch.path().join("index");
    // Without one, git makes it.
    tokio::fs::copy(&index, &copy).await.ok();
    let git = git.with_index(&copy);
    git.text(&["add", "--all", "--", "."]).await?;
    Ok((scratch, git))
}

fn too_large() -> GitError {
    GitError::Git {
        command: "diff-tree".to_owned(),
        message: format!("the change is larger than {LARGEST} bytes, and was not saved"),
    }
}

/// Bytes of all files that are changed, as they are now: a patch is not much smaller.
async fn size_of_change(git: &Git, on: &str, tree: &str) -> Result<u64, GitError> {
    let files = git.pieces(&["diff-tree", "-r", "--name-only", "--no-renames", "-z", on, tree]).await?;
    let sizes = files.iter().filter_map(|file| git.dir().join(file).symlink_metadata().ok());
    Ok(sizes.map(|found| found.len()).sum())
}
