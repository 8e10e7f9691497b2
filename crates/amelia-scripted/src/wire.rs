//! The three APIs: each reads its requests into `Asked` and writes an `Answer` whole, as a stream, or as an error.
//!
//! This file only chooses between them. What a real API refuses is refused here too, in its own words.

mod chat;
mod event;
mod field;
mod messages;
mod openai;
mod pairing;
mod responses;

use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;

use crate::answer::Answer;
use crate::conversation::{Asked, Wire};
use crate::delivery::Chunks;

/// When every answer was made: a clock would make two plays differ.
pub(crate) const CREATED: u64 = 1_700_000_000;

/// A request that no real API would take: status 400 and this message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal(pub(crate) String);

pub(crate) fn read(wire: Wire, body: &Value) -> Result<Asked, Refusal> {
    let asked = match wire {
        Wire::Chat => chat::read(body),
        Wire::Responses => responses::read(body),
        Wire::Messages => messages::read(body),
    }?;
    pairing::check(&asked)?;
    Ok(asked)
}

/// The answer as one body.
pub(crate) fn whole(wire: Wire, answer: &Answer) -> Value {
    match wire {
        Wire::Chat => chat::whole(answer),
        Wire::Responses => responses::whole(answer),
        Wire::Messages => messages::whole(answer),
    }
}

/// The answer as server-sent events, each one made when it is needed.
pub(crate) fn stream(wire: Wire, answer: Answer, chunk: usize) -> Chunks {
    let answer = Arc::new(answer);
    match wire {
        Wire::Chat => Box::new(chat::stream(&answer, chunk).map(Bytes::from)),
        Wire::Responses => Box::new(responses::stream(&answer, chunk).map(Bytes::from)),
        Wire::Messages => Box::new(messages::stream(&answer, chunk).map(Bytes::from)),
    }
}

/// The body of an HTTP error.
pub(crate) fn error(wire: Wire, status: u16, message: &str) -> Value {
    match wire {
        Wire::Chat | Wire::Responses => openai::error(status, message),
        Wire::Messages => messages::error(status, message),
    }
}

/// An error in the middle of a stream, after so many events.
pub(crate) fn error_event(wire: Wire, status: u16, message: &str, after: usize) -> Bytes {
    Bytes::from(match wire {
        Wire::Chat => event::data(&openai::error(status, message)),
        Wire::Responses => event::named(&openai::error_event(status, message, after)),
        Wire::Messages => event::named(&messages::error(status, message)),
    })
}
