//! A store that counts the events of runs that are read from it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use amelia_core::checkpoint::{CheckpointInfo, LoadedCheckpoint};
use amelia_core::effect::LedgerEntry;
use amelia_core::event::Event;
use amelia_core::id::{RunId, Seq};
use amelia_core::recording::StoredFrame;
use amelia_core::run::RunStatus;
use amelia_core::store::{CheckpointAt, Commit, CommitReceipt, RunFilter, Store, StoreError, StoreFuture};
use amelia_core::view::RunRow;
use amelia_store::sqlite::SqliteStore;
use async_trait::async_trait;

pub(crate) struct CountedStore {
    pub(crate) inner: Arc<SqliteStore>,
    pub(crate) read: Arc<AtomicUsize>,
}

#[async_trait]
impl Store for CountedStore {
    async fn events(&self, run: RunId, after: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        let events = self.inner.events(run, after, limit).await?;
        self.read.fetch_add(events.len(), Ordering::SeqCst);
        Ok(events)
    }

    fn commit(&self, run: RunId, after: Seq, commit: Commit) -> StoreFuture<CommitReceipt> {
        self.inner.commit(run, after, commit)
    }

    async fn feed(&self, cursor: u64, limit: usize) -> Result<Vec<(u64, Event)>, StoreError> {
        self.inner.feed(cursor, limit).await
    }

    async fn end(&self) -> Result<u64, StoreError> {
        self.inner.end().await
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
