//! A carrier that plays a recording. What is asked must be what was asked then.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use amelia_core::recording::wording::without_wording;
use amelia_core::recording::{Channel, Difference, FrameSource, FrameTime, NextFrame, Playback};
use async_trait::async_trait;
use futures_util::stream::{self, StreamExt};
use parking_lot::Mutex;

use super::frame::{Answer, Exchange, body_of, headers};
use super::{ModelResponse, ModelTransport};
use crate::model::ModelFailure;

/// Plays models.
pub struct PlayedTransport {
    playback: Arc<Playback>,
    /// What was asked last, by channel.
    last: Mutex<HashMap<String, String>>,
}

impl PlayedTransport {
    /// From a recording.
    #[must_use]
    pub fn new(playback: Arc<Playback>) -> Self {
        Self { playback, last: Mutex::default() }
    }

    /// What was asked then.
    fn asked(&self, channel: &Channel, exchange: &Exchange) -> String {
        let mut last = self.last.lock();
        // A conversation stays in one channel: what another one was about is not needed again.
        let before = last.remove(exchange.since.as_deref().unwrap_or(&channel.name)).unwrap_or_default();
        let asked = exchange.asked.apply(&before).unwrap_or_default();
        last.insert(channel.name.to_string(), asked.clone());
        asked
    }

    /// The next exchange, if it is the one that is asked for.
    fn next(&self, channel: &Channel, now: &str) -> Option<(FrameTime, Exchange)> {
        let place = || format!("a model is asked ({})", channel.name);
        // Among the exchanges are refusals and words, which others look for.
        let is_exchange = |body: &[u8]| serde_json::from_slice::<Exchange>(body).is_ok();
        let piece = match self.playback.next_fitting(FrameSource::Model, &channel.name, is_exchange) {
            NextFrame::Frame(piece) => piece,
            NextFrame::NotYet => return None,
            NextFrame::Nothing => {
                let recorded = "nothing more".to_owned();
                self.playback.differ(Difference { place: place(), recorded, now: now.to_owned() });
                return None;
            }
        };
        let exchange: Exchange = serde_json::from_slice(&piece.body).ok()?;
        let then = self.asked(channel, &exchange);
        self.playback
            .compare(place, &without_wording(&then), &without_wording(now))
            .then_some((piece.when, exchange))
    }
}

#[async_trait]
impl ModelTransport for PlayedTransport {
    async fn send(
        &self,
        request: reqwest::Request,
        channel: &Channel,
        _: Duration,
    ) -> Result<ModelResponse, ModelFailure> {
        let Some((when, exchange)) = self.next(channel, &body_of(&request)) else {
            // The replay watches the recording, and ends this.
            return std::future::pending().await;
        };
        self.playback.turn(when).await;
        match exchange.answer {
            Answer::Unreached(failure) => Err(failure),
            Answer::Came { status, headers: kept, body, broke } => {
                let pieces = [Ok(body.bytes())].into_iter().chain(broke.map(Err));
                let bytes = stream::iter(pieces).boxed();
                Ok(ModelResponse { status, headers: headers(&kept), bytes, ending: None })
            }
        }
    }
}
