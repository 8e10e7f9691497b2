//! One channel for readers of all runs, and one for each run that has readers: a reader of one run is not
//! woken by a hundred others.

use std::collections::HashMap;
use std::sync::Arc;

use amelia_core::id::RunId;
use parking_lot::Mutex;
use tokio::sync::broadcast::{Receiver, Sender};

/// Values that may wait for a slow reader of one run.
const ROOM: usize = 256;

#[derive(Clone)]
pub(crate) struct Channels<T> {
    all: Sender<T>,
    of_runs: Arc<Mutex<HashMap<RunId, Sender<T>>>>,
}

impl<T: Clone> Channels<T> {
    /// `room` is for readers of all runs. A reader that is slower misses some, and learns it.
    pub(crate) fn new(room: usize) -> Self {
        Self { all: Sender::new(room), of_runs: Arc::default() }
    }

    /// Shows a value to all readers. There may be none.
    pub(crate) fn send(&self, run: RunId, value: T) {
        let of_run = {
            let mut of_runs = self.of_runs.lock();
            let is_alone = of_runs.get(&run).is_some_and(|sender| sender.receiver_count() == 0);
            if is_alone {
                of_runs.remove(&run);
            }
            of_runs.get(&run).cloned()
        };
        if let Some(sender) = of_run {
            sender.send(value.clone()).ok();
        }
        if self.all.receiver_count() > 0 {
            self.all.send(value).ok();
        }
    }

    pub(crate) fn all(&self) -> Receiver<T> {
        self.all.subscribe()
    }

    pub(crate) fn of(&self, run: RunId) -> Receiver<T> {
        let mut of_runs = self.of_runs.lock();
        // A run at rest sends nothing that would show that its readers have gone.
        of_runs.retain(|_, sender| sender.receiver_count() > 0);
        of_runs.entry(run).or_insert_with(|| Sender::new(ROOM)).subscribe()
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::clock::{Clock as _, SystemClock};

    use super::*;

    #[test]
    fn a_reader_of_one_run_gets_that_one_and_leaves_nothing_behind() {
        let [one, two] = std::array::from_fn(|_| RunId(SystemClock.new_id()));
        let channels = Channels::new(8);
        channels.send(one, "unheard");
        let (mut all, mut of_one) = (channels.all(), channels.of(one));
        channels.send(one, "a");
        channels.send(two, "b");
        assert_eq!((all.try_recv(), all.try_recv()), (Ok("a"), Ok("b")));
        assert_eq!((of_one.try_recv(), of_one.try_recv().is_err()), (Ok("a"), true));
        drop(of_one);
        channels.send(one, "c");
        assert!(channels.of_runs.lock().is_empty());
    }

    #[test]
    fn readers_of_runs_that_say_nothing_leave_nothing_behind() {
        let channels: Channels<&str> = Channels::new(8);
        for _ in 0..1000 {
            drop(channels.of(RunId(SystemClock.new_id())));
        }
        assert!(channels.of_runs.lock().len() <= 1);
    }
}
