//! Snapshots: what a worktree held at a moment, committed or not. A fork begins with one, and a worktree that was deleted
//! is made again from the last one.
//!
//! Each is a ref to a tree, `refs/amelia/trees/<worktree>/<milliseconds>-<head>`. It shares its objects with the
//! repository, appears in no history, and goes when the worktree is removed.

use std::path::Path;

use crate::error::SandboxError;
use crate::repository::Repository;
use crate::status::DirtyFile;
use crate::trees::{LARGEST, staged};
use crate::worktrees::{Worktree, Worktrees};

const REFS: &str = "refs/amelia/trees";

/// What a worktree held at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Milliseconds since 1970.
    pub at: i64,
    /// The commit that was checked out.
    pub head: String,
    pub tree: String,
    name: String,
}

impl Snapshot {
    /// `<name of the ref> <tree>`
    fn parse(line: &str) -> Option<Self> {
        let (name, tree) = line.split_once(' ')?;
        let (at, head) = name.rsplit_once('/')?.1.split_once('-')?;
        let (name, tree, head) = (name.to_owned(), tree.to_owned(), head.to_owned());
        Some(Self { at: at.parse().ok()?, head, tree, name })
    }
}

impl Repository {
    /// Keeps what a worktree holds now, in the place of `last`, which no fork can need any more. `None` when nothing has
    /// changed since, or when the files that differ from the last commit are too large to be copied.
    pub async fn snapshot(
        &self,
        worktree: &Worktree,
        at: i64,
        dirty: &[DirtyFile],
        last: Option<&Snapshot>,
    ) -> Result<Option<Snapshot>, SandboxError> {
        if size_of(&worktree.path, dirty) > LARGEST {
            return Ok(None);
        }
        let head = self.head(worktree).await?;
        let (_scratch, git) = staged(&self.git, worktree).await?;
        let tree = git.text(&["write-tree"]).await?;
        if last.is_some_and(|last| last.tree == tree && last.head == head) {
            return Ok(None);
        }
        let name = format!("{}/{at}-{head}", refs_of(&worktree.path));
        git.text(&["update-ref", &name, &tree]).await?;
        if let Some(last) = last.filter(|last| last.name != name) {
            git.text(&["update-ref", "-d", &last.name]).await?;
        }
        Ok(Some(Snapshot { at, head, tree, name }))
    }

    /// Puts a tree into a worktree. The commit that is checked out stays.
    pub(crate) async fn fill(&self, path: &Path, tree: &str) -> Result<(), SandboxError> {
        let git = self.git.at(path);
        if git.text(&["cat-file", "-e", &format!("{tree}^{{tree}}")]).await.is_err() {
            return Err(SandboxError::SnapshotGone { tree: tree.to_owned() });
        }
        git.text(&["read-tree", "--reset", "-u", tree]).await?;
        git.text(&["reset", "--quiet"]).await.map(drop)
    }
}

impl Worktrees {
    /// Whether `commit` is `descendant`, or an ancestor of it.
    pub async fn is_ancestor(&self, commit: &str, descendant: &str) -> Result<bool, SandboxError> {
        match self.repository.git.text(&["merge-base", "--is-ancestor", commit, descendant]).await {
            Ok(_) => Ok(true),
            Err(SandboxError::Git { .. }) => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// What was kept of a run's worktree, oldest first.
    pub async fn snapshots(&self, run: &str) -> Result<Vec<Snapshot>, SandboxError> {
        let below = refs_of(&self.path_of(run));
        let args = ["for-each-ref", "--format=%(refname) %(objectname)", &below];
        let mut all: Vec<Snapshot> =
            self.repository.git.text(&args).await?.lines().filter_map(Snapshot::parse).collect();
        all.sort_by_key(|snapshot| snapshot.at);
        Ok(all)
    }

    /// The last one of a run, when it was made on top of what its branch has now.
    pub(crate) async fn last_snapshot(
        &self,
        run: &str,
        branch: Option<&str>,
    ) -> Result<Option<Snapshot>, SandboxError> {
        let Some(branch) = branch else { return Ok(None) };
        let tip = self.repository.commit(&format!("refs/heads/{branch}")).await.ok();
        let last = self.snapshots(run).await?.pop();
        Ok(last.filter(|last| Some(&last.head) == tip.as_ref()))
    }

    /// Forgets what was kept of a worktree.
    pub(crate) async fn forget_snapshots(&self, path: &Path) -> Result<(), SandboxError> {
        let git = &self.repository.git;
        let below = refs_of(path);
        for name in git.text(&["for-each-ref", "--format=%(refname)", &below]).await?.lines() {
            git.text(&["update-ref", "-d", name]).await?;
        }
        Ok(())
    }
}

fn refs_of(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    format!("{REFS}/{name}")
}

fn size_of(root: &Path, dirty: &[DirtyFile]) -> u64 {
    let found = dirty.iter().filter_map(|file| root.join(&file.path).symlink_metadata().ok());
    found.map(|found| found.len()).sum()
}
