//! The one writer of a run's log: commits first, publishes after.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use amelia_core::event::{Draft, Event};
use amelia_core::id::{RunId, Seq, Step};
use amelia_core::journal::Journal;
use amelia_core::store::{Commit, CommitReceipt, Store, StoreError, StoreFuture};
use async_trait::async_trait;
use parking_lot::Mutex;

use crate::bus::Bus;
use crate::tape::Waiting;

/// Events read at once when a visit looks at its past.
const PAGE: usize = 1000;
/// Events that are kept in memory: those of a few turns.
const LATEST: usize = 64;
/// How often a reader looks for a commit under way, and how long it looks at most: one that was refused never comes.
const LOOK_EVERY: Duration = Duration::from_millis(1);
const LOOKS: u32 = 1000;

/// A journal on a store. One per root run.
pub struct Recorder {
    store: Arc<dyn Store>,
    bus: Bus,
    run: RunId,
    /// Where the log will end when everything submitted is written. The lock is held while a commit is submitted,
    /// never while it is awaited: commits of one run are in line, and a caller that is dropped keeps its place.
    end: Mutex<Seq>,
    tape: Arc<Waiting>,
    /// Conversations that were read back, so that the next visit reads only what is new.
    sessions: Mutex<HashMap<RunId, ReadBack>>,
    latest: Arc<LatestEvents>,
}

/// The last events of a log that this process wrote, one after the other: a visit that looks at what it has just written
/// needs no read.
#[derive(Default)]
struct LatestEvents(Mutex<VecDeque<Arc<Event>>>);

impl LatestEvents {
    fn add(&self, event: &Arc<Event>) {
        let mut events = self.0.lock();
        // Commits that several callers await may be reported in another order.
        if events.back().is_some_and(|last| last.seq.plus(1) != event.seq) {
            events.clear();
        }
        events.push_back(Arc::clone(event));
        if events.len() > LATEST {
            events.pop_front();
        }
    }

    /// What came after `until`; `None` when that is not known.
    fn after(&self, until: Seq, end: Seq) -> Option<Vec<Arc<Event>>> {
        let events = self.0.lock();
        let is_whole = events.front()?.seq <= until.plus(1) && events.back()?.seq == end;
        is_whole.then(|| events.iter().filter(|event| event.seq > until).cloned().collect())
    }
}

/// A part of the log, as far as it was read.
#[derive(Clone, Default)]
struct ReadBack {
    until: Seq,
    /// Shared with the visits that read it; by the time that it grows they have ended.
    events: Arc<Vec<Event>>,
}

impl Recorder {
    /// Reads on to the end of the log, with what was submitted before. A commit whose caller was dropped may be under way.
    async fn read(
        &self,
        known: ReadBack,
        is_wanted: impl Fn(&Draft) -> bool,
    ) -> Result<ReadBack, StoreError> {
        let ReadBack { mut until, events: mut shared } = known;
        let events = Arc::make_mut(&mut shared);
        let end = self.end();
        if let Some(latest) = self.latest.after(until, end) {
            events
                .extend(latest.iter().filter(|event| is_wanted(&event.draft)).map(|event| (**event).clone()));
            return Ok(ReadBack { until: end, events: shared });
        }
        let mut looks = 0;
        loop {
            let page = self.store.events(self.run, until, PAGE).await?;
            let Some(last) = page.last() else {
                if until >= end.min(self.end()) || looks == LOOKS {
                    return Ok(ReadBack { until, events: shared });
                }
                looks += 1;
                tokio::time::sleep(LOOK_EVERY).await;
                continue;
            };
            until = last.seq;
            events.extend(page.into_iter().filter(|event| is_wanted(&event.draft)));
        }
    }

    /// A writer for a log that ends at `end`.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, bus: Bus, run: RunId, end: Seq) -> Self {
        let (tape, latest) = Default::default();
        Self { store, bus, run, end: Mutex::new(end), tape, sessions: Mutex::default(), latest }
    }

    /// Takes along what comes from outside.
    #[must_use]
    pub fn with_tape(self, tape: Arc<Waiting>) -> Self {
        Self { tape, ..self }
    }

    /// Writes what comes from outside whenever there is much of it. Ends only when that cannot be done.
    pub(crate) async fn keep_up(&self) -> StoreError {
        loop {
            self.tape.is_much().await;
            let committed = self.commit(Commit::default()).await;
            // Another commit was faster and took it along.
            if let Err(error) = committed.or_else(|error| match error {
                StoreError::Invalid(_) => Ok(self.end()),
                error => Err(error),
            }) {
                return error;
            }
        }
    }

    /// What was refused did not lengthen the log: the next commit takes its place. A conflict teaches nothing, because
    /// where another writer's log ends is not ours to follow.
    fn refused(&self, after: Seq, error: &StoreError) {
        if !matches!(error, StoreError::Conflict { .. }) {
            let mut end = self.end.lock();
            *end = after.min(*end);
        }
    }
}

/// A commit under way. What it wrote is published when it is durable, also when its caller is dropped before that.
struct Publishing {
    answer: Option<StoreFuture<CommitReceipt>>,
    readers: Readers,
}

/// Who learns what was written.
#[derive(Clone)]
struct Readers {
    bus: Bus,
    latest: Arc<LatestEvents>,
}

impl Readers {
    fn tell(&self, committed: CommitReceipt) {
        for event in committed.events.into_iter().map(Arc::new) {
            self.latest.add(&event);
            self.bus.publish(event);
        }
    }
}

impl Publishing {
    async fn finish(mut self) -> Result<(), StoreError> {
        if let Some(answer) = &mut self.answer {
            let committed = answer.await;
            self.answer = None;
            #[cfg(debug_assertions)]
            crate::dying::committed();
            self.readers.tell(committed?);
        }
        Ok(())
    }
}

impl Drop for Publishing {
    fn drop(&mut self) {
        let Some(answer) = self.answer.take() else { return };
        // Without a runtime there are no subscribers.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let readers = self.readers.clone();
        runtime.spawn(async move {
            if let Ok(committed) = answer.await {
                readers.tell(committed);
            }
        });
    }
}

#[async_trait]
impl Journal for Recorder {
    async fn commit(&self, mut commit: Commit) -> Result<Seq, StoreError> {
        let (answer, after, end) = {
            let mut end = self.end.lock();
            let after = *end;
            // Under the lock: what a fact came from is never written after it.
            commit.frames.extend(self.tape.take());
            *end = after.plus(commit.drafts.len());
            (self.store.commit(self.run, after, commit), after, *end)
        };
        let readers = Readers { bus: self.bus.clone(), latest: Arc::clone(&self.latest) };
        let publishing = Publishing { answer: Some(answer), readers };
        publishing.finish().await.inspect_err(|error| self.refused(after, error))?;
        Ok(end)
    }

    async fn past(&self, since: Seq, step: Step) -> Result<Vec<Event>, StoreError> {
        let none = ReadBack { until: since, events: Arc::default() };
        Ok(Arc::unwrap_or_clone(self.read(none, |draft| draft.step == Some(step)).await?.events))
    }

    async fn session(&self, session: RunId) -> Result<Arc<Vec<Event>>, StoreError> {
        // Taken out while it is read on: a second reader at the same moment begins anew, and none gets half of it.
        let known = self.sessions.lock().remove(&session).unwrap_or_default();
        let read = self.read(known, |draft| draft.session == Some(session)).await?;
        let events = Arc::clone(&read.events);
        self.sessions.lock().insert(session, read);
        Ok(events)
    }

    async fn turn_of(&self, step: Step) {
        self.store.turn_of(step).await;
    }

    fn end(&self) -> Seq {
        *self.end.lock()
    }
}
