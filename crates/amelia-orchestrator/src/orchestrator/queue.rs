//! Who starts next: first come, first served, as long as there is room. Pure.

use std::collections::VecDeque;

use amelia_core::id::RunId;

/// Runs that wait for their turn.
#[derive(Debug)]
pub(super) struct Queue {
    waiting: VecDeque<RunId>,
    room: usize,
}

impl Queue {
    pub(super) fn new(room: usize) -> Self {
        Self { waiting: VecDeque::new(), room: room.max(1) }
    }

    /// At the end, unless it is there.
    pub(super) fn add(&mut self, run: RunId) {
        if !self.waiting.contains(&run) {
            self.waiting.push_back(run);
        }
    }

    pub(super) fn forget(&mut self, run: RunId) {
        self.waiting.retain(|other| *other != run);
    }

    /// Fewer are at work than may be.
    pub(super) fn has_room(&self, at_work: usize) -> bool {
        at_work < self.room
    }

    /// The next one, when fewer are at work than there is room for.
    pub(super) fn next(&mut self, at_work: usize) -> Option<RunId> {
        if self.has_room(at_work) { self.waiting.pop_front() } else { None }
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::clock::{Clock, SystemClock};

    use super::*;

    #[test]
    fn first_come_first_served_and_never_more_than_there_is_room_for() {
        let [a, b, c] = std::array::from_fn(|_| RunId(SystemClock.new_id()));
        let mut queue = Queue::new(1);
        [a, b, b, c].into_iter().for_each(|run| queue.add(run));
        assert_eq!((queue.next(0), queue.next(1), queue.len()), (Some(a), None, 2));
        queue.forget(b);
        assert_eq!((queue.next(0), queue.next(0)), (Some(c), None));
    }
}
