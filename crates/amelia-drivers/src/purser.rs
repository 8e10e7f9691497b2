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
