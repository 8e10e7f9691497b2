//! A store in front of another one. A layer overrides the calls that it watches or changes; all others pass through.

use async_trait::async_trait;

use super::{CheckpointAt, Commit, CommitReceipt, RunFilter, Store, StoreError, StoreFuture};
use crate::checkpoint::{CheckpointInfo, LoadedCheckpoint};
use crate::effect::LedgerEntry;
use crate::event::Event;
use crate::id::{RunId, Seq, Step};
use crate::recording::StoredFrame;
use crate::run::RunStatus;
use crate::view::RunRow;

/// The calls that layers have a reason to override. Every layer is a [`Store`].
#[async_trait]
pub trait StoreLayer: Send + Sync {
    /// The store behind.
    fn inner(&self) -> &dyn Store;

    fn commit(&self, run: RunId, after: Seq, commit: Commit) -> StoreFuture<CommitReceipt> {
        self.inner().commit(run, after, commit)
    }

    async fn turn_of(&self, step: Step) {
        self.inner().turn_of(step).await;
    }

    /// Also what is read of a log to look at.
    async fn events(&self, run: RunId, after: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        self.inner().events(run, after, limit).await
    }

    async fn run(&self, run: RunId) -> Result<Option<RunRow>, StoreError> {
        self.inner().run(run).await
    }

    async fn load(&self, run: RunId, at: CheckpointAt) -> Result<Option<LoadedCheckpoint>, StoreError> {
        self.inner().load(run, at).await
    }
}

#[async_trait]
impl<L: StoreLayer> Store for L {
    fn commit(&self, run: RunId, after: Seq, commit: Commit) -> StoreFuture<CommitReceipt> {
        StoreLayer::commit(self, run, after, commit)
    }

    async fn turn_of(&self, step: Step) {
        StoreLayer::turn_of(self, step).await;
    }

    async fn events(&self, run: RunId, after: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        StoreLayer::events(self, run, after, limit).await
    }

    async fn run(&self, run: RunId) -> Result<Option<RunRow>, StoreError> {
        StoreLayer::run(self, run).await
    }

    async fn load(&self, run: RunId, at: CheckpointAt) -> Result<Option<LoadedCheckpoint>, StoreError> {
        StoreLayer::load(self, run, at).await
    }

    async fn feed(&self, cursor: u64, limit: usize) -> Result<Vec<(u64, Event)>, StoreError> {
        self.inner().feed(cursor, limit).await
    }

    async fn end(&self) -> Result<u64, StoreError> {
        self.inner().end().await
    }

    async fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRow>, StoreError> {
        self.inner().runs(filter).await
    }

    async fn statuses(&self) -> Result<Vec<(RunId, RunStatus)>, StoreError> {
        self.inner().statuses().await
    }

    async fn checkpoints(&self, run: RunId) -> Result<Vec<CheckpointInfo>, StoreError> {
        self.inner().checkpoints(run).await
    }

    async fn frames(&self, run: RunId) -> Result<Vec<StoredFrame>, StoreError> {
        self.inner().frames(run).await
    }

    async fn effects(&self, run: RunId) -> Result<Vec<LedgerEntry>, StoreError> {
        self.inner().effects(run).await
    }

    async fn remove(&self, run: RunId) -> Result<(), StoreError> {
        self.inner().remove(run).await
    }

    async fn trim(&self, run: RunId, keep: usize) -> Result<usize, StoreError> {
        self.inner().trim(run, keep).await
    }

    async fn close(&self) -> Result<(), StoreError> {
        self.inner().close().await
    }
}
