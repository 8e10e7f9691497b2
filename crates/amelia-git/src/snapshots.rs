//! Snapshots: what a worktree held at a moment, committed or not. A fork begins with one, and a worktree that was deleted
//! is made again from the last one.
//!
//! Each is a ref of the worktree itself, `refs/worktree/amelia/<milliseconds>-<head>`, to a tree. Such a ref is seen in no
//! other checkout, pushed nowhere, and removed with the worktree; its reflog keeps `git gc` from removing the tree.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::GitError;
use crate::git::Git;
use crate::repository::Repository;
use crate::status::DirtyFile;
use crate::trees::staged;
use crate::worktree::Worktree;
use crate::worktrees::Worktrees;

const REFS: &str = "refs/worktree/amelia";
/// At the end of the name of a ref: there were changes, and they could not be kept.
const MISSING: &str = "-missing";
/// Bytes of changed files that are kept. Each change of a large file is kept once more until `git gc` runs.
const LARGEST: u64 = 64 * 1024 * 1024;

/// What a worktree held at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Milliseconds since 1970.
    pub at: i64,
    /// The commit that was checked out.
    pub head: String,
    /// `None` when it could not be kept.
    pub tree: Option<String>,
    name: String,
}

impl Snapshot {
    fn new(at: i64, head: &str, tree: Option<String>) -> Self {
        let end = if tree.is_some() { "" } else { MISSING };
        Self { at, name: format!("{REFS}/{at}-{head}{end}"), head: head.to_owned(), tree }
    }

    /// `<name of the ref> <object>`
    fn parse(line: &str) -> Option<Self> {
        let (name, object) = line.split_once(' ')?;
        let (at, head) = name.rsplit_once('/')?.1.split_once('-')?;
        let tree = (!head.ends_with(MISSING)).then(|| object.to_owned());
        Some(Self::new(at.parse().ok()?, head.trim_end_matches(MISSING), tree))
    }
}

impl Repository {
    /// Keeps what a worktree holds now, in the place of `last`, which no fork can need any more. `None` when nothing has
    /// changed since. What cannot be kept is noted as such, so that no fork begins with something older.
    pub async fn snapshot(
        &self,
        worktree: &Worktree,
        at: i64,
        dirty: &[DirtyFile],
        last: Option<&Snapshot>,
    ) -> Result<Option<Snapshot>, GitError> {
        let head = self.head(worktree).await?;
        let kept = match size_of(&worktree.path, dirty) {
            size if size > LARGEST => Err(too_large(size)),
            _ => self.written_tree(worktree).await,
        };
        let (tree, problem) = match kept {
            Ok(tree) => (Some(tree), None),
            Err(error) => (None, Some(error)),
        };
        if last.is_some_and(|last| last.tree == tree && last.head == head) {
            return problem.map_or(Ok(None), Err);
        }
        let made = Snapshot::new(at, &head, tree);
        let git = self.git.at(&worktree.path);
        let object = made.tree.as_ref().unwrap_or(&made.head);
        git.text(&["update-ref", "--create-reflog", &made.name, object]).await?;
        if let Some(last) = last.filter(|last| last.name != made.name) {
            git.text(&["update-ref", "-d", &last.name]).await?;
        }
        problem.map_or(Ok(Some(made)), Err)
    }

    async fn written_tree(&self, worktree: &Worktree) -> Result<String, GitError> {
        let (_scratch, git) = staged(&self.git, worktree).await?;
        git.text(&["write-tree"]).await
    }

    /// Puts a tree into a worktree. The commit that is checked out stays.
    pub(crate) async fn fill(&self, path: &Path, tree: &str) -> Result<(), GitError> {
        let git = self.git.at(path);
        if git.text(&["cat-file", "-e", &format!("{tree}^{{tree}}")]).await.is_err() {
            return Err(GitError::SnapshotGone { tree: tree.to_owned() });
        }
        git.text(&["read-tree", "--reset", "-u", tree]).await?;
        git.text(&["reset", "--quiet"]).await?;
        // Its own from now on, even if nothing is left of the worktree that it was taken from.
        let head = git.text(&["rev-parse", "HEAD"]).await?;
        let own = Snapshot::new(now(), &head, Some(tree.to_owned()));
        git.text(&["update-ref", "--create-reflog", &own.name, tree]).await.map(drop)
    }
}

impl Worktrees {
    /// Whether `commit` is `descendant`, or an ancestor of it.
    pub async fn is_ancestor(&self, commit: &str, descendant: &str) -> Result<bool, GitError> {
        match self.repository.git.text(&["merge-base", "--is-ancestor", commit, descendant]).await {
            Ok(_) => Ok(true),
            Err(GitError::Git { .. }) => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// What was kept of a run's worktree, oldest first; nothing when the worktree was removed.
    pub async fn snapshots(&self, run: &str) -> Result<Vec<Snapshot>, GitError> {
        let Some(notes) = notes_of(&self.repository.git, &self.path_of(run)).await? else {
            return Ok(Vec::new());
        };
        let mut args = vec![OsString::from("--git-dir"), notes.into()];
        args.extend(["for-each-ref", "--format=%(refname) %(objectname)", REFS].map(OsString::from));
        let mut all: Vec<Snapshot> =
            self.repository.git.text(&args).await?.lines().filter_map(Snapshot::parse).collect();
        all.sort_by_key(|snapshot| snapshot.at);
        Ok(all)
    }

    /// The last one of a run, when it was made on top of what its branch has now, or of its last `commit` when the branch
    /// is gone.
    pub(crate) async fn last_snapshot(
        &self,
        run: &str,
        branch: Option<&str>,
        commit: Option<&str>,
    ) -> Result<Option<Snapshot>, GitError> {
        let Some(branch) = branch else { return Ok(None) };
        let tip = self.repository.commit(&format!("refs/heads/{branch}")).await.ok();
        let tip = tip.or_else(|| commit.map(str::to_owned));
        let last = self.snapshots(run).await?.pop();
        Ok(last.filter(|last| Some(&last.head) == tip.as_ref()))
    }
}

/// Where git keeps its notes about a worktree, also when the directory itself is gone.
async fn notes_of(git: &Git, path: &Path) -> Result<Option<PathBuf>, GitError> {
    let common = git.dir().join(git.path(&["rev-parse", "--git-common-dir"]).await?);
    let link = path.join(".git");
    let is_its = |notes: &PathBuf| {
        std::fs::read_to_string(notes.join("gitdir")).is_ok_and(|text| Path::new(text.trim_end()) == link)
    };
    let all = std::fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten();
    Ok(all.map(|entry| entry.path()).find(is_its))
}

fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.ok().and_then(|since| i64::try_from(since.as_millis()).ok()).unwrap_or_default()
}

fn size_of(root: &Path, dirty: &[DirtyFile]) -> u64 {
    let found = dirty.iter().filter_map(|file| root.join(&file.path).symlink_metadata().ok());
    found.map(|found| found.len()).sum()
}

fn too_large(size: u64) -> GitError {
    GitError::Git {
        command: "add".to_owned(),
        message: format!("the changed files have {size} bytes, more than the limit of {LARGEST}"),
    }
}
