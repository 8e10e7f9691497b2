//! What can be wrong with a repository or a worktree, by what a person can do about it.

use std::io;
use std::path::PathBuf;

/// Files named in a message.
const NAMED: usize = 5;

#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("the program `git` was not found: install it, or put it on PATH")]
    GitMissing,
    #[error("`{}` does not exist or is not a directory", .path.display())]
    NoDirectory { path: PathBuf },
    #[error("`{}` is not in a git repository: run `git init` there, or go to one", .path.display())]
    NotARepository { path: PathBuf },
    #[error("`{}` is a bare repository: clone it, and work in the clone", .path.display())]
    Bare { path: PathBuf },
    #[error("the repository `{}` has no commits: make a first one", .path.display())]
    NoCommits { path: PathBuf },
    #[error("there is no commit `{name}` in `{}`", .path.display())]
    UnknownCommit { name: String, path: PathBuf },
    #[error("`{}` has changes that are not committed: {}", .path.display(), named(.files))]
    Dirty { path: PathBuf, files: Vec<String> },
    #[error(
        "`{}` has changes in files that git was told not to look at (skip-worktree, assume-unchanged): {}",
        .path.display(), named(.files)
    )]
    Hidden { path: PathBuf, files: Vec<String> },
    #[error(
        "`{path}` is locked{}: unlock it first (git worktree unlock '{path}')",
        if .reason.is_empty() { String::new() } else { format!(" ({reason})") }, path = .path.display()
    )]
    Locked { path: PathBuf, reason: String },
    #[error("`{}` is at commit {commit}, which no branch or tag holds: make a branch of it first", .path.display())]
    Unreachable { path: PathBuf, commit: String },
    #[error(
        "`{}` has a repository inside, `{}`, with commits that are nowhere else ({commit}): push them from there first",
        .path.display(), .repository.display()
    )]
    OnlyInside { path: PathBuf, repository: PathBuf, commit: String },
    #[error("`{}` is in the way: it is not a worktree of this repository", .path.display())]
    InTheWay { path: PathBuf },
    #[error(
        "`{}` is not the worktree any more that was made there; what is in it is kept\n  hint: `git worktree repair` in the repository makes its `.git` anew; or move the directory away",
        .path.display()
    )]
    Broken { path: PathBuf },
    #[error(
        "git does not know who you are\n  hint: git config --global user.name \"…\"; git config --global user.email \"…\""
    )]
    NoIdentity,
    #[error("`{}` is on {found} instead of {expected}: check out {expected} there, and go on", .path.display())]
    OtherBranch { path: PathBuf, expected: String, found: String },
    #[error(
        "the files of that moment ({tree}) are gone with the worktree that they were in\n  hint: fork the run again; the new fork begins with the last commit"
    )]
    SnapshotGone { tree: String },
    #[error(
        "commit {commit}, the last one of the run, is neither on a branch nor anywhere else in `{}`\n  hint: fetch it from where it was pushed to, and try again; without it, start a new run", .path.display()
    )]
    CommitGone { commit: String, path: PathBuf },
    #[error("a git is still at work in `{}`: wait until it has ended, and go on", .path.display())]
    Busy { path: PathBuf },
    #[error("`{name}` cannot be a new branch: {why}")]
    BadBranch { name: String, why: String },
    #[error("the setup command ended with {end}:\n{output}")]
    Setup { end: String, output: String },
    #[error("git {command}: {message}")]
    Git { command: String, message: String },
    #[error("`{}`: {source}", .path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl GitError {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}

fn named(files: &[String]) -> String {
    let mut text = files.iter().take(NAMED).map(|file| format!("`{file}`")).collect::<Vec<_>>().join(", ");
    if files.len() > NAMED {
        text += &format!(" and {} more", files.len() - NAMED);
    }
    text
}
