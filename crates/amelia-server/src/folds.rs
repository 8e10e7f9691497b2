//! Folds of logs that pipeline states are shown from, kept for the runs that were looked at last: looking again costs what
//! has happened since, not the whole log.

use std::collections::VecDeque;
use std::sync::Arc;

use amelia_core::id::RunId;
use amelia_core::store::{Store, StoreError};
use amelia_wire::amelia::state::fold::{Extent, StateFold};
use parking_lot::Mutex as SyncMutex;
use tokio::sync::Mutex;

/// Events read at once.
const PAGE: usize = 500;
/// Runs whose fold is kept. Few: a fold has the outputs of the last tools.
const KEPT: usize = 16;

type Shared = Arc<Mutex<StateFold>>;

pub(crate) struct Folds {
    store: Arc<dyn Store>,
    /// The one that was looked at last is the last.
    kept: SyncMutex<VecDeque<(RunId, Shared)>>,
}

impl Folds {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store, kept: SyncMutex::default() }
    }

    /// What `show` makes of a run's log as it is now. Who comes meanwhile waits, and then has nothing left to read.
    pub(crate) async fn look<T>(
        &self,
        run: RunId,
        show: impl FnOnce(&StateFold) -> T,
    ) -> Result<T, StoreError> {
        let shared = self.shared(run);
        let mut fold = shared.lock().await;
        loop {
            let events = self.store.shown_events(run, fold.seq(), PAGE).await?;
            events.iter().for_each(|event| fold.apply(event));
            if events.len() < PAGE {
                return Ok(show(&fold));
            }
        }
    }

    pub(crate) fn forget(&self, run: RunId) {
        let mut kept = self.kept.lock();
        kept.retain(|(id, _)| *id != run);
    }

    /// Logs have been cut: what is gone there is not shown from here.
    pub(crate) fn forget_all(&self) {
        self.kept.lock().clear();
    }

    fn shared(&self, run: RunId) -> Shared {
        let mut kept = self.kept.lock();
        let place = kept.iter().position(|(id, _)| *id == run);
        let found = place.and_then(|place| kept.remove(place)).map(|(_, shared)| shared);
        let shared = found.unwrap_or_else(|| Arc::new(Mutex::new(StateFold::new(Extent::Recent))));
        kept.push_back((run, Arc::clone(&shared)));
        if kept.len() > KEPT {
            kept.pop_front();
        }
        shared
    }
}
