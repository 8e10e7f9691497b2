//! One worktree, as git's own files have it. `git worktree list` reads those of all worktrees, and there may be thousands.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use super::note::git_dir;
use super::registered::Registered;

/// What git's files say of a worktree.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Lookup {
    Found(Registered),
    /// Git does not know it, or knows it under a name that is not that of its directory.
    NotFound,
    /// Only git itself can tell.
    Unclear,
}

/// Looks for the worktree at `path` of the repository with this checkout.
pub(super) fn look_up(root: &Path, path: &Path) -> Lookup {
    let (Some(all), Some(name)) = (all_notes(root), path.file_name()) else { return Lookup::Unclear };
    let named = all.join(name);
    let noted = match (git_dir(path), named.exists()) {
        (Some(noted), _) => noted,
        (None, true) => named,
        (None, false) if path.join(".git").exists() => return Lookup::Unclear,
        (None, false) => return Lookup::NotFound,
    };
    match is_of(&noted, &all, path) {
        true => read(&noted, path).map_or(Lookup::Unclear, Lookup::Found),
        false => Lookup::Unclear,
    }
}

/// Where git keeps its notes about all worktrees of a repository.
fn all_notes(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git.join("worktrees"));
    }
    let own = git_dir(root)?;
    let common = match std::fs::read(own.join("commondir")) {
        Ok(bytes) => own.join(path_in(bytes)),
        Err(_) => own,
    };
    Some(common.join("worktrees"))
}

/// Whether these notes are of this repository, and about the worktree at `path`.
fn is_of(noted: &Path, all: &Path, path: &Path) -> bool {
    let real = |path: Option<&Path>| path.and_then(|path| path.canonicalize().ok());
    let Ok(bytes) = std::fs::read(noted.join("gitdir")) else { return false };
    let named = noted.join(path_in(bytes));
    let Some(named) = named.parent() else { return false };
    let is_same = named == path
        || (named.file_name() == path.file_name() && real(named.parent()) == real(path.parent()));
    is_same && real(noted.parent()).is_some_and(|parent| Some(parent) == real(Some(all)))
}

fn read(noted: &Path, path: &Path) -> Option<Registered> {
    let head = std::fs::read_to_string(noted.join("HEAD")).ok()?;
    let branch = head.trim_end().strip_prefix("ref: refs/heads/").map(str::to_owned);
    // Branches are kept in another way than in files.
    if branch.as_deref() == Some(".invalid") {
        return None;
    }
    let locked = std::fs::read(noted.join("locked")).ok();
    let locked = locked.map(|reason| String::from_utf8_lossy(&reason).trim().to_owned());
    Some(Registered { path: path.to_owned(), branch, locked })
}

/// A path that git wrote into a file, with one line end.
fn path_in(mut bytes: Vec<u8>) -> PathBuf {
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    }
    OsString::from_vec(bytes).into()
}
