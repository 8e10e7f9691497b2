//! Views of runs as they are when everything that was submitted is written. A commit is folded and serialized here, by
//! its caller, so that the one thread that writes has less to do.
//!
//! A commit may still be refused, and others may have been folded on top of it. So every view carries the mark of the
//! last commit in it: the writer takes a folded view only if it stands on what was really written.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use amelia_core::event::{Event, EventKind, RunEvent};
use amelia_core::id::{RunId, Seq};
use amelia_core::run::RunStatus;
use amelia_core::store::StoreError;
use amelia_core::view::RunView;
use parking_lot::Mutex;

/// Views that are kept; forgotten all at once when there are more.
const MAX_VIEWS: usize = 4096;

/// Which commits a view has in it, all in one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark(u64);

impl Mark {
    /// Of the view of a run that has no events.
    pub(super) const NONE: Self = Self(0);
}

/// A view as it is stored.
pub(super) struct StoredView {
    pub(super) text: String,
    pub(super) checksum: u32,
    pub(super) seq: Seq,
    pub(super) status: RunStatus,
}

/// The view after a commit, and what it stands on.
pub(super) struct Folded {
    pub(super) base: Mark,
    pub(super) mark: Mark,
    pub(super) view: StoredView,
}

#[derive(Default)]
pub(super) struct Ahead {
    views: Mutex<HashMap<RunId, (Mark, RunView)>>,
    marks: AtomicU64,
}

impl Ahead {
    /// Folds the events of a commit, if the view before them is known.
    pub(super) fn fold(
        &self,
        run: RunId,
        after: Seq,
        events: &[Event],
    ) -> Result<Option<Folded>, StoreError> {
        let Some((base, mut view)) = self.before(run, after, events) else { return Ok(None) };
        events.iter().for_each(|event| view.apply(event));
        let stored = StoredView::new(&view)?;
        let mark = self.new_mark();
        self.put(run, mark, view);
        Ok(Some(Folded { base, mark, view: stored }))
    }

    /// Takes a view out; it comes back with more events in it.
    fn before(&self, run: RunId, after: Seq, events: &[Event]) -> Option<(Mark, RunView)> {
        let first = events.first().map(|event| &event.draft.kind);
        if after == Seq::START && matches!(first, Some(EventKind::Run(RunEvent::Created { .. }))) {
            return Some((Mark::NONE, RunView::default()));
        }
        self.views.lock().remove(&run).filter(|(_, view)| view.seq == after)
    }

    /// The view of a run as it was just written.
    pub(super) fn put(&self, run: RunId, mark: Mark, view: RunView) {
        let mut views = self.views.lock();
        if matches!(view.status, RunStatus::Completed | RunStatus::Cancelled) {
            return;
        }
        if views.len() >= MAX_VIEWS {
            views.clear();
        }
        views.insert(run, (mark, view));
    }

    pub(super) fn forget(&self, run: RunId) {
        self.views.lock().remove(&run);
    }

    pub(super) fn clear(&self) {
        self.views.lock().clear();
    }

    /// Unlike any other.
    pub(super) fn new_mark(&self) -> Mark {
        Mark(self.marks.fetch_add(1, Ordering::Relaxed).wrapping_add(1))
    }
}

impl StoredView {
    pub(super) fn new(view: &RunView) -> Result<Self, StoreError> {
        let text = serde_json::to_string(view).map_err(|error| StoreError::Invalid(error.to_string()))?;
        Ok(Self { checksum: crc32fast::hash(text.as_bytes()), text, seq: view.seq, status: view.status })
    }
}
