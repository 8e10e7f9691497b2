//! Live events. The bus may lose some for a slow reader; a [`Watch`] never does, because it reads the log again
//! wherever it finds a gap.

use std::collections::VecDeque;
use std::sync::Arc;

use amelia_core::event::Event;
use amelia_core::id::{RunId, Seq};
use amelia_core::store::{Store, StoreError};
use tokio::sync::broadcast;

/// Events that may wait for a slow reader before it has to read the log instead.
const QUEUE: usize = 1024;
/// Events read from the log at once.
const PAGE: usize = 500;

/// Where events go once they are durable.
#[derive(Clone)]
pub struct Bus(broadcast::Sender<Arc<Event>>);

impl Default for Bus {
    fn default() -> Self {
        Self(broadcast::Sender::new(QUEUE))
    }
}

impl Bus {
    /// Shows a durable event to whoever looks.
    pub(crate) fn publish(&self, event: Event) {
        if self.0.receiver_count() > 0 {
            // Nobody looking is fine: the log has it.
            self.0.send(Arc::new(event)).ok();
        }
    }

    /// Every event of all runs after `cursor`, first from the store, then live, without gap or repetition.
    #[must_use]
    pub fn feed(&self, store: Arc<dyn Store>, cursor: u64) -> Feed {
        let live = self.0.subscribe();
        Feed { store, cursor, live, waiting: VecDeque::new(), is_behind: true }
    }

    /// Every event of `run` after `after`, first from the log, then live, without gap or repetition.
    #[must_use]
    pub fn watch(&self, store: Arc<dyn Store>, run: RunId, after: Seq) -> Watch {
        // Subscribed before the log is read: what is committed in between comes twice, not never.
        let live = self.0.subscribe();
        Watch { store, run, last: after, live, waiting: VecDeque::new(), is_behind: true }
    }
}

/// One reader of all logs. The bus only wakes it: what it hands out comes from the store, in the order of commits.
pub struct Feed {
    store: Arc<dyn Store>,
    cursor: u64,
    live: broadcast::Receiver<Arc<Event>>,
    waiting: VecDeque<(u64, Arc<Event>)>,
    is_behind: bool,
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
                let events = self.store.feed(self.cursor, PAGE).await?;
                self.is_behind = events.len() == PAGE;
                self.waiting.extend(events.into_iter().map(|(cursor, event)| (cursor, Arc::new(event))));
                continue;
            }
            match self.live.recv().await {
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {
                    // One look at the store for everything that woke it until now.
                    while self.live.try_recv().is_ok() {}
                    self.is_behind = true;
                }
                Err(broadcast::error::RecvError::Closed) => return Err(StoreError::Closed),
            }
        }
    }

    /// Whether the next event is there without waiting for the store.
    #[must_use]
    pub fn has_next(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Everything that was there at the beginning has been handed out.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.waiting.is_empty() && !self.is_behind
    }
}

/// One reader of one log.
pub struct Watch {
    store: Arc<dyn Store>,
    run: RunId,
    last: Seq,
    live: broadcast::Receiver<Arc<Event>>,
    waiting: VecDeque<Arc<Event>>,
    is_behind: bool,
}

impl Watch {
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
                Ok(event) if event.run != self.run || event.seq <= self.last => {}
                Ok(event) if event.seq == self.last.plus(1) => self.waiting.push_back(event),
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => self.is_behind = true,
                Err(broadcast::error::RecvError::Closed) => return Err(StoreError::Closed),
            }
        }
    }

    async fn catch_up(&mut self) -> Result<(), StoreError> {
        let events = self.store.events(self.run, self.last, PAGE).await?;
        self.is_behind = events.len() == PAGE;
        self.waiting.extend(events.into_iter().map(Arc::new));
        Ok(())
    }
}
