//! The last message about each run, for all sockets of `/ws/runs` together.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;

use amelia_core::id::RunId;
use axum::extract::ws::Utf8Bytes;
use parking_lot::Mutex;
use tokio::sync::watch;

/// What is kept for all sockets.
#[derive(Default)]
pub(crate) struct Board {
    told: Mutex<BoardLog>,
    /// The number of the last message.
    end: watch::Sender<u64>,
}

#[derive(Default)]
struct BoardLog {
    /// The last message of each run, by its number.
    messages: BTreeMap<u64, (RunId, Utf8Bytes)>,
    numbers: HashMap<RunId, u64>,
    last: u64,
    /// A task reads what changes.
    is_kept: bool,
}

/// One socket's place among the messages.
pub(crate) struct BoardReader {
    pub(crate) end: watch::Receiver<u64>,
    pub(crate) seen: u64,
}

impl Board {
    /// From now on every change has a number that is higher than what the looker has seen.
    /// `keep` is called when nothing reads what changes yet.
    pub(crate) fn look(&self, keep: impl FnOnce()) -> BoardReader {
        let mut told = self.told.lock();
        let looker = BoardReader { end: self.end.subscribe(), seen: told.last };
        if !told.is_kept {
            told.is_kept = true;
            keep();
        }
        looker
    }

    /// Everything after `seen`, each run once.
    pub(crate) fn after(&self, seen: &mut u64) -> Vec<Utf8Bytes> {
        let told = self.told.lock();
        let news = told.messages.range((Bound::Excluded(*seen), Bound::Unbounded));
        let news = news.map(|(_, (_, text))| text.clone()).collect();
        *seen = told.last;
        news
    }

    /// Forgets everything when no socket looks any more.
    pub(crate) fn is_over(&self) -> bool {
        let mut told = self.told.lock();
        let is_over = self.end.receiver_count() == 0;
        if is_over {
            *told = BoardLog { last: told.last, ..BoardLog::default() };
        }
        is_over
    }

    /// Writes what has changed, and wakes those who look.
    pub(crate) fn put(&self, news: Vec<(RunId, Utf8Bytes)>) {
        let mut told = self.told.lock();
        news.into_iter().for_each(|(run, text)| told.put(run, text));
        self.end.send_replace(told.last);
    }
}

impl BoardLog {
    fn put(&mut self, run: RunId, text: Utf8Bytes) {
        self.last = self.last.saturating_add(1);
        if let Some(before) = self.numbers.insert(run, self.last) {
            self.messages.remove(&before);
        }
        self.messages.insert(self.last, (run, text));
    }
}
