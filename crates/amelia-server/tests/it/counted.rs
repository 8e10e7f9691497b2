//! A store that counts the events of runs that are read from it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use amelia_core::event::Event;
use amelia_core::id::{RunId, Seq};
use amelia_core::store::{Store, StoreError, StoreLayer};
use amelia_store::sqlite::SqliteStore;
use async_trait::async_trait;

pub(crate) struct CountedStore {
    pub(crate) inner: Arc<SqliteStore>,
    pub(crate) read: Arc<AtomicUsize>,
}

#[async_trait]
impl StoreLayer for CountedStore {
    fn inner(&self) -> &dyn Store {
        &*self.inner
    }

    async fn events(&self, run: RunId, after: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        let events = self.inner.events(run, after, limit).await?;
        self.read.fetch_add(events.len(), Ordering::SeqCst);
        Ok(events)
    }
}
