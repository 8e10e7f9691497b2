//! Repositories inside a worktree, which go with it: submodules, whose objects git keeps in its notes about the worktree,
//! and those that were made in it. A commit that only they have would be lost.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::SandboxError;
use crate::git::Git;

/// No repository inside has modules of modules deeper than this.
const DEEPEST: usize = 8;

/// Refuses when a repository inside a worktree has a commit that none of its remotes has.
pub(super) async fn refuse_to_lose(git: &Git) -> Result<(), SandboxError> {
    let notes = git.path(&["rev-parse", "--absolute-git-dir"]).await?;
    let mut inside = modules(&notes.join("modules"));
    for link in links(git).await? {
        let own = git.dir().join(&link).join(".git");
        if own.is_dir() {
            inside.push(own);
        }
    }
    for repository in inside {
        if let Some(commit) = own_commit(git, &repository).await? {
            let path = git.dir().to_path_buf();
            return Err(SandboxError::OnlyInside { path, repository, commit });
        }
    }
    Ok(())
}

/// Where the worktree's index has a link to a commit of another repository.
async fn links(git: &Git) -> Result<Vec<OsString>, SandboxError> {
    use std::os::unix::ffi::OsStringExt as _;
    let entries = git.pieces(&["ls-files", "--stage", "-z"]).await?;
    let path = |entry: &OsString| {
        let bytes = entry.as_encoded_bytes().strip_prefix(b"160000 ")?;
        let tab = bytes.iter().position(|byte| *byte == b'\t')?;
        Some(OsString::from_vec(bytes.get(tab + 1..)?.to_vec()))
    };
    Ok(entries.iter().filter_map(path).collect())
}

/// Repositories below a directory. A submodule's name may have slashes, and it may have modules of its own.
fn modules(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![(dir.to_path_buf(), 0)];
    while let Some((dir, depth)) = open.pop() {
        let is_repository = dir.join("HEAD").is_file() && dir.join("objects").is_dir();
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
async fn own_commit(git: &Git, repository: &Path) -> Result<Option<String>, SandboxError> {
    let mut args = vec![OsString::from("--git-dir"), repository.into()];
    // A submodule that was removed has no directory any more, and none is needed.
    args.extend(["-c", "core.worktree=", "-c", "core.bare=true"].map(OsString::from));
    let asked = ["rev-list", "--max-count=1", "HEAD", "--all", "--not", "--remotes"];
    args.extend(asked.map(OsString::from));
    match git.text(&args).await {
        Ok(commit) => Ok(Some(commit).filter(|commit| !commit.is_empty())),
        // It has no commit at all.
        Err(SandboxError::Git { message, .. }) if message.contains("ambiguous argument 'HEAD'") => Ok(None),
        Err(other) => Err(other),
    }
}
