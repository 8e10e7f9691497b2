//! One request to one of the three APIs: read it, find its rule, play the reply.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde_json::Value;

use super::body::json;
use crate::answer::ScriptedAnswer;
use crate::conversation::{ScriptedApi, ScriptedRequest};
use crate::delivery::{self, Chunks, Close};
use crate::player::ScriptPlayer;
use crate::script::{ErrorBody, HttpError, Pace, Play, ReplyEnding, ScriptedReply, Speech};
use crate::wire::{self, BadRequest};

pub(super) async fn chat(State(stage): State<Arc<ScriptPlayer>>, body: Bytes) -> Response {
    play(ScriptedApi::Chat, &stage, body).await
}

pub(super) async fn responses(State(stage): State<Arc<ScriptPlayer>>, body: Bytes) -> Response {
    play(ScriptedApi::Responses, &stage, body).await
}

pub(super) async fn messages(State(stage): State<Arc<ScriptPlayer>>, body: Bytes) -> Response {
    play(ScriptedApi::Messages, &stage, body).await
}

async fn play(wire: ScriptedApi, stage: &ScriptPlayer, body: Bytes) -> Response {
    let asked = match understood(wire, &body) {
        Ok(asked) => asked,
        Err(BadRequest(message)) => {
            stage.refused(wire, body, &message);
            return refusal(wire, &message);
        }
    };
    match stage.play(&asked, body) {
        Ok(reply) => answered(&asked, &reply).await,
        Err(message) => refusal(wire, &message),
    }
}

fn understood(wire: ScriptedApi, body: &[u8]) -> Result<ScriptedRequest, BadRequest> {
    let body: Value =
        serde_json::from_slice(body).map_err(|error| BadRequest(format!("the body is not JSON: {error}")))?;
    wire::read(wire, &body)
}

fn refusal(wire: ScriptedApi, message: &str) -> Response {
    json(StatusCode::BAD_REQUEST, &wire::error(wire, 400, message))
}

async fn answered(asked: &ScriptedRequest, reply: &ScriptedReply) -> Response {
    if !reply.delay.is_zero() {
        tokio::time::sleep(reply.delay).await;
    }
    match &reply.play {
        Play::Fail(error) => failed(asked.wire, error),
        Play::Garbage { bytes, ending } => {
            let garbage = ReplyBody { chunks: Box::new(std::iter::once(bytes.clone())), length: None };
            delivered(asked, garbage, reply.pace, ending)
        }
        Play::Say { ending: ReplyEnding::Fail(_, error), .. } if !asked.wants.stream => {
            failed(asked.wire, error)
        }
        Play::Say { speech, ending } => delivered(asked, said(asked, speech, reply.pace), reply.pace, ending),
    }
}

/// A body, and how long it is when that is known beforehand.
struct ReplyBody {
    chunks: Chunks,
    length: Option<usize>,
}

fn said(asked: &ScriptedRequest, speech: &Speech, pace: Pace) -> ReplyBody {
    let answer = ScriptedAnswer::new(speech, asked);
    if asked.wants.stream {
        return ReplyBody { chunks: wire::stream(asked.wire, answer, pace.chunk), length: None };
    }
    let whole = Bytes::from(wire::whole(asked.wire, &answer).to_string());
    ReplyBody { length: Some(whole.len()), chunks: Box::new(std::iter::once(whole)) }
}

fn delivered(asked: &ScriptedRequest, said: ReplyBody, pace: Pace, ending: &ReplyEnding) -> Response {
    let (chunks, close): (Chunks, Close) = match ending {
        ReplyEnding::Whole => (said.chunks, Close::Properly),
        ReplyEnding::Cut(place) => (said.chunks, Close::Cut(*place)),
        ReplyEnding::Stall(place) => (said.chunks, Close::Stall(*place)),
        ReplyEnding::Fail(after, error) => {
            let failure = failure_event(asked.wire, error, *after);
            (Box::new(said.chunks.take(*after).chain([failure])), Close::Properly)
        }
    };
    let mut response = Response::new(delivery::body(chunks, pace.delay, close));
    let kind = if asked.wants.stream { "text/event-stream; charset=utf-8" } else { "application/json" };
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Some(length) = said.length {
        response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    response
}

fn failed(wire: ScriptedApi, error: &HttpError) -> Response {
    let body = match &error.body {
        ErrorBody::Message(message) => wire::error(wire, error.status, message).to_string(),
        ErrorBody::Raw(text) => text.clone(),
    };
    // Loading has checked that it is one.
    let status = StatusCode::from_u16(error.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, Body::from(body)).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in &error.headers {
        if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), value.parse::<HeaderValue>()) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

fn failure_event(wire: ScriptedApi, error: &HttpError, after: usize) -> Bytes {
    match &error.body {
        ErrorBody::Message(message) => wire::error_event(wire, error.status, message, after),
        ErrorBody::Raw(text) => Bytes::from(format!("data: {text}\n\n")),
    }
}
