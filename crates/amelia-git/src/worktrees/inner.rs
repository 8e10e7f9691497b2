//! Finds repositories that were made inside a worktree, where git itself does not look: in directories that it ignores or
//! does not know, and between files that it does. Bare repositories are not looked for: they are caches and mirrors.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// How far below a directory that git does not know a repository is looked for.
const MAX_DEPTH: usize = 8;

/// Directories that are read at most, those near the top first: dependencies of a project can be many more.
const MAX_DIRECTORIES: usize = 20_000;

/// Where a repository that is checked out somewhere keeps its commits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Inner {
    /// In the worktree: every commit goes with it.
    Whole(PathBuf),
    /// Elsewhere; only its `HEAD` can be lost.
    Linked(PathBuf),
}

/// Repositories in directories from `tracked` themselves, and in and below those from `unknown`. Blocks the thread.
pub(super) fn find(worktree: &Path, tracked: BTreeSet<PathBuf>, unknown: Vec<PathBuf>) -> BTreeSet<Inner> {
    let top = worktree.canonicalize().unwrap_or_else(|_| worktree.to_path_buf());
    let below = directories(unknown.into_iter().map(|dir| top.join(dir)));
    let between = tracked.into_iter().map(|dir| top.join(dir)).filter(|dir| *dir != top);
    between.chain(below).filter_map(|dir| repository_at(&top, &dir)).collect()
}

/// Directories and what is below, level by level, without what git itself keeps. Links are not followed.
fn directories(roots: impl Iterator<Item = PathBuf>) -> BTreeSet<PathBuf> {
    let mut open: VecDeque<(PathBuf, usize)> = roots.map(|root| (root, 0)).collect();
    let mut seen = BTreeSet::new();
    while let Some((dir, depth)) = open.pop_front() {
        if seen.len() >= MAX_DIRECTORIES {
            break;
        }
        if depth < MAX_DEPTH && !seen.contains(&dir) {
            let entries = fs::read_dir(&dir).into_iter().flatten().flatten();
            let is_below = |entry: &fs::DirEntry| {
                entry.file_name() != ".git" && entry.file_type().is_ok_and(|kind| kind.is_dir())
            };
            open.extend(entries.filter(is_below).map(|entry| (entry.path(), depth + 1)));
        }
        seen.insert(dir);
    }
    seen
}

/// The repository whose checkout is exactly here: `.git` is its directory, or a file that names it.
fn repository_at(top: &Path, dir: &Path) -> Option<Inner> {
    let mark = dir.join(".git");
    let kind = fs::symlink_metadata(&mark).ok()?.file_type();
    if kind.is_file() {
        let text = fs::read(&mark).ok()?;
        let named = text.strip_prefix(b"gitdir:")?.trim_ascii();
        let kept = dir.join(std::ffi::OsStr::from_bytes(named)).canonicalize().ok()?;
        return Some(if kept.starts_with(top) { Inner::Whole(kept) } else { Inner::Linked(kept) });
    }
    let kept = mark.canonicalize().ok()?;
    kept.is_dir().then(|| if kept.starts_with(top) { Inner::Whole(kept) } else { Inner::Linked(kept) })
}

/// The directories that tracked files are in, and those above.
pub(super) fn parents<'a>(files: impl Iterator<Item = &'a OsString>) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for file in files {
        for dir in Path::new(file).ancestors().skip(1).filter(|dir| !dir.as_os_str().is_empty()) {
            if !found.insert(dir.to_path_buf()) {
                break;
            }
        }
    }
    found
}
