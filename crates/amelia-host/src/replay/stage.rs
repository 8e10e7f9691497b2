//! What a played run meets: the frames of its recording, the results of its tools, and the time of then.

use std::path::Path;
use std::sync::Arc;

use amelia_core::clock::Clock;
use amelia_core::recording::Playback;
use jiff::Timestamp;
use parking_lot::Mutex;
use uuid::Uuid;

use super::tape::Recording;
use crate::recording::played_place::PlayedWorld;
use crate::recording::tools::Results;

pub(super) struct Set {
    pub(super) stage: Arc<PlayedWorld>,
    pub(super) clock: Arc<PlayedClock>,
    pub(super) results: Arc<Results>,
}

pub(super) fn set(recording: &Recording, nowhere: &Path) -> Set {
    let begun = recording.events.first().map_or(Timestamp::UNIX_EPOCH, |event| event.draft.at);
    let clock = Arc::new(PlayedClock(Mutex::new(begun)));
    let results = Arc::new(Results::of(&recording.events));
    let stage = PlayedWorld {
        playback: Arc::new(Playback::new(recording.frames.clone())),
        results: Arc::clone(&results),
        clock: Arc::clone(&clock) as Arc<dyn Clock>,
        nowhere: nowhere.to_owned(),
        tree: Mutex::default(),
    };
    Set { stage: Arc::new(stage), clock, results }
}

/// The time of the last fact that was played.
pub(super) struct PlayedClock(Mutex<Timestamp>);

impl PlayedClock {
    pub(super) fn set(&self, at: Timestamp) {
        *self.0.lock() = at;
    }
}

impl Clock for PlayedClock {
    fn now(&self) -> Timestamp {
        *self.0.lock()
    }

    fn new_id(&self) -> Uuid {
        Uuid::new_v4()
    }
}
