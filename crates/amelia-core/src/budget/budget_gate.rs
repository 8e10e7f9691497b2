//! Pays for the calls of an agent, and knows the time that its run has left. What was refused depends on who else was
//! calling at that moment, so every refusal is kept, and comes again in a replay at the same place: there, nothing else
//! is limited.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{BudgetScope, LimitReached, Reservation, Spend};
use crate::recording::{Channel, FrameSource, FrameTime, Playback, RecordedFrame};
use crate::usage::Usage;

/// How often a replay looks whether the time was used up. It passes only when nothing else happens.
const LOOK: Duration = Duration::from_millis(50);

/// Pays.
#[derive(Clone, Default)]
pub struct BudgetGate {
    budget_scope: BudgetScope,
    played: Option<Arc<Playback>>,
}

/// What is kept of a conversation.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum BudgetFrame {
    Refused {
        refused: LimitReached,
        /// After so many charges of the conversation; 0 before a call.
        #[serde(default)]
        charge: u64,
    },
    /// The time of the run was used up.
    Over { over: LimitReached },
    /// A call was cut in the middle, and took so much.
    Cut { cut: Box<Usage> },
}

impl BudgetGate {
    /// Asks a budget.
    #[must_use]
    pub fn live(budget_scope: BudgetScope) -> Self {
        Self { budget_scope, played: None }
    }

    /// As it was.
    #[must_use]
    pub fn played(playback: Arc<Playback>) -> Self {
        Self { budget_scope: BudgetScope::default(), played: Some(playback) }
    }

    /// Sets aside what a call may take.
    pub async fn reserve(
        &self,
        estimate: Spend,
        now: Timestamp,
        channel: &Channel,
    ) -> Result<Reservation, LimitReached> {
        if let Some((playback, refused, when)) = self.refused_then(channel, 0) {
            playback.turn(when).await;
            return Err(refused);
        }
        self.budget_scope.reserve(estimate, now).inspect_err(|limit| self.keep_refusal(limit, channel, 0))
    }

    /// Replaces what was set aside by what was spent.
    pub fn settle(&self, reservation: Reservation, actual: Spend, now: Timestamp) {
        self.budget_scope.settle(reservation, actual, now);
    }

    /// What a call took that was cut in the middle, as it is known now.
    #[must_use]
    pub fn cut(&self, known: Option<Usage>, channel: &Channel) -> Option<Usage> {
        if self.played.is_some() {
            return match self.next(channel, |kept| matches!(kept, BudgetFrame::Cut { .. }))?.0 {
                BudgetFrame::Cut { cut } => Some(*cut),
                BudgetFrame::Refused { .. } | BudgetFrame::Over { .. } => None,
            };
        }
        let cut = Box::new(known?);
        self.keep(&BudgetFrame::Cut { cut: cut.clone() }, channel);
        Some(*cut)
    }

    /// Books what was spent without having been set aside, as the `count`th time in this conversation.
    pub fn charge(
        &self,
        actual: Spend,
        now: Timestamp,
        channel: &Channel,
        count: u64,
    ) -> Result<(), LimitReached> {
        if let Some((_, refused, _)) = self.refused_then(channel, count) {
            return Err(refused);
        }
        self.budget_scope.charge(actual, now).inspect_err(|limit| self.keep_refusal(limit, channel, count))
    }

    /// Returns when the time of the run is used up: never, when it is not limited.
    pub async fn time_is_over(
        &self,
        now: Timestamp,
        channel: &Channel,
        sleep: impl AsyncFn(Duration),
    ) -> LimitReached {
        let is_over = |kept: &BudgetFrame| matches!(kept, BudgetFrame::Over { .. });
        if let Some(playback) = &self.played {
            let fits = |body: &[u8]| read(body).is_some_and(|kept| is_over(&kept));
            if !playback.has(FrameSource::Model, &channel.name, fits) {
                return std::future::pending().await;
            }
            loop {
                sleep(LOOK).await;
                if let Some((BudgetFrame::Over { over }, piece)) = self.next(channel, is_over) {
                    playback.turn(piece.when).await;
                    return over;
                }
            }
        }
        let Some((left, over)) = self.budget_scope.time_left(now) else {
            return std::future::pending().await;
        };
        if !left.is_zero() {
            sleep(left).await;
        }
        self.keep(&BudgetFrame::Over { over: over.clone() }, channel);
        over
    }

    fn refused_then(&self, channel: &Channel, count: u64) -> Option<(&Playback, LimitReached, FrameTime)> {
        let playback = self.played.as_deref()?;
        let is_it =
            |kept: &BudgetFrame| matches!(kept, BudgetFrame::Refused { charge, .. } if *charge == count);
        match self.next(channel, is_it)? {
            (BudgetFrame::Refused { refused, .. }, piece) => Some((playback, refused, piece.when)),
            (BudgetFrame::Over { .. } | BudgetFrame::Cut { .. }, _) => None,
        }
    }

    /// What comes next in a recording, if it is such a thing.
    fn next(
        &self,
        channel: &Channel,
        is_it: impl Fn(&BudgetFrame) -> bool,
    ) -> Option<(BudgetFrame, RecordedFrame)> {
        let playback = self.played.as_ref()?;
        let fits = |body: &[u8]| read(body).is_some_and(|kept| is_it(&kept));
        let piece = playback.next_if(FrameSource::Model, &channel.name, fits)?;
        Some((read(&piece.body)?, piece))
    }

    fn keep_refusal(&self, limit: &LimitReached, channel: &Channel, charge: u64) {
        self.keep(&BudgetFrame::Refused { refused: limit.clone(), charge }, channel);
    }

    fn keep(&self, kept: &BudgetFrame, channel: &Channel) {
        // What is kept always has a text.
        if self.played.is_none()
            && let Ok(body) = serde_json::to_vec(kept)
        {
            channel.add(FrameSource::Model, body);
        }
    }
}

fn read(body: &[u8]) -> Option<BudgetFrame> {
    serde_json::from_slice(body).ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use futures_util::FutureExt as _;

    use crate::budget::{Budget, Day};
    use crate::id::Seq;
    use crate::recording::{Frame, StoredFrame, Tape};

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
        let channel = Channel::new(Arc::clone(&frames) as Arc<dyn Tape>, "talk");
        let call = Spend { calls: 1, ..Spend::default() };
        let charges = |budget_gate: &BudgetGate| {
            let charged: Vec<_> =
                (1..=2).map(|count| budget_gate.charge(call, now, &channel, count)).collect();
            (charged, budget_gate.reserve(call, now, &channel).now_or_never().unwrap())
        };
        let day = Day::new(Budget { calls: Some(2), ..Budget::default() }, Spend::default(), now);
        let live = charges(&BudgetGate::live(BudgetScope::default().within(Arc::new(day))));
        assert!(live.0[0].is_ok() && live.0[1].is_err() && live.1.is_err(), "{live:?}");

        let frames = std::mem::take(&mut *frames.0.lock().unwrap());
        let written = frames.into_iter().map(|frame| StoredFrame { after: Seq::START, end: Seq(1), frame });
        let playback = Arc::new(Playback::new(written));
        playback.go_on(Seq::START, Seq(1), true);
        assert_eq!(charges(&BudgetGate::played(playback)), live);
    }
}
