//! Who moves next, as long as fewer are at work than may be: runs that have started before those that have not, first
//! come, first served among both. Pure.

use std::collections::VecDeque;

use amelia_core::id::RunId;

/// Runs that wait for a free worker.
#[derive(Debug)]
pub(super) struct Queue {
    /// They were answered, are tried again, or were interrupted.
    resumed: VecDeque<RunId>,
    new: VecDeque<RunId>,
    room: usize,
}

impl Queue {
    pub(super) fn new(room: usize) -> Self {
        Self { resumed: VecDeque::new(), new: VecDeque::new(), room: room.max(1) }
    }

    /// A run that starts, at the end of its line, unless it is there.
    pub(super) fn add(&mut self, run: RunId) {
        if !self.contains(run) {
            self.new.push_back(run);
        }
    }

    /// A run that has started before.
    pub(super) fn add_resumed(&mut self, run: RunId) {
        if !self.contains(run) {
            self.resumed.push_back(run);
        }
    }

    pub(super) fn contains(&self, run: RunId) -> bool {
        self.resumed.contains(&run) || self.new.contains(&run)
    }

    pub(super) fn forget(&mut self, run: RunId) {
        self.resumed.retain(|other| *other != run);
        self.new.retain(|other| *other != run);
    }

    /// The next one, when fewer are at work than there is room for.
    pub(super) fn next(&mut self, at_work: usize) -> Option<RunId> {
        if at_work >= self.room {
            return None;
        }
        self.resumed.pop_front().or_else(|| self.new.pop_front())
    }

    pub(super) fn len(&self) -> usize {
        self.resumed.len() + self.new.len()
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

    #[test]
    fn runs_that_have_started_go_before_those_that_have_not() {
        let [new, answered, later] = std::array::from_fn(|_| RunId(SystemClock.new_id()));
        let mut queue = Queue::new(2);
        queue.add(new);
        queue.add_resumed(answered);
        queue.add_resumed(later);
        queue.add(answered);
        assert_eq!((queue.next(1), queue.next(2), queue.len()), (Some(answered), None, 2));
        assert_eq!((queue.next(0), queue.next(0), queue.next(0)), (Some(later), Some(new), None));
    }
}
