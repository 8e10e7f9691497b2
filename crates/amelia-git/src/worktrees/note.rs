//! What we remember of a worktree, beside git's own notes about it: it goes when the worktree goes, and is written
//! last, so a worktree with a note is complete.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::Worktree;
use crate::error::GitError;

const FILE: &str = "amelia";
/// At the end of the name of a file that is being written.
const NEW: &str = ".new";

pub(super) fn write(worktree: &Worktree) -> Result<(), GitError> {
    let Some(dir) = git_dir(&worktree.path) else {
        return Err(GitError::InTheWay { path: worktree.path.clone() });
    };
    let branch = worktree.branch.as_deref().unwrap_or_default();
    let (file, beside) = (dir.join(FILE), dir.join("amelia.new"));
    std::fs::write(&beside, format!("{}\n{branch}\n", worktree.base_commit))
        .map_err(GitError::io(&beside))?;
    std::fs::rename(&beside, &file).map_err(GitError::io(&file))
}

/// Written before git begins: as long as it is there and the note is not, no one has worked in the worktree.
/// `branch` is the one that git is about to make.
pub(super) fn begin(path: &Path, branch: &str) -> Result<(), GitError> {
    let mark = mark_of(path);
    std::fs::write(&mark, branch).map_err(GitError::io(&mark))
}

/// The branch that git was about to make when the process died.
pub(super) fn begun_branch(path: &Path) -> Option<String> {
    std::fs::read_to_string(mark_of(path)).ok().filter(|branch| !branch.is_empty())
}

pub(super) fn has_begun(path: &Path) -> bool {
    mark_of(path).exists()
}

pub(super) fn end(path: &Path) -> Result<(), GitError> {
    let mark = mark_of(path);
    match std::fs::remove_file(&mark) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(GitError::io(&mark)(error)),
        _ => Ok(()),
    }
}

/// Remembers that a worktree was made anew: the snapshots of the first one went with it.
pub(super) fn mark_restored(path: &Path) -> Result<(), GitError> {
    let mark = beside(path, ".restored");
    std::fs::write(&mark, "").map_err(GitError::io(&mark))
}

pub(super) fn was_restored(path: &Path) -> bool {
    beside(path, ".restored").exists()
}

/// A file beside the worktree: git must find nothing inside.
fn mark_of(path: &Path) -> PathBuf {
    beside(path, ".begun")
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// What is remembered of a worktree that was made once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WorktreeNote {
    pub(super) branch: Option<String>,
    pub(super) base: Option<String>,
    /// The last commit that we have made in it.
    pub(super) commit: Option<String>,
}

/// Remembers that a worktree was made, on which branch and base, and the last commit of ours: this outlives it.
pub(super) fn remember(worktree: &Worktree, commit: Option<&str>) -> Result<(), GitError> {
    let file = memory_of(&worktree.path);
    let dir = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(dir).map_err(GitError::io(dir))?;
    let Worktree { branch, base_commit, .. } = worktree;
    let lines = [branch.as_deref().unwrap_or_default(), base_commit, commit.unwrap_or_default()];
    let beside = beside(&file, NEW);
    std::fs::write(&beside, lines.join("\n")).map_err(GitError::io(&beside))?;
    std::fs::rename(&beside, &file).map_err(GitError::io(&file))
}

/// A file in a directory beside that of all worktrees.
fn memory_of(path: &Path) -> PathBuf {
    let dir = beside(path.parent().unwrap_or(Path::new(".")), ".made");
    dir.join(path.file_name().unwrap_or_default())
}

/// A worktree that was made here once. Earlier versions remembered only its branch.
pub(super) fn remembered(path: &Path) -> Option<WorktreeNote> {
    let text = std::fs::read_to_string(memory_of(path)).ok()?;
    let mut lines = text.lines().map(|line| Some(line).filter(|line| !line.is_empty()).map(str::to_owned));
    let mut next = || lines.next().flatten();
    Some(WorktreeNote { branch: next(), base: next(), commit: next() })
}

/// Where parts of the run of this worktree were made, by name. Earlier versions did not remember them.
pub(super) fn remembered_parts(path: &Path) -> Vec<(PathBuf, WorktreeNote)> {
    let memory = memory_of(path);
    let first = format!("{}-", path.file_name().unwrap_or_default().to_string_lossy());
    let entries =
        std::fs::read_dir(memory.parent().unwrap_or(Path::new("."))).into_iter().flatten().flatten();
    let is_part = |name: &str| name.starts_with(&first) && !name.ends_with(NEW);
    let mut parts: Vec<(PathBuf, WorktreeNote)> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| is_part(name))
        .map(|name| path.with_file_name(name))
        .filter_map(|path| remembered(&path).map(|memory| (path, memory)))
        .filter(|(_, memory)| memory.base.is_some())
        .collect();
    parts.sort_by(|a, b| a.0.cmp(&b.0));
    parts
}

pub(super) fn forget(path: &Path) -> Result<(), GitError> {
    let file = memory_of(path);
    match std::fs::remove_file(&file) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(GitError::io(&file)(error)),
        _ => Ok(()),
    }
}

/// Remembers the branch of a worktree that was removed, and its last commit: the branch may be deleted later.
pub(super) fn keep_branch(path: &Path, branch: &str, commit: Option<&str>) -> Result<(), GitError> {
    let file = kept_branch_of(path);
    let dir = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(dir).map_err(GitError::io(dir))?;
    let lines: Vec<&str> = std::iter::once(branch).chain(commit).collect();
    std::fs::write(&file, lines.join("\n")).map_err(GitError::io(&file))
}

pub(super) fn kept_branch(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(kept_branch_of(path)).ok()?;
    text.lines().next().filter(|branch| !branch.is_empty()).map(str::to_owned)
}

/// The last commit of a worktree that was removed, or that a run has completed in. Earlier versions did not remember it.
pub(super) fn last_commit(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(kept_branch_of(path)).unwrap_or_default();
    text.lines().nth(1).map(str::to_owned).or_else(|| remembered(path)?.commit)
}

/// A worktree that was removed without leaving a branch.
pub(super) fn was_unchanged(path: &Path) -> bool {
    std::fs::read_to_string(kept_branch_of(path)).is_ok_and(|branch| branch.is_empty())
}

fn kept_branch_of(path: &Path) -> PathBuf {
    beside(&memory_of(path), ".branch")
}

/// Among git's notes about a worktree, so that it goes with it.
pub(super) fn prepared(path: &Path) -> Option<PathBuf> {
    Some(git_dir(path)?.join("amelia-prepared"))
}

/// Nothing when it is not ours, not complete, or not there.
pub(super) fn read(path: &Path) -> Option<Worktree> {
    let text = std::fs::read_to_string(git_dir(path)?.join(FILE)).ok()?;
    let mut lines = text.lines();
    let is_commit = |line: &&str| line.len() >= 40 && line.bytes().all(|byte| byte.is_ascii_hexdigit());
    let base_commit = lines.next().filter(is_commit)?.to_owned();
    let branch = lines.next().filter(|branch| !branch.is_empty()).map(str::to_owned);
    Some(Worktree { path: path.to_path_buf(), branch, base_commit })
}

/// A worktree's `.git` is a file that names the directory of git's notes about it.
pub(super) fn git_dir(path: &Path) -> Option<PathBuf> {
    let bytes = std::fs::read(path.join(".git")).ok()?;
    let dir = bytes.strip_prefix(b"gitdir: ")?;
    // One line end is git's; a directory may end with another.
    Some(path.join(OsStr::from_bytes(dir.strip_suffix(b"\n").unwrap_or(dir))))
}
