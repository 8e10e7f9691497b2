//! Live events. The bus may lose some for a slow reader; a [`LogWatch`] never does, because it reads the log again
//! wherever it finds a gap.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Weak};

use amelia_core::event::Event;
use amelia_core::id::{RunId, Seq};
use amelia_core::store::{Store, StoreError, StoreFuture};
use parking_lot::Mutex;
use tokio::sync::{Notify, broadcast};

use crate::channels::Channels;
use crate::deadlines::Deadlines;
use crate::live_text::LiveText;

/// Events that may wait for a slow reader before it has to read the log instead.
const QUEUE: usize = 1024;
/// Events read from the log at once.
const PAGE: usize = 500;

/// Runs that have changed, and who waits for one.
#[derive(Default)]
struct Touched {
    runs: Mutex<BTreeSet<RunId>>,
    some: Notify,
}

impl Touched {
    /// Wakes only with the first one: thousands of events a second cost their writer next to nothing.
    fn add(&self, run: RunId) {
        let mut runs = self.runs.lock();
        let is_first = runs.is_empty();
        runs.insert(run);
        drop(runs);
        if is_first {
            self.some.notify_one();
        }
    }
}

/// Where events go once they are durable.
#[derive(Clone)]
pub struct Bus {
    events: Channels<Arc<Event>>,
    /// What is not in the log yet.
    pub(crate) said: LiveText,
    lists: Arc<Mutex<Vec<Weak<Touched>>>>,
    pub(crate) deadlines: Deadlines,
}

impl Default for Bus {
    fn default() -> Self {
        Self {
            events: Channels::new(QUEUE),
            said: LiveText::default(),
            lists: Arc::default(),
            deadlines: Deadlines::default(),
        }
    }
}

impl Bus {
    /// Shows a durable event to all readers.
    pub(crate) fn publish(&self, event: Arc<Event>) {
        self.touched(event.run);
        self.said.is_written(&event);
        self.deadlines.notice(&event);
        self.events.send(event.run, event);
    }

    /// Something about a run is not what it was: it has a new event, it is worked on or not any more, or it is gone.
    pub(crate) fn touched(&self, run: RunId) {
        self.lists.lock().retain(|list| {
            let Some(list) = list.upgrade() else { return false };
            list.add(run);
            true
        });
    }

    /// Which runs change from now on.
    #[must_use]
    pub fn changes(&self) -> ChangedRuns {
        let list = Arc::default();
        self.lists.lock().push(Arc::downgrade(&list));
        ChangedRuns(list)
    }

    /// Every event of all runs after `cursor`, first from the store, then live, without gap or repetition.
    #[must_use]
    pub fn feed(&self, store: Arc<dyn Store>, cursor: u64) -> Feed {
        let live = self.events.all();
        let (waiting, reading) = (VecDeque::new(), None);
        Feed { store, cursor, live, waiting, reading, is_behind: true, has_lagged: false }
    }

    /// Every event of `run` after `after`, first from the log, then live, without gap or repetition.
    #[must_use]
    pub fn watch(&self, store: Arc<dyn Store>, run: RunId, after: Seq) -> LogWatch {
        // Subscribed before the log is read: what is committed in between comes twice, not never.
        let live = self.events.of(run);
        LogWatch {
            store,
            run,
            last: after,
            live,
            waiting: VecDeque::new(),
            is_behind: true,
            has_lagged: false,
        }
    }
}

/// Which runs have changed since the last look: bounded by their number, and never behind.
pub struct ChangedRuns(Arc<Touched>);

impl ChangedRuns {
    /// The runs that have changed since the last call. What a command has done is in it when the command returns.
    #[must_use]
    pub fn take(&self) -> BTreeSet<RunId> {
        std::mem::take(&mut *self.0.runs.lock())
    }

    /// Waits until there is something to take.
    pub async fn some(&self) {
        while self.0.runs.lock().is_empty() {
            self.0.some.notified().await;
        }
    }

    /// Puts back what could not be looked at.
    pub fn put_back(&self, run: RunId) {
        self.0.add(run);
    }
}

/// One reader of all logs. The bus only wakes it: what it hands out comes from the store, in the order of commits.
pub struct Feed {
    store: Arc<dyn Store>,
    cursor: u64,
    live: broadcast::Receiver<Arc<Event>>,
    waiting: VecDeque<(u64, Arc<Event>)>,
    /// A read that was begun. It is kept when `next` is dropped: beside something that is always ready, a read that begins
    /// anew each time never ends.
    reading: Option<StoreFuture<Vec<(u64, Event)>>>,
    is_behind: bool,
    has_lagged: bool,
}

impl Feed {
    /// The next event and its cursor, as soon as there is one.
    pub async fn next(&mut self) -> Result<(u64, Arc<Event>), StoreError> {
        loop {
            if let Some((cursor, event)) = self.waiting.pop_front() {
                self.cursor = cursor;
                return Ok((cursor, event));
            }
            if self.is_behind {
                let (store, cursor) = (Arc::clone(&self.store), self.cursor);
                let begin = || -> StoreFuture<_> { Box::pin(async move { store.feed(cursor, PAGE).await }) };
                let reading = self.reading.get_or_insert_with(begin);
                let read = reading.await;
                self.reading = None;
                let events = read?;
                self.is_behind = events.len() == PAGE;
                self.waiting.extend(events.into_iter().map(|(cursor, event)| (cursor, Arc::new(event))));
                continue;
            }
            match self.live.recv().await {
                woken @ (Ok(_) | Err(broadcast::error::RecvError::Lagged(_))) => {
                    self.has_lagged |= woken.is_err();
                    // One look at the store for everything that woke it until now.
                    while self.live.try_recv().is_ok() {}
                    self.is_behind = true;
                }
                Err(broadcast::error::RecvError::Closed) => return Err(StoreError::Closed),
            }
        }
    }

    /// Whether its reader was too slow for the queue since the last call; it has missed nothing.
    pub fn take_lagged(&mut self) -> bool {
        std::mem::take(&mut self.has_lagged)
    }

    /// Everything that was there at the beginning has been handed out.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.waiting.is_empty() && !self.is_behind
    }
}

/// One reader of one log.
pub struct LogWatch {
    store: Arc<dyn Store>,
    run: RunId,
    last: Seq,
    live: broadcast::Receiver<Arc<Event>>,
    waiting: VecDeque<Arc<Event>>,
    is_behind: bool,
    has_lagged: bool,
}

impl LogWatch {
    /// The last event that was handed out.
    #[must_use]
    pub fn seen(&self) -> Seq {
        self.last
    }

    /// The next event, as soon as there is one.
    pub async fn next(&mut self) -> Result<Arc<Event>, StoreError> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                self.last = event.seq;
                return Ok(event);
            }
            if self.is_behind {
                self.catch_up().await?;
                continue;
            }
            match self.live.recv().await {
                Ok(event) => self.heard(event),
                Err(broadcast::error::RecvError::Lagged(_)) => {
                    (self.is_behind, self.has_lagged) = (true, true);
                }
                Err(broadcast::error::RecvError::Closed) => return Err(StoreError::Closed),
            }
        }
    }

    /// The next event, if it is there already.
    pub fn ready(&mut self) -> Option<Arc<Event>> {
        while self.waiting.is_empty() && !self.is_behind {
            match self.live.try_recv() {
                Ok(event) => self.heard(event),
                // The waiting reader finds out.
                Err(_) => return None,
            }
        }
        let event = self.waiting.pop_front()?;
        self.last = event.seq;
        Some(event)
    }

    /// Takes what follows; finds out when something is missing before it.
    fn heard(&mut self, event: Arc<Event>) {
        let newest = self.waiting.back().map_or(self.last, |event| event.seq);
        if event.seq == newest.plus(1) {
            self.waiting.push_back(event);
        } else if event.seq > newest {
            self.is_behind = true;
        }
    }

    /// Whether its reader was too slow for the queue since the last call; it has missed nothing.
    pub fn take_lagged(&mut self) -> bool {
        std::mem::take(&mut self.has_lagged)
    }

    async fn catch_up(&mut self) -> Result<(), StoreError> {
        let events = self.store.shown_events(self.run, self.last, PAGE).await?;
        self.is_behind = events.len() == PAGE;
        self.waiting.extend(events.into_iter().map(Arc::new));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use amelia_core::clock::SystemClock;
    use amelia_core::id::GraphName;
    use amelia_core::run::RunSpec;
    use amelia_store::sqlite::{SqliteOptions, SqliteStore};
    use futures_util::FutureExt as _;

    use super::*;
    use crate::runs::Runs;

    #[tokio::test]
    async fn a_reader_that_always_has_something_else_to_do_gets_its_events() {
        let directory = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&directory.path().join("a.db"), SqliteOptions::default()).unwrap();
        let runs = Runs::new(Arc::new(store), Arc::new(SystemClock));
        let run = runs.create(RunSpec::new(GraphName::new("g").unwrap(), "a run")).await.unwrap();
        let mut feed = runs.feed(0);
        for _ in 0..10_000 {
            // Dropped as soon as it has to wait.
            if let Some(next) = feed.next().now_or_never() {
                assert_eq!(next.unwrap().1.run, run);
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!("the read never ended");
    }
}
