//! A worker that can be made to die at the n-th moment that matters, and a store that knows those moments.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use amelia_core::event::Event;
use amelia_core::id::{RunId, Seq};
use amelia_core::store::{Commit, CommitReceipt, Store, StoreFuture, StoreLayer, trace_of};
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

/// Shows an event to the reader of the worker's output.
pub type ShowEvent = Arc<dyn Fn(&Event) + Send + Sync>;

/// A store with a moment before and after every write.
pub struct CrashStore {
    pub inner: Arc<dyn Store>,
    pub crash_point: Arc<CrashPoint>,
    pub show: ShowEvent,
    pub bug: Option<Bug>,
}

#[async_trait]
impl StoreLayer for CrashStore {
    fn inner(&self) -> &dyn Store {
        &*self.inner
    }

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
}
