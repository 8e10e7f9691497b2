//! A worker that can be told to die at the n-th moment that matters, and a store that knows those moments.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use amelia_core::checkpoint::{CheckpointInfo, LoadedCheckpoint};
use amelia_core::effect::LedgerEntry;
use amelia_core::event::Event;
use amelia_core::id::{RunId, Seq};
use amelia_core::recording::StoredFrame;
use amelia_core::run::RunStatus;
use amelia_core::store::{
    CheckpointAt, Commit, CommitReceipt, RunFilter, Store, StoreError, StoreFuture, trace_of,
};
use amelia_core::view::RunRow;
use async_trait::async_trait;

use super::bug::Bug;

/// Counts moments and dies at the chosen one, by a signal that nothing can catch.
#[derive(Debug, Default)]
pub struct CrashPoint {
    moments: AtomicU64,
    die_at: Option<u64>,
}

impl CrashPoint {
    pub fn new(die_at: Option<u64>) -> Self {
        Self { moments: AtomicU64::new(0), die_at }
    }

    /// A moment before or after something that cannot be taken back.
    pub fn moment(&self) {
        let moment = self.moments.fetch_add(1, Ordering::SeqCst) + 1;
        if self.die_at == Some(moment) {
            let myself = rustix::process::getpid();
            rustix::process::kill_process(myself, rustix::process::Signal::KILL).ok();
        }
    }
}

/// Shows an event to whoever reads the worker's output.
pub type ShowEvent = Arc<dyn Fn(&Event) + Send + Sync>;

/// A store with a moment before and after every write.
pub struct CrashStore {
    pub inner: Arc<dyn Store>,
    pub crash_point: Arc<CrashPoint>,
    pub show: ShowEvent,
    pub bug: Option<Bug>,
}

#[async_trait]
impl Store for CrashStore {
    fn commit(&self, run: RunId, after: Seq, commit: Commit) -> StoreFuture<CommitReceipt> {
        if self.bug == Some(Bug::PublishBeforeCommit) {
            for (draft, place) in commit.drafts.iter().zip(1..) {
                let draft = draft.clone();
                (self.show)(&Event { run, seq: after.plus(place), trace: trace_of(run), draft });
            }
        }
        self.crash_point.moment();
        let answer = self.inner.commit(run, after, commit);
        let crash_point = Arc::clone(&self.crash_point);
        Box::pin(async move {
            let answer = answer.await;
            crash_point.moment();
            answer
        })
    }

    async fn feed(&self, cursor: u64, limit: usize) -> Result<Vec<(u64, Event)>, StoreError> {
        self.inner.feed(cursor, limit).await
    }

    async fn events(&self, run: RunId, after: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        self.inner.events(run, after, limit).await
    }

    async fn run(&self, run: RunId) -> Result<Option<RunRow>, StoreError> {
        self.inner.run(run).await
    }

    async fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRow>, StoreError> {
        self.inner.runs(filter).await
    }

    async fn statuses(&self) -> Result<Vec<(RunId, RunStatus)>, StoreError> {
        self.inner.statuses().await
    }

    async fn checkpoints(&self, run: RunId) -> Result<Vec<CheckpointInfo>, StoreError> {
        self.inner.checkpoints(run).await
    }

    async fn load(&self, run: RunId, at: CheckpointAt) -> Result<Option<LoadedCheckpoint>, StoreError> {
        self.inner.load(run, at).await
    }

    async fn frames(&self, run: RunId) -> Result<Vec<StoredFrame>, StoreError> {
        self.inner.frames(run).await
    }

    async fn effects(&self, run: RunId) -> Result<Vec<LedgerEntry>, StoreError> {
        self.inner.effects(run).await
    }

    async fn remove(&self, run: RunId) -> Result<(), StoreError> {
        self.inner.remove(run).await
    }

    async fn trim(&self, run: RunId, keep: usize) -> Result<usize, StoreError> {
        self.inner.trim(run, keep).await
    }

    async fn close(&self) -> Result<(), StoreError> {
        self.inner.close().await
    }
}
