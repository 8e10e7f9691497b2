//! Repositories inside a worktree, which go with it: submodules, whose objects git keeps in its notes about the worktree,
//! and those that were made in it. A commit that only they have would be lost.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use super::inner::{self, Inner};
use crate::blocking::blocking;
use crate::error::GitError;
use crate::git::Git;

/// No repository inside has modules of modules deeper than this.
const DEEPEST: usize = 8;

/// What is compared with the remotes of a repository that goes with its worktree.
const ALL: [&str; 6] = ["rev-list", "--max-count=1", "HEAD", "--all", "--not", "--remotes"];

/// What a checkout alone holds of a repository that stays elsewhere.
const DETACHED: [&str; 7] =
    ["rev-list", "--max-count=1", "HEAD", "--not", "--branches", "--tags", "--remotes"];

/// Refuses when a repository inside a worktree has a commit that none of its remotes has.
pub(super) async fn refuse_to_lose(git: &Git) -> Result<(), GitError> {
    let notes = git.path(&["rev-parse", "--absolute-git-dir"]).await?;
    let tracked = inner::parents(tracked(git).await?.iter());
    let unknown = unknown(git).await?;
    let worktree = git.dir().to_path_buf();
    let (whole, linked) = blocking(git.dir(), move || {
        let notes = notes.canonicalize().unwrap_or(notes);
        let (mut whole, mut linked) = (modules(&notes.join("modules")), Vec::new());
        for repository in inner::find(&worktree, tracked, unknown) {
            match repository {
                Inner::Whole(kept) if is_repository(&kept) => whole.extend(modules(&kept)),
                // A module of the worktree itself is among them already.
                Inner::Linked(kept) if kept.starts_with(&notes) => {}
                // A worktree of a repository inside has its `HEAD` there.
                Inner::Whole(kept) | Inner::Linked(kept) => linked.push(kept),
            }
        }
        (whole, linked)
    })
    .await?;
    let asked = whole.into_iter().map(|kept| (kept, &ALL[..]));
    for (repository, question) in asked.chain(linked.into_iter().map(|kept| (kept, &DETACHED[..]))) {
        if let Some(commit) = own_commit(git, &repository, question).await? {
            let path = git.dir().to_path_buf();
            return Err(GitError::OnlyInside { path, repository, commit });
        }
    }
    Ok(())
}

/// The worktree's index, with where it has a link to a commit of another repository as a directory.
async fn tracked(git: &Git) -> Result<Vec<OsString>, GitError> {
    let entries = git.pieces(&["ls-files", "--stage", "-z"]).await?;
    let path = |entry: &OsString| {
        let bytes = entry.as_encoded_bytes();
        let tab = bytes.iter().position(|byte| *byte == b'\t')?;
        let mut path = bytes.get(tab + 1..)?.to_vec();
        if bytes.starts_with(b"160000 ") {
            path.extend(b"/.git");
        }
        Some(OsString::from_vec(path))
    };
    Ok(entries.iter().filter_map(path).collect())
}

/// Directories that git ignores or does not know.
async fn unknown(git: &Git) -> Result<Vec<PathBuf>, GitError> {
    let mut found = Vec::new();
    for ignored in [&["--ignored"][..], &[]] {
        let args = ["ls-files", "--others", "--exclude-standard", "--directory", "-z"];
        found.extend(git.pieces(&[&args[..], ignored].concat()).await?);
    }
    Ok(found.into_iter().filter(|path| path.as_encoded_bytes().ends_with(b"/")).map(PathBuf::from).collect())
}

fn is_repository(dir: &Path) -> bool {
    dir.join("HEAD").is_file() && dir.join("objects").is_dir()
}

/// Repositories in and below a directory. A submodule's name may have slashes, and it may have modules of its own.
fn modules(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![(dir.to_path_buf(), 0)];
    while let Some((dir, depth)) = open.pop() {
        let is_repository = is_repository(&dir);
        let below = if is_repository { dir.join("modules") } else { dir.clone() };
        if depth < DEEPEST {
            let entries = std::fs::read_dir(below).into_iter().flatten().flatten();
            open.extend(
                entries.map(|entry| entry.path()).filter(|path| path.is_dir()).map(|path| (path, depth + 1)),
            );
        }
        found.extend(is_repository.then_some(dir));
    }
    found.sort();
    found
}

/// A commit of `HEAD` or of any ref, a tag or a stash too, that no remote has, as far as it is known here.
async fn own_commit(git: &Git, repository: &Path, question: &[&str]) -> Result<Option<String>, GitError> {
    let mut args = vec![OsString::from("--git-dir"), repository.into()];
    // A submodule that was removed has no directory any more, and none is needed.
    args.extend(["-c", "core.worktree=", "-c", "core.bare=true"].map(OsString::from));
    args.extend(question.iter().map(OsString::from));
    // After `--not`, like the remotes.
    args.extend(cloned_from(repository).map(OsString::from));
    match git.text(&args).await {
        Ok(commit) => Ok(Some(commit).filter(|commit| !commit.is_empty())),
        // It has no commit at all.
        Err(GitError::Git { message, .. }) if message.contains("ambiguous argument 'HEAD'") => Ok(None),
        // Only its name says that it is one.
        Err(GitError::NotARepository { .. }) => Ok(None),
        Err(other) => Err(other),
    }
}

/// The commit that a clone began with. The clone of a tag keeps no branch of its remote.
fn cloned_from(repository: &Path) -> Option<String> {
    let log = std::fs::read_to_string(repository.join("logs/HEAD")).ok()?;
    let (entry, why) = log.lines().next()?.split_once('\t')?;
    let commit = entry.split(' ').nth(1)?;
    let is_name = commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    (why.starts_with("clone: from ") && is_name).then(|| commit.to_owned())
}
