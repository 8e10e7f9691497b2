//! Logs, read in the words of a dialect. Some words need to know what came before (who asked, which model): that fold is
//! kept for the runs that are looked at, so that reading on costs only what is new.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use amelia_core::event::{AgentEvent, Event, EventKind};
use amelia_core::id::{AgentName, EventId, RunId, Seq};
use amelia_core::store::{Store, StoreError};
use amelia_core::view::RunRow;
use amelia_wire::facts::Facts;
use amelia_wire::rest::Page;
use parking_lot::Mutex;

/// Events read at once.
const PAGE: usize = 500;
/// Runs whose fold is kept; beyond, all are forgotten and made again when they are asked for.
const KEPT: usize = 256;

pub(crate) struct LogCache {
    store: Arc<dyn Store>,
    kept: Mutex<HashMap<RunId, LogSummary>>,
}

/// What a log has said up to some event.
#[derive(Clone, Default)]
pub(crate) struct LogSummary {
    pub(crate) seq: Seq,
    pub(crate) facts: Facts,
    /// The event that began the turn in which each agent is.
    pub(crate) turns: BTreeMap<AgentName, EventId>,
}

impl LogSummary {
    pub(crate) fn apply(&mut self, event: &Event) {
        self.seq = event.seq;
        self.facts.apply(event);
        if let EventKind::Agent(AgentEvent::Started { .. }) = &event.draft.kind {
            self.turns.insert(event.draft.agent.clone(), event.draft.id);
        }
    }
}

impl LogCache {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store, kept: Mutex::default() }
    }

    /// The fold of a log up to `at`, or to its end when that comes first.
    pub(crate) async fn known(&self, run: RunId, at: Seq) -> Result<LogSummary, StoreError> {
        let mut known = self.recall(run, at);
        while known.seq < at {
            let events = self.store.shown_events(run, known.seq, PAGE).await?;
            let Some(last) = events.last() else { break };
            let is_there = last.seq >= at;
            events.iter().take_while(|event| event.seq <= at).for_each(|event| known.apply(event));
            if is_there {
                break;
            }
        }
        self.keep(run, &known);
        Ok(known)
    }

    /// What `take` makes of the events after `after`, at most `limit`.
    pub(crate) async fn part<T>(
        &self,
        row: &RunRow,
        after: u64,
        limit: usize,
        mut take: impl FnMut(&Event, &Facts) -> Option<T>,
    ) -> Result<Page<T>, StoreError> {
        let (run, end) = (row.run.id, row.view.seq);
        let mut known = self.known(run, Seq(after)).await?;
        let mut at = Seq(after);
        let mut items = Vec::new();
        loop {
            let events = self.store.shown_events(run, at, PAGE).await?;
            let Some(last) = events.last() else { return Ok(Page { items, next_cursor: None }) };
            at = last.seq;
            for event in &events {
                known.apply(event);
                items.extend(take(event, &known.facts));
                if items.len() == limit {
                    self.keep(run, &known);
                    let next_cursor = (event.seq < end).then(|| event.seq.0.to_string());
                    return Ok(Page { items, next_cursor });
                }
            }
        }
    }

    /// Every event of a log, for folds of the whole.
    pub(crate) async fn each(&self, run: RunId, mut see: impl FnMut(Event)) -> Result<(), StoreError> {
        let mut at = Seq::START;
        loop {
            let events = self.store.shown_events(run, at, PAGE).await?;
            let Some(last) = events.last() else { return Ok(()) };
            at = last.seq;
            events.into_iter().for_each(&mut see);
        }
    }

    pub(crate) fn forget(&self, run: RunId) {
        self.kept.lock().remove(&run);
    }

    fn recall(&self, run: RunId, at: Seq) -> LogSummary {
        let kept = self.kept.lock();
        kept.get(&run).filter(|known| known.seq <= at).cloned().unwrap_or_default()
    }

    /// The furthest fold is the one that the next reader wants.
    fn keep(&self, run: RunId, known: &LogSummary) {
        let mut kept = self.kept.lock();
        if kept.get(&run).is_some_and(|other| other.seq >= known.seq) {
            return;
        }
        if kept.len() >= KEPT && !kept.contains_key(&run) {
            kept.clear();
        }
        kept.insert(run, known.clone());
    }
}
