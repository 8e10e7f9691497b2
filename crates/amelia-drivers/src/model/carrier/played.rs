//! A carrier that plays a recording. What is asked must be what was asked then.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use amelia_core::recording::wording::without_wording;
use amelia_core::recording::{Difference, Next, Reel, Source, Strand, When};
use async_trait::async_trait;
use futures_util::stream::{self, StreamExt};

use super::frame::{Answer, Exchange, body_of, headers};
use super::{Carried, Carrier};
use crate::model::Failure;

/// Plays models.
pub struct PlayedCarrier {
    reel: Arc<Reel>,
    /// What was asked last, by strand.
    last: Mutex<HashMap<String, String>>,
}

impl PlayedCarrier {
    /// From a recording.
    #[must_use]
    pub fn new(reel: Arc<Reel>) -> Self {
        Self { reel, last: Mutex::default() }
    }

    /// What was asked then.
    fn asked(&self, strand: &Strand, exchange: &Exchange) -> String {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let before = last.entry(strand.name.to_string()).or_default();
        *before = exchange.asked.apply(before).unwrap_or_default();
        before.clone()
    }

    /// The next exchange, if it is the one that is asked for.
    fn next(&self, strand: &Strand, now: &str) -> Option<(When, Exchange)> {
        let place = || format!("a model is asked ({})", strand.name);
        // Among the exchanges are refusals and words, which others look for.
        let is_exchange = |body: &[u8]| serde_json::from_slice::<Exchange>(body).is_ok();
        let piece = match self.reel.next_fitting(Source::Model, &strand.name, is_exchange) {
            Next::Frame(piece) => piece,
            Next::NotYet => return None,
            Next::Nothing => {
                let recorded = "nothing more".to_owned();
                self.reel.differ(Difference { place: place(), recorded, now: now.to_owned() });
                return None;
            }
        };
        let exchange: Exchange = serde_json::from_slice(&piece.body).ok()?;
        let then = self.asked(strand, &exchange);
        self.reel
            .compare(place, &without_wording(&then), &without_wording(now))
            .then_some((piece.when, exchange))
    }
}

#[async_trait]
impl Carrier for PlayedCarrier {
    async fn carry(
        &self,
        request: reqwest::Request,
        strand: &Strand,
        _: Duration,
    ) -> Result<Carried, Failure> {
        let Some((when, exchange)) = self.next(strand, &body_of(&request)) else {
            // Somebody watches the recording, and ends this.
            return std::future::pending().await;
        };
        self.reel.turn(when).await;
        match exchange.answer {
            Answer::Unreached(failure) => Err(failure),
            Answer::Came { status, headers: kept, body, broke } => {
                let pieces = [Ok(body.bytes())].into_iter().chain(broke.map(Err));
                let bytes = stream::iter(pieces).boxed();
                Ok(Carried { status, headers: headers(&kept), bytes, ending: None })
            }
        }
    }
}
