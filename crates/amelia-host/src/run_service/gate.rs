//! How many diffs are made at once: one of a run, and a few in all. Each may take as much memory as a diff may be large.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use amelia_core::id::RunId;
use parking_lot::Mutex;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};

/// Diffs at once, of all runs.
const MOST: usize = 2;

/// Requests for a diff wait here for the ones before.
#[derive(Debug)]
pub(super) struct DiffGate {
    runs: Mutex<BTreeMap<RunId, Weak<AsyncMutex<()>>>>,
    all: Arc<Semaphore>,
}

impl Default for DiffGate {
    fn default() -> Self {
        Self { runs: Mutex::default(), all: Arc::new(Semaphore::new(MOST)) }
    }
}

/// A diff may be made until this is dropped.
pub(super) struct DiffPermit {
    _run: OwnedMutexGuard<()>,
    _all: Option<OwnedSemaphorePermit>,
}

impl DiffGate {
    pub(super) async fn enter(&self, run: RunId) -> DiffPermit {
        // A run's own first: those who wait for one run must not take the places of all others.
        let of_run = self.of_run(run).lock_owned().await;
        let all = Arc::clone(&self.all).acquire_owned().await;
        // It is never closed.
        DiffPermit { _run: of_run, _all: all.ok() }
    }

    fn of_run(&self, run: RunId) -> Arc<AsyncMutex<()>> {
        let mut runs = self.runs.lock();
        runs.retain(|_, lock| lock.strong_count() > 0);
        if let Some(lock) = runs.get(&run).and_then(Weak::upgrade) {
            return lock;
        }
        let lock = Arc::default();
        runs.insert(run, Arc::downgrade(&lock));
        lock
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn one_diff_of_a_run_at_a_time_and_a_few_in_all() {
        let gate = DiffGate::default();
        let [one, two, three] = [1, 2, 3].map(|id| RunId(uuid::Uuid::from_u128(id)));
        let first = gate.enter(one).await;
        assert!(gate.enter(one).now_or_never().is_none());
        let second = gate.enter(two).now_or_never().unwrap();
        assert!(gate.enter(three).now_or_never().is_none());
        drop(first);
        let third = gate.enter(three).now_or_never().unwrap();
        drop((second, third));
        assert!(gate.enter(one).now_or_never().is_some());
        assert_eq!(gate.runs.lock().len(), 1);
    }
}
