//! Moves a checked-out branch forward, with its files. What a person has not committed there is never lost.

use std::path::Path;

use crate::error::GitError;
use crate::git::Git;
use crate::repository::changed;

/// Moves the checkout forward. Git keeps changes in other files as they are. Uncommitted changes that are the same as those
/// of `commit` do not stand in the way: nothing is overwritten. Returns their files.
pub(super) async fn forward_checkout(git: &Git, before: &str, commit: &str) -> Result<Vec<String>, GitError> {
    let incoming = git.pieces(&["diff", "--name-only", "--no-renames", "-z", before, commit, "--"]).await?;
    let incoming: Vec<String> = incoming.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let mut files = changed(git).await?;
    files.retain(|file| incoming.contains(file));
    let forward = ["merge", "--quiet", "--ff-only", "--no-verify-signatures", commit];
    if files.is_empty() {
        return git.text(&forward).await.map(|_| files);
    }
    let others = different(git, commit, &files).await?;
    if !others.is_empty() {
        return Err(GitError::WouldOverwrite { path: git.dir().to_path_buf(), files: others });
    }
    // Git lets those pass that the index has as the commit does.
    git.text(&on_files(&["add", "--all"], &files)).await?;
    let forwarded = git.text(&forward).await;
    if forwarded.is_err() {
        git.text(&on_files(&["reset", "--quiet"], &files)).await?;
    }
    forwarded.map(|_| files)
}

/// Those of the files that are not as `commit` has them, or are staged as something else.
async fn different(git: &Git, commit: &str, files: &[String]) -> Result<Vec<String>, GitError> {
    let scratch = tempfile::tempdir().map_err(GitError::io(git.dir()))?;
    let as_commit = git.with_index(scratch.path().join("index"));
    as_commit.text(&["read-tree", commit]).await?;
    let looked = ["diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", "--ignore-submodules=none"];
    let mut different = as_commit.pieces(&on_files(&looked, files)).await?;
    // A file that the commit does not have is the same only if it is not there.
    let has = as_commit.pieces(&on_files(&["ls-files", "-z"], files)).await?;
    let is_left = |file: &&String| !has.iter().any(|path| path == file.as_str());
    let is_there = |file: &&String| std::fs::symlink_metadata(git.dir().join(Path::new(file))).is_ok();
    different.extend(files.iter().filter(is_left).filter(is_there).map(Into::into));
    let staged = |against| ["diff-index", "--cached", "--name-only", "-z", against];
    let of_user = git.pieces(&on_files(&staged("HEAD"), files)).await?;
    let of_others = git.pieces(&on_files(&staged(commit), files)).await?;
    different.extend(of_user.into_iter().filter(|path| of_others.contains(path)));
    Ok(files.iter().filter(|file| different.iter().any(|path| path == file.as_str())).cloned().collect())
}

/// Arguments with the files behind them; names are names, not patterns.
fn on_files(args: &[&str], files: &[String]) -> Vec<String> {
    let args = args.iter().map(|arg| (*arg).to_owned());
    let files = files.iter().map(|file| format!(":(top,literal){file}"));
    args.chain(["--".to_owned()]).chain(files).collect()
}
