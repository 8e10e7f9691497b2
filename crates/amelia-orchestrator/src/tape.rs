//! What came from outside, until the next commit takes it along.

use std::sync::{Mutex, MutexGuard, PoisonError};

use amelia_core::recording::{Frame, Tape};

/// Frames on their way to the log of one run. A run that nobody moves loses what is still in here: there is no fact yet
/// that came from it.
#[derive(Default)]
pub struct Waiting(Mutex<Vec<Frame>>);

impl Waiting {
    fn frames(&self) -> MutexGuard<'_, Vec<Frame>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn take(&self) -> Vec<Frame> {
        std::mem::take(&mut *self.frames())
    }
}

impl Tape for Waiting {
    fn add(&self, frame: Frame) {
        self.frames().push(frame);
    }
}
