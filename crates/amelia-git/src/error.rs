//! What can be wrong with a repository or a worktree, by what a person can do about it.

use std::io;
use std::path::PathBuf;

use amelia_core::problem::Hinted;

/// Files named in a message.
const NAMED: usize = 5;

#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("the program `git` was not found")]
    GitMissing,
    #[error("`{}` does not exist or is not a directory", .path.display())]
    NoDirectory { path: PathBuf },
    #[error("`{}` is not in a git repository", .path.display())]
    NotARepository { path: PathBuf },
    #[error("`{}` is a bare repository", .path.display())]
    Bare { path: PathBuf },
    #[error("the repository `{}` has no commits", .path.display())]
    NoCommits { path: PathBuf },
    #[error("there is no commit `{name}` in `{}`", .path.display())]
    UnknownCommit { name: String, path: PathBuf },
    #[error("`{}` has changes that are not committed: {}", .path.display(), named(.files))]
    Dirty { path: PathBuf, files: Vec<String> },
    #[error(
        "`{}` has changes in files that git ignores (skip-worktree, assume-unchanged): {}",
        .path.display(), named(.files)
    )]
    Hidden { path: PathBuf, files: Vec<String> },
    #[error(
        "`{}` is locked{}",
        .path.display(), if .reason.is_empty() { String::new() } else { format!(" ({reason})") }
    )]
    Locked { path: PathBuf, reason: String },
    #[error("`{}` is at commit {commit}, which no branch or tag contains", .path.display())]
    Unreachable { path: PathBuf, commit: String },
    #[error(
        "`{}` contains the repository `{}`, with commits that exist nowhere else ({commit})",
        .path.display(), .repository.display()
    )]
    OnlyInside { path: PathBuf, repository: PathBuf, commit: String },
    #[error("`{}` is in the way: it is not a worktree of this repository", .path.display())]
    InTheWay { path: PathBuf },
    #[error("`{}` is no longer the worktree that Amelia made there; its files are kept", .path.display())]
    Broken { path: PathBuf },
    #[error("there is no branch `{name}` in `{}`", .path.display())]
    NoBranch { name: String, path: PathBuf },
    #[error("the merge would overwrite changes in `{}` that are not committed: {}", .path.display(), named(.files))]
    WouldOverwrite { path: PathBuf, files: Vec<String> },
    #[error("git does not know who you are")]
    NoIdentity,
    #[error("`{}` is on {found} instead of {expected}", .path.display())]
    OtherBranch { path: PathBuf, expected: String, found: String },
    #[error("the files of that checkpoint ({tree}) are gone with their worktree")]
    SnapshotGone { tree: String },
    #[error("commit {commit}, the last one of the run, is not in `{}`", .path.display())]
    CommitGone { commit: String, path: PathBuf },
    #[error("git is still running in `{}`", .path.display())]
    Busy { path: PathBuf },
    #[error("`{name}` cannot be a new branch: {why}")]
    BadBranch { name: String, why: String },
    #[error("`{branch}` is checked out in another worktree, `{}`", .path.display())]
    BranchInUse { branch: String, path: PathBuf },
    /// Git would make `refs/heads/refs/heads/…` of it.
    #[error("`{name}` cannot be a new branch: it is the full name of one")]
    FullBranchName { name: String, short: String },
    #[error("the setup command ended with {end}:\n{output}")]
    Setup { end: String, output: String },
    #[error("git {command}: {message}")]
    Git { command: String, message: String },
    #[error("`{}`: {source}", .path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl Hinted for GitError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::GitMissing => "install it, or put it on PATH".to_owned(),
            Self::NotARepository { .. } => "run `git init` there, or change to a repository".to_owned(),
            Self::Bare { .. } => "clone it, and work in the clone".to_owned(),
            Self::NoCommits { .. } => "create a first commit".to_owned(),
            Self::Locked { path, .. } => {
                format!("unlock it first: git worktree unlock '{}'", path.display())
            }
            Self::Unreachable { .. } => "create a branch for it first".to_owned(),
            Self::OnlyInside { .. } => "push them from there first".to_owned(),
            Self::Broken { .. } => {
                "run `git worktree repair` in the repository, or move the directory away".to_owned()
            }
            Self::NoIdentity => {
                "git config --global user.name \"…\"; git config --global user.email \"…\"".to_owned()
            }
            Self::OtherBranch { expected, .. } => format!("check out {expected} there, and resume the run"),
            Self::SnapshotGone { .. } => {
                "fork the run again; the new fork starts at the last commit".to_owned()
            }
            Self::CommitGone { .. } => {
                "fetch it from where it was pushed to, and try again; without it, start a new run".to_owned()
            }
            Self::WouldOverwrite { .. } => "commit or stash them, then merge again".to_owned(),
            Self::Busy { .. } => "wait until it has ended, and resume the run".to_owned(),
            Self::BranchInUse { path, .. } => format!(
                "use the home that this worktree belongs to, or remove it if nothing in it is needed: git worktree remove '{}'",
                path.display()
            ),
            Self::FullBranchName { short, .. } => format!("--branch {short}"),
            Self::NoDirectory { .. }
            | Self::UnknownCommit { .. }
            | Self::NoBranch { .. }
            | Self::Dirty { .. }
            | Self::Hidden { .. }
            | Self::InTheWay { .. }
            | Self::BadBranch { .. }
            | Self::Setup { .. }
            | Self::Git { .. }
            | Self::Io { .. } => return None,
        })
    }
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
