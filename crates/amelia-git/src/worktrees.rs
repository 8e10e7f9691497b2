//! The worktrees of one repository that are ours: one directory for each run, on a branch of its own.

mod ended;
mod hidden;
mod inner;
mod leftovers;
mod listing;
mod name;
mod nested;
mod note;
mod registered;
mod remove;
mod single;

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::GitError;
use crate::repository::Repository;
use crate::worktree::Worktree;
use crate::worktree_lock::with_lock_at;
use note::WorktreeNote;

pub use leftovers::Leftovers;

/// Tries before every branch name that we want is assumed to be taken by others.
const TRIES: usize = 10;

impl Worktree {
    /// Whether what it needs to be worked in has been put into it.
    #[must_use]
    pub fn is_prepared(&self) -> bool {
        note::prepared(&self.path).is_some_and(|mark| mark.exists())
    }

    /// It has now.
    pub fn set_prepared(&self) -> Result<(), GitError> {
        match note::prepared(&self.path) {
            Some(mark) => std::fs::write(&mark, "").map_err(GitError::io(&mark)),
            None => Ok(()),
        }
    }
}

/// A worktree to be made.
#[derive(Debug, Clone, Copy)]
pub struct NewWorktree<'a> {
    /// Names the directory: an id, unique after unusual characters are replaced. The same run gets the same worktree
    /// again.
    pub run: &'a str,
    /// Names the branch, `amelia/<key>`: an issue's key or a short title.
    pub key: &'a str,
    /// Any name of a commit, a full id being taken at its word; the user's `HEAD` by default.
    pub base: Option<&'a str>,
    /// The whole name of the branch, when it was chosen. It must be free.
    pub branch: Option<&'a str>,
    /// Where the branch begins, when that is not the base: some of the work is done.
    pub start: Option<&'a str>,
    /// The files to begin with, when they are not those of the commit.
    pub tree: Option<&'a str>,
}

/// The worktrees of one repository below one directory.
#[derive(Debug, Clone)]
pub struct Worktrees {
    pub(crate) repository: Repository,
    dir: PathBuf,
}

impl Worktrees {
    /// `dir` is made when it is needed. It must not be inside the user's checkout: it would show up there as a change.
    pub fn new(repository: Repository, dir: impl AsRef<Path>) -> Result<Self, GitError> {
        let dir = std::path::absolute(dir.as_ref()).map_err(GitError::io(dir.as_ref()))?;
        let dir = real(&dir);
        if dir.starts_with(repository.root()) {
            return Err(GitError::InTheWay { path: dir });
        }
        Ok(Self { repository, dir })
    }

    /// Makes the run's worktree, or finds it.
    pub async fn create(&self, new: NewWorktree<'_>) -> Result<Worktree, GitError> {
        let path = self.path_of(new.run);
        if let Some(made) = self.find(new.run).await? {
            return note::end(&path).map(|()| made);
        }
        std::fs::create_dir_all(&self.dir).map_err(GitError::io(&self.dir))?;
        // A git that an earlier life of the run started may still be making it.
        let mut lock = path.clone().into_os_string();
        lock.push(".lock");
        let repository = Repository { git: with_lock_at(&self.repository.git, lock.as_ref()).await? };
        let made = self.with(repository).create_alone(new, path).await;
        // Another process may have removed it; the next one makes another.
        std::fs::remove_file(&lock).ok();
        made
    }

    /// Makes a run's worktree that was removed anew, on its branch with the commits that are there, and with what was
    /// not committed as far as a snapshot has it. A branch that does not have `last`, the last commit that the run names,
    /// is left alone: another one begins with that commit.
    pub async fn restore(&self, new: NewWorktree<'_>, last: Option<&str>) -> Result<Worktree, GitError> {
        let path = self.path_of(new.run);
        let WorktreeNote { branch, commit, .. } = note::remembered(&path).unwrap_or_default();
        let commit = commit.or_else(|| last.map(str::to_owned));
        if let Some(commit) = &commit
            && let Err(GitError::UnknownCommit { name, path }) = self.repository.commit(commit).await
        {
            return Err(GitError::CommitGone { commit: name, path });
        }
        if let Some(branch) = &branch
            && self.registered(&path).await?.is_none()
        {
            std::fs::create_dir_all(&self.dir).map_err(GitError::io(&self.dir))?;
            note::begin(&path, branch)?;
        }
        let kept = self.last_snapshot(new.run, branch.as_deref(), commit.as_deref()).await?;
        // What it began with is in its commits, once there are some.
        let first = new.tree.filter(|_| commit.is_none());
        let tree = kept.as_ref().and_then(|snapshot| snapshot.tree.as_deref()).or(first);
        let start = commit.as_deref().or(new.start);
        let made = self.create(NewWorktree { tree, start, ..new }).await?;
        note::mark_restored(&path)?;
        note::remember(&made, commit.as_deref()).map(|()| made)
    }

    /// Whether the worktree of a run was removed once, with the files of its past, and made anew.
    #[must_use]
    pub fn was_restored(&self, run: &str) -> bool {
        note::was_restored(&self.path_of(run))
    }

    /// Makes the worktrees of a run's parts anew that were removed.
    pub async fn restore_parts(&self, run: &str) -> Result<Vec<Worktree>, GitError> {
        let mut made = Vec::new();
        for (path, memory) in note::remembered_parts(&self.path_of(run)) {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if self.find(&name).await?.is_some() {
                continue;
            }
            let branch = memory.branch.unwrap_or_else(|| name.clone());
            let key = branch.strip_prefix("amelia/").unwrap_or(&branch);
            let base = memory.base.as_deref();
            let new = NewWorktree { run: &name, key, base, branch: None, start: None, tree: None };
            made.push(self.restore(new, None).await?);
        }
        Ok(made)
    }

    /// Remembers that a run has its worktree, so that it is missed when it is gone.
    pub fn remember(&self, worktree: &Worktree) -> Result<(), GitError> {
        let commit = note::remembered(&worktree.path).and_then(|memory| memory.commit);
        note::remember(worktree, commit.as_deref())
    }

    /// Remembers a commit that was made for a run, so that it is missed when it is gone.
    pub fn remember_commit(&self, worktree: &Worktree, commit: &str) -> Result<(), GitError> {
        note::remember(worktree, Some(commit))
    }

    /// The last commit that was made for a run in a worktree, as far as it was remembered.
    #[must_use]
    pub fn last_commit(&self, worktree: &Worktree) -> Option<String> {
        note::remembered(&worktree.path)?.commit
    }

    /// Forgets a worktree that is no longer needed.
    pub(crate) fn forget_made(&self, worktree: &Worktree) -> Result<(), GitError> {
        note::forget(&worktree.path)
    }

    /// Whether a run had a worktree once, as far as it was remembered.
    #[must_use]
    pub fn was_made(&self, run: &str) -> bool {
        note::remembered(&self.path_of(run)).is_some()
    }

    /// The same with another git.
    pub(crate) fn with(&self, repository: Repository) -> Self {
        Self { repository, dir: self.dir.clone() }
    }

    async fn create_alone(&self, new: NewWorktree<'_>, path: PathBuf) -> Result<Worktree, GitError> {
        let left = match self.registered(&path).await? {
            Some(found) => match note::read(&path) {
                Some(worktree) => {
                    note::end(&path)?;
                    return Ok(worktree);
                }
                // Gone, or the process died while git was still at it: nothing of anybody's is in there.
                None if !path.exists() || is_empty(&path) || note::has_begun(&path) => {
                    self.clear(found).await?.or_else(|| note::begun_branch(&path))
                }
                None => return Err(GitError::Broken { path }),
            },
            None if !path.exists() || is_empty(&path) => note::begun_branch(&path),
            None => return Err(GitError::InTheWay { path }),
        };
        let start = new.start.unwrap_or_default();
        let base = match new.base {
            Some(id) if is_full(id) => id.to_owned(),
            name => self.repository.commit(name.unwrap_or("HEAD")).await?,
        };
        // Still the branch that was left: should we die as well, the next one must find it too.
        note::begin(&path, left.as_deref().unwrap_or_default())?;
        let branch = match new.branch {
            Some(branch) => self.add_named(&path, branch, left, first(start, &base)).await?,
            None => self.add(&path, new.key, left, first(start, &base)).await?,
        };
        if let Some(tree) = new.tree {
            self.repository.fill(&path, tree).await?;
        }
        let worktree = Worktree { path, branch: Some(branch), base_commit: base };
        note::write(&worktree)?;
        note::end(&worktree.path)?;
        Ok(worktree)
    }

    /// All of ours that are there, by their directory.
    pub async fn list(&self) -> Result<Vec<Worktree>, GitError> {
        let all = self.all_registered().await?;
        Ok(all.iter().filter_map(|found| note::read(&found.path)).collect())
    }

    /// A run's worktree.
    pub async fn find(&self, run: &str) -> Result<Option<Worktree>, GitError> {
        let path = self.path_of(run);
        match (self.registered(&path).await?, note::read(&path)) {
            (Some(_), Some(worktree)) => Ok(Some(worktree)),
            // Work may be in there that cannot be attributed any more.
            (Some(_), None) if path.exists() && !is_empty(&path) && !note::has_begun(&path) => {
                Err(GitError::Broken { path })
            }
            (Some(_) | None, _) => Ok(None),
        }
    }

    /// The same by what was noted beside it, without asking git, of any repository.
    #[must_use]
    pub fn noted(dir: &Path, run: &str) -> Option<Worktree> {
        note::read(&dir.join(name::safe(run)))
    }

    /// The branch of a run whose worktree was removed.
    #[must_use]
    pub fn kept_branch(dir: &Path, run: &str) -> Option<String> {
        note::kept_branch(&dir.join(name::safe(run)))
    }

    pub(crate) fn path_of(&self, run: &str) -> PathBuf {
        self.dir.join(name::safe(run))
    }

    /// Lets git make it, on the branch that the run left, when that continues from the base, else on a free one. Says
    /// which.
    async fn add(
        &self,
        path: &Path,
        key: &str,
        left: Option<String>,
        base: &str,
    ) -> Result<String, GitError> {
        if let Some(branch) = left
            && self.is_ahead_of(base, &branch).await?
            // The process died while it tried a name that was another run's.
            && !self.all_registered().await?.iter().any(|found| found.branch.as_deref() == Some(&*branch))
        {
            self.git_add(path, &[&branch]).await?;
            return Ok(branch);
        }
        let (mut last, mut taken) = (None, Vec::new());
        for _ in 0..TRIES {
            let branch = name::free(key, &taken);
            note::begin(path, &branch)?;
            match self.git_add(path, &["--no-track", "-b", &branch, base]).await {
                Ok(()) => return Ok(branch),
                // Most names are free, so the others are looked at only now; and another process may take one after that.
                Err(GitError::Git { message, .. }) if is_about_the_branch(&message) => {
                    // It belongs to another run.
                    note::begin(path, "")?;
                    taken = self.branches().await?;
                    last = Some(GitError::Git { command: "worktree add".to_owned(), message });
                }
                Err(other) => return Err(other),
            }
        }
        Err(last.unwrap_or(GitError::InTheWay { path: path.to_path_buf() }))
    }

    /// Lets git make it on a branch that a person chose: a new one, or the one that the run left. Never on another.
    async fn add_named(
        &self,
        path: &Path,
        branch: &str,
        left: Option<String>,
        base: &str,
    ) -> Result<String, GitError> {
        let exists = self.repository.check_new_branch(branch).await.is_err();
        if left.as_deref() != Some(branch) || !exists {
            note::begin(path, branch)?;
            self.git_add(path, &["--no-track", "-b", branch, base]).await?;
        } else if !self.is_ahead_of(base, branch).await? {
            let why = "it does not continue from the first commit of the run".to_owned();
            return Err(GitError::BadBranch { name: branch.to_owned(), why });
        } else {
            self.git_add(path, &[branch]).await?;
        }
        Ok(branch.to_owned())
    }

    async fn is_ahead_of(&self, base: &str, branch: &str) -> Result<bool, GitError> {
        self.is_ancestor(base, &format!("refs/heads/{branch}")).await
    }

    async fn git_add(&self, path: &Path, how: &[&str]) -> Result<(), GitError> {
        let (options, commit) = how.split_at(how.len().saturating_sub(1));
        let mut args: Vec<OsString> = ["worktree", "add", "--quiet"].map(OsString::from).into();
        args.extend(options.iter().map(OsString::from));
        args.push("--".into());
        args.push(path.into());
        args.extend(commit.iter().map(OsString::from));
        match self.repository.git.text(&args).await {
            // Under a name of its own, and gone.
            Err(GitError::Git { message, .. }) if message.contains("already registered") => {
                if let Some(found) = self.listed(path).await? {
                    self.clear(found).await?;
                }
                self.repository.git.text(&args).await.map(drop)
            }
            Err(GitError::Git { message, command }) => Err(match branch_in_use(&message) {
                Some((branch, path)) => GitError::BranchInUse { branch, path },
                None => GitError::Git { message, command },
            }),
            done => done.map(drop),
        }
    }

    async fn branches(&self) -> Result<Vec<String>, GitError> {
        let args =
            ["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/amelia*", "refs/heads/amelia/"];
        Ok(self.repository.git.text(&args).await?.lines().map(str::to_owned).collect())
    }
}

/// Git finds a taken branch when it looks, or only when it locks.
fn first<'a>(start: &'a str, base: &'a str) -> &'a str {
    if start.is_empty() { base } else { start }
}

fn is_about_the_branch(message: &str) -> bool {
    message.contains("a branch named") || message.contains("cannot lock ref")
}

/// The branch that git does not check out twice, and the worktree that has it: in another home, or made by a person.
fn branch_in_use(message: &str) -> Option<(String, PathBuf)> {
    let (before, rest) = [" is already used by worktree at '", " is already checked out at '"]
        .iter()
        .find_map(|words| message.split_once(words))?;
    let (path, _) = rest.split_once('\'')?;
    let branch = before.trim_end_matches('\'').rsplit('\'').next()?;
    Some((branch.to_owned(), PathBuf::from(path)))
}

/// The full id of an object, in either of git's hashes.
fn is_full(name: &str) -> bool {
    matches!(name.len(), 40 | 64) && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Without links and `..`, as far as it is there: both would hide where it is.
fn real(dir: &Path) -> PathBuf {
    let mut above = dir.ancestors();
    let found = above.find_map(|above| Some((above, above.canonicalize().ok()?)));
    match found.and_then(|(above, real)| Some((real, dir.strip_prefix(above).ok()?))) {
        Some((real, rest)) => real.join(rest),
        None => dir.to_path_buf(),
    }
}

fn is_empty(dir: &Path) -> bool {
    std::fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_none())
}
