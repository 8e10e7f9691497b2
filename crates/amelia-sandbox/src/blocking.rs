//! File work that can take long, away from the threads that serve everything else.

use std::io;
use std::path::Path;

use crate::error::SandboxError;

/// Does work about `path` on a thread that may block.
pub(crate) async fn blocking<T: Send + 'static>(
    path: &Path,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, SandboxError> {
    // It ends without a result when it panics, or when the program ends.
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other).map_err(SandboxError::io(path))
}
