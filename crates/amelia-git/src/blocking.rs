//! File work that can take long, away from the threads that serve everything else.

use std::io;
use std::path::Path;

use crate::error::GitError;

/// Does work about `path` on a thread that may block.
pub(crate) async fn blocking<T: Send + 'static>(
    path: &Path,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, GitError> {
    // It ends without a result when it panics, or when the program ends.
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other).map_err(GitError::io(path))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn other_tasks_run_while_work_blocks() {
        let (sender, receiver) = mpsc::channel();
        let work = blocking(Path::new("x"), move || receiver.recv_timeout(Duration::from_secs(60)));
        let (received, sent) = tokio::join!(work, async { sender.send(1) });
        assert_eq!((received.unwrap(), sent), (Ok(1), Ok(())));
    }

    #[tokio::test]
    async fn work_that_panics_is_an_error_that_names_the_path() {
        let failed = blocking(Path::new("/some/where"), || panic!("a defect")).await;
        assert!(matches!(&failed, Err(GitError::Io { path, .. }) if path == Path::new("/some/where")));
    }
}
