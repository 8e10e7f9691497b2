//! The artifacts of runs, folded from their logs. The folds of the runs that are looked at are kept, so that looking again
//! costs only what is new.

use std::collections::HashMap;
use std::sync::Arc;

use amelia_core::artifact::ArtifactIndex;
use amelia_core::event::{Event, EventKind};
use amelia_core::id::{RunId, Seq};
use amelia_core::store::{Store, StoreError};
use parking_lot::Mutex;

/// Events read at once.
const PAGE: usize = 1000;
/// Runs whose fold is kept; beyond, all are forgotten and made again when they are asked for.
const KEPT: usize = 64;

/// The artifacts of a run up to some event.
#[derive(Debug, Clone, Default)]
pub(crate) struct FoldedLog {
    pub(crate) seq: Seq,
    pub(crate) index: ArtifactIndex,
}

impl FoldedLog {
    /// Reads on to the end of the log. A damaged event hides no other.
    pub(crate) async fn catch_up(&mut self, store: &dyn Store, run: RunId) -> Result<(), StoreError> {
        self.read_until(store, run, Seq(u64::MAX)).await
    }

    /// Reads on to this event.
    pub(crate) async fn read_until(
        &mut self,
        store: &dyn Store,
        run: RunId,
        until: Seq,
    ) -> Result<(), StoreError> {
        while self.seq < until {
            let events = store.shown_events(run, self.seq, PAGE).await?;
            let Some(last) = events.last() else { return Ok(()) };
            self.seq = last.seq;
            events.iter().filter(|event| event.seq <= until).for_each(|event| self.apply(event));
        }
        Ok(())
    }

    fn apply(&mut self, event: &Event) {
        if let EventKind::Artifact(artifact) = &event.draft.kind {
            self.index.apply(artifact, event.draft.at, Some(event.seq));
        }
    }
}

/// The folds of many runs.
#[derive(Default)]
pub(crate) struct FoldedLogs(Mutex<HashMap<RunId, Arc<FoldedLog>>>);

impl FoldedLogs {
    /// The artifacts of a run now.
    pub(crate) async fn of(&self, store: &dyn Store, run: RunId) -> Result<Arc<FoldedLog>, StoreError> {
        let known = self.0.lock().get(&run).cloned().unwrap_or_default();
        let mut folded = FoldedLog::clone(&known);
        folded.catch_up(store, run).await?;
        let folded = Arc::new(folded);
        let mut kept = self.0.lock();
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(run, Arc::clone(&folded));
        Ok(folded)
    }
}
