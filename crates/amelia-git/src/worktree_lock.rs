//! One writer in a worktree, over the death of the process: a git that outlives it is left to finish before another one
//! begins. The lock is an open file that git itself has as its input, so it is held for as long as that git lives.
//!
//! The file also says whether a git that had it was cut off in the middle of its work. Only then is the `index.lock` that
//! it left behind removed: no other git can have made it.

use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use crate::error::GitError;
use crate::git::Git;
use crate::lock::WorktreeLock;

/// How long a git of an earlier life may take: hooks may be slow.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);
/// Clocks of file systems are coarse.
const TICK: Duration = Duration::from_millis(50);

/// This git as the only one of ours that writes in its worktree, until it is dropped and what it started has ended.
pub(crate) async fn with_worktree_lock(git: &Git) -> Result<Git, GitError> {
    let path = git.dir().join(git.path(&["rev-parse", "--git-path", "amelia-lock"]).await?);
    let file = locked(git, &path).await?;
    if let Some(since) = cut_off_since(&file).map_err(GitError::io(&path))? {
        let index = git.dir().join(git.path(&["rev-parse", "--git-path", "index.lock"]).await?);
        remove_leftover(&index, since).map_err(GitError::io(&index))?;
    }
    mark(&file).map_err(GitError::io(&path))?;
    Ok(git.holding(Arc::new(WorktreeLock::new(file))))
}

/// The same with a lock of one's own, beside a worktree that is not there yet.
pub(crate) async fn with_lock_at(git: &Git, path: &Path) -> Result<Git, GitError> {
    let file = locked(git, path).await?;
    Ok(git.holding(Arc::new(WorktreeLock::new(file))))
}

async fn locked(git: &Git, path: &Path) -> Result<File, GitError> {
    let file = File::options().read(true).write(true).create(true).truncate(false).open(path);
    let file = file.map_err(GitError::io(path))?;
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if started.elapsed() < LOCK_TIMEOUT => {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            Err(TryLockError::WouldBlock) => {
                return Err(GitError::Busy { path: git.dir().to_path_buf() });
            }
            Err(TryLockError::Error(error)) => return Err(GitError::io(path)(error)),
        }
    }
}

/// When the one before began, if it never said that it is done.
fn cut_off_since(mut file: &File) -> std::io::Result<Option<SystemTime>> {
    let mut text = String::new();
    file.rewind()?;
    file.read_to_string(&mut text)?;
    if text.is_empty() { Ok(None) } else { file.metadata()?.modified().map(Some) }
}

fn mark(mut file: &File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(b"at work\n")
}

/// One that is older than that is not ours.
fn remove_leftover(lock: &Path, since: SystemTime) -> std::io::Result<()> {
    let is_younger = |made: SystemTime| made + TICK >= since;
    match lock.metadata().and_then(|found| found.modified()) {
        Ok(made) if is_younger(made) => std::fs::remove_file(lock),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}
