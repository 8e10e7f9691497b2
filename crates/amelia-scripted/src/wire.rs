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

use crate::answer::ScriptedAnswer;
use crate::conversation::{ScriptedApi, ScriptedRequest};
use crate::delivery::Chunks;

/// When every answer was made: a clock would make two plays differ.
pub(crate) const CREATED: u64 = 1_700_000_000;

/// A request that no real API would take: status 400 and this message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadRequest(pub(crate) String);

pub(crate) fn read(wire: ScriptedApi, body: &Value) -> Result<ScriptedRequest, BadRequest> {
    let asked = match wire {
        ScriptedApi::Chat => chat::read(body),
        ScriptedApi::Responses => responses::read(body),
        ScriptedApi::Messages => messages::read(body),
    }?;
    pairing::check(&asked)?;
    Ok(asked)
}

/// The answer as one body.
pub(crate) fn whole(wire: ScriptedApi, answer: &ScriptedAnswer) -> Value {
    match wire {
        ScriptedApi::Chat => chat::whole(answer),
        ScriptedApi::Responses => responses::whole(answer),
        ScriptedApi::Messages => messages::whole(answer),
    }
}

/// The answer as server-sent events, each one made when it is needed.
pub(crate) fn stream(wire: ScriptedApi, answer: ScriptedAnswer, chunk: usize) -> Chunks {
    let answer = Arc::new(answer);
    match wire {
        ScriptedApi::Chat => Box::new(chat::stream(&answer, chunk).map(Bytes::from)),
        ScriptedApi::Responses => Box::new(responses::stream(&answer, chunk).map(Bytes::from)),
        ScriptedApi::Messages => Box::new(messages::stream(&answer, chunk).map(Bytes::from)),
    }
}

/// The body of an HTTP error.
pub(crate) fn error(wire: ScriptedApi, status: u16, message: &str) -> Value {
    match wire {
        ScriptedApi::Chat | ScriptedApi::Responses => openai::error(status, message),
        ScriptedApi::Messages => messages::error(status, message),
    }
}

/// An error in the middle of a stream, after so many events.
pub(crate) fn error_event(wire: ScriptedApi, status: u16, message: &str, after: usize) -> Bytes {
    Bytes::from(match wire {
        ScriptedApi::Chat => event::data(&openai::error(status, message)),
        ScriptedApi::Responses => event::named(&openai::error_event(status, message, after)),
        ScriptedApi::Messages => event::named(&messages::error(status, message)),
    })
}
