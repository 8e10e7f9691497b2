//! The one place where a tracker is asked: tries, waits, and turns what came into JSON or a named error without
//! secrets in it.

use amelia_core::config::retry::RetryConfig;
use amelia_core::problem::Problem;
use amelia_core::redact::Redactor;
use amelia_core::tracker::TrackerError;
use jiff::Timestamp;
use serde::de::DeserializeOwned;

use crate::exchange::{LARGEST_ANSWER, TrackerRequest, TrackerResponse};
use crate::failure::{TrackerFailure, TrackerWords};
use crate::transport::Transport;

pub(crate) struct Caller {
    pub(crate) transport: Box<dyn Transport>,
    pub(crate) retry: RetryConfig,
    /// A server, a proxy or a program may echo what it was given.
    pub(crate) redactor: Redactor,
    pub(crate) words: TrackerWords,
}

impl Caller {
    /// What is answered about `what`, as JSON.
    pub(crate) async fn json<T: DeserializeOwned>(
        &self,
        what: &str,
        request: &TrackerRequest,
    ) -> Result<T, TrackerError> {
        let answer = self.answer(what, request).await?;
        serde_json::from_slice(&answer.body)
            .map_err(|error| self.told(TrackerFailure::not_understood(&error, &answer.body), what, 1))
    }

    /// The successful answer about `what`, as it came.
    pub(crate) async fn answer(
        &self,
        what: &str,
        request: &TrackerRequest,
    ) -> Result<TrackerResponse, TrackerError> {
        let mut attempt = 0;
        loop {
            let failure = match self.transport.send(request).await {
                Ok(answer) if answer.body.len() > LARGEST_ANSWER => TrackerFailure::TooLarge(LARGEST_ANSWER),
                Ok(answer) => match TrackerFailure::of(&answer, Timestamp::now()) {
                    None => return Ok(answer),
                    Some(failure) => failure,
                },
                Err(failure) => failure,
            };
            match failure.again(request.method, attempt, &self.retry) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => return Err(self.told(failure, what, attempt + 1)),
            }
            attempt += 1;
        }
    }

    fn told(&self, failure: TrackerFailure, what: &str, tries: u32) -> TrackerError {
        let clean = |text: String| self.redactor.text(&text).into_owned();
        match failure.told(&self.words, what, tries) {
            TrackerError::NotFound { tracker, what, detail } => {
                TrackerError::NotFound { tracker, what: clean(what), detail: clean(detail) }
            }
            TrackerError::Unauthorised { tracker, detail, hint } => {
                TrackerError::Unauthorised { tracker, detail: clean(detail), hint }
            }
            TrackerError::Forbidden { tracker, detail, hint } => {
                TrackerError::Forbidden { tracker, detail: clean(detail), hint }
            }
            TrackerError::Limited { tracker, seconds, detail } => {
                TrackerError::Limited { tracker, seconds, detail: clean(detail) }
            }
            TrackerError::Unavailable { tracker, detail } => {
                TrackerError::Unavailable { tracker, detail: clean(detail) }
            }
            TrackerError::Refused { tracker, detail } => {
                TrackerError::Refused { tracker, detail: clean(detail) }
            }
            TrackerError::Unsupported { tracker, detail } => {
                TrackerError::Unsupported { tracker, detail: clean(detail) }
            }
            TrackerError::Setup(Problem { message, hint }) => {
                TrackerError::Setup(Problem { message: clean(message), hint: hint.map(clean) })
            }
        }
    }
}
