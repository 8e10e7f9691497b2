//! What came from outside, until a commit takes it along.

use amelia_core::recording::{Frame, Tape};
use parking_lot::Mutex;
use tokio::sync::Notify;

/// More than this does not wait for the next fact: a long conversation of a program with its model makes no facts.
const MUCH: usize = 256 * 1024;

/// More than this is too much to hold: the disk is slower than what comes.
const TOO_MUCH: usize = 8 * 1024 * 1024;

/// Frames on their way to the log of one run. A run that no task moves loses what is still in here: there is no fact yet
/// that came from it.
#[derive(Default)]
pub struct Waiting {
    frames: Mutex<Frames>,
    much: Notify,
}

#[derive(Default)]
struct Frames {
    list: Vec<Frame>,
    bytes: usize,
}

impl Waiting {
    pub(crate) fn take(&self) -> Vec<Frame> {
        std::mem::take(&mut *self.frames.lock()).list
    }

    /// Returns when so much waits that it should be written by itself.
    pub(crate) async fn is_much(&self) {
        while self.frames.lock().bytes <= MUCH {
            self.much.notified().await;
        }
    }
}

impl Tape for Waiting {
    fn add(&self, frame: Frame) {
        let mut frames = self.frames.lock();
        frames.bytes = frames.bytes.saturating_add(frame.body.len());
        frames.list.push(frame);
        if frames.bytes > MUCH {
            self.much.notify_one();
        }
    }

    fn is_behind(&self) -> bool {
        self.frames.lock().bytes > TOO_MUCH
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::recording::{Channel, FrameSource};

    use super::*;

    #[test]
    fn it_is_behind_until_what_waits_is_taken() {
        let tape = std::sync::Arc::new(Waiting::default());
        let channel = Channel::new(tape.clone(), "agent");
        channel.add(FrameSource::Proxy, vec![0; TOO_MUCH]);
        assert!(!tape.is_behind());
        channel.add(FrameSource::Proxy, vec![0]);
        assert!(tape.is_behind());
        assert_eq!(tape.take().len(), 2);
        assert!(!tape.is_behind());
    }
}
