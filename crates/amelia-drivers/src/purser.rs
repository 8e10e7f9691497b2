//! Pays for the calls of an agent. What a run itself may use follows from its log; that an agent's or the server's limit
//! is reached does not, so such a refusal is kept, and comes again in a replay at the same place.

use std::sync::Arc;

use amelia_core::budget::{LimitReached, Purse, Reservation, Spend};
use amelia_core::recording::{Reel, Source, Strand};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Pays.
#[derive(Clone, Default)]
pub struct Purser {
    purse: Purse,
    played: Option<Arc<Reel>>,
}

/// A refusal in a recording.
#[derive(Serialize, Deserialize)]
struct Kept {
    refused: LimitReached,
    /// After so many charges of the conversation; 0 before a call.
    #[serde(default)]
    charge: u64,
}

impl Purser {
    /// From a purse.
    #[must_use]
    pub fn live(purse: Purse) -> Self {
        Self { purse, played: None }
    }

    /// From a purse that knows the limits of the run alone; all other refusals are in the recording.
    #[must_use]
    pub fn played(purse: Purse, reel: Arc<Reel>) -> Self {
        Self { purse, played: Some(reel) }
    }

    /// Sets aside what a call may take.
    pub fn reserve(
        &self,
        estimate: Spend,
        now: Timestamp,
        strand: &Strand,
    ) -> Result<Reservation, LimitReached> {
        self.refused_then(strand, 0)?;
        self.purse.reserve(estimate, now).inspect_err(|limit| self.keep(limit, strand, 0))
    }

    /// Replaces what was set aside by what was spent.
    pub fn settle(&self, reservation: Reservation, actual: Spend, now: Timestamp) {
        self.purse.settle(reservation, actual, now);
    }

    /// Books what was spent without having been set aside, as the `count`th time in this conversation.
    pub fn charge(
        &self,
        actual: Spend,
        now: Timestamp,
        strand: &Strand,
        count: u64,
    ) -> Result<(), LimitReached> {
        let charged = self.purse.charge(actual, now).inspect_err(|limit| self.keep(limit, strand, count));
        charged.and_then(|()| self.refused_then(strand, count))
    }

    fn refused_then(&self, strand: &Strand, count: u64) -> Result<(), LimitReached> {
        let Some(reel) = &self.played else { return Ok(()) };
        let read =
            |body: &[u8]| serde_json::from_slice::<Kept>(body).ok().filter(|kept| kept.charge == count);
        let body = reel.next_if(Source::Model, &strand.name, |body| read(body).is_some());
        body.and_then(|body| read(&body)).map_or(Ok(()), |kept| Err(kept.refused))
    }

    fn keep(&self, limit: &LimitReached, strand: &Strand, charge: u64) {
        if limit.whose.is_run() || self.played.is_some() {
            return;
        }
        // A limit always has a text.
        if let Ok(body) = serde_json::to_vec(&Kept { refused: limit.clone(), charge }) {
            strand.add(Source::Model, body);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use amelia_core::budget::{Budget, Day};
    use amelia_core::id::Seq;
    use amelia_core::recording::{Frame, Tape, Written};

    use super::*;

    #[derive(Default)]
    struct Frames(Mutex<Vec<Frame>>);

    impl Tape for Frames {
        fn add(&self, frame: Frame) {
            self.0.lock().unwrap().push(frame);
        }
    }

    #[test]
    fn what_a_limit_of_others_refused_is_refused_again_at_the_same_place() {
        let now = Timestamp::UNIX_EPOCH;
        let frames = Arc::new(Frames::default());
        let strand = Strand::new(Arc::clone(&frames) as Arc<dyn Tape>, "talk");
        let call = Spend { calls: 1, ..Spend::default() };
        let charges = |purser: &Purser| {
            let charged: Vec<_> = (1..=2).map(|count| purser.charge(call, now, &strand, count)).collect();
            (charged, purser.reserve(call, now, &strand))
        };
        let day = Day::new(Budget { calls: Some(2), ..Budget::default() }, Spend::default(), now);
        let live = charges(&Purser::live(Purse::default().within(Arc::new(day))));
        assert!(live.0[0].is_ok() && live.0[1].is_err() && live.1.is_err(), "{live:?}");

        let frames = std::mem::take(&mut *frames.0.lock().unwrap());
        let written = frames.into_iter().map(|frame| Written { after: Seq::START, end: Seq(1), frame });
        let reel = Arc::new(Reel::new(written));
        reel.go_on(Seq::START, Seq(1), true);
        assert_eq!(charges(&Purser::played(Purse::default(), reel)), live);
    }
}
