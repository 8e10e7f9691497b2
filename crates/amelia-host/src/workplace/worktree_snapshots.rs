//! Keeps what a worktree holds between its commits: a fork begins with it. After every call that changed something, and
//! when the run comes to rest.

use amelia_git::status::DirtyFile;
use amelia_git::{Repository, Snapshot, Worktree};
use tokio::sync::Mutex;

/// Keeps one worktree during one visit of a node. Only its last snapshot stays: a fork begins where a visit ends or was
/// interrupted.
pub(crate) struct WorktreeSnapshots {
    repository: Repository,
    worktree: Worktree,
    last: Mutex<Option<Snapshot>>,
}

impl WorktreeSnapshots {
    pub(crate) fn new(repository: &Repository, worktree: &Worktree) -> Self {
        Self { repository: repository.clone(), worktree: worktree.clone(), last: Mutex::default() }
    }

    /// Keeps what the worktree holds now. That it could not be kept is noted, and a fork says so; the work does not stop
    /// for it.
    pub(super) async fn keep(&self, dirty: &[DirtyFile]) {
        let mut last = self.last.lock().await;
        let now = jiff::Timestamp::now().as_millisecond();
        match self.repository.snapshot(&self.worktree, now, dirty, last.as_ref()).await {
            Ok(Some(made)) => *last = Some(made),
            Ok(None) => {}
            Err(error) => tracing::warn!("no snapshot of {}: {error}", self.worktree.path.display()),
        }
    }

    /// The same, for a caller that does not know what has changed.
    pub(crate) async fn look_and_keep(&self) {
        match self.repository.dirty_files(&self.worktree).await {
            Ok(dirty) => self.keep(&dirty).await,
            Err(error) => tracing::warn!("no snapshot of {}: {error}", self.worktree.path.display()),
        }
    }
}
