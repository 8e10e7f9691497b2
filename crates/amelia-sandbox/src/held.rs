//! One writer in a worktree, over the death of the process: a git that outlives it is let finish before another one
//! begins. The lock is an open file that git itself has as its input, so it is held for as long as that git lives.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::error::SandboxError;
use crate::git::Git;

/// How long a git of an earlier life may take: hooks may be slow.
const PATIENCE: Duration = Duration::from_secs(60);

/// This git as the only one of ours that writes in its worktree, until it is dropped and what it started has ended.
pub(crate) async fn held(git: &Git) -> Result<Git, SandboxError> {
    let path = git.dir().join(git.path(&["rev-parse", "--git-path", "amelia-lock"]).await?);
    held_by(git, &path).await
}

/// The same with a lock of one's own.
pub(crate) async fn held_by(git: &Git, path: &Path) -> Result<Git, SandboxError> {
    let file = File::options().read(true).write(true).create(true).truncate(false).open(path);
    let file = file.map_err(SandboxError::io(path))?;
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(git.holding(Arc::new(file))),
            Err(TryLockError::WouldBlock) if started.elapsed() < PATIENCE => {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            Err(TryLockError::WouldBlock) => {
                return Err(SandboxError::Busy { path: git.dir().to_path_buf() });
            }
            Err(TryLockError::Error(error)) => return Err(SandboxError::io(path)(error)),
        }
    }
}
