//! One answer: which of speech, error and garbage it is, and how it ends.

use std::sync::Arc;

use axum::http::{HeaderName, HeaderValue};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::Value;

use super::super::file::{CallKeys, ErrorKeys, PlaceKeys, ReplyKeys};
use super::super::rule::{
    CutPlace, ErrorBody, HttpError, Pace, Play, ReplyEnding, ScriptedCall, ScriptedReply, Speech,
};
use super::{Report, milliseconds};
use amelia_yaml::problem::PathStep;

const DEFAULT_CHUNK: usize = 24;

/// More would not fit into memory several times over, as the longest answers must.
const MAX_TEXT: usize = 256 << 20;

pub(super) fn compile(keys: ReplyKeys, report: &mut Report<'_>) -> Arc<ScriptedReply> {
    one_kind(&keys, report);
    let delay = milliseconds(keys.delay_ms);
    let pace = Pace {
        chunk: keys.chunk.and_then(|chunk| usize::try_from(chunk).ok()).unwrap_or(DEFAULT_CHUNK),
        delay: milliseconds(keys.chunk_delay_ms),
    };
    Arc::new(ScriptedReply { delay, pace, play: play(keys, report) })
}

/// Each of these decides the whole answer, so no two of them, and nothing said beside them.
fn one_kind(keys: &ReplyKeys, report: &mut Report<'_>) {
    let says = keys.text.is_some() || keys.thinking.is_some() || !keys.tool_calls.is_empty();
    let fails_at_once = keys.error.as_ref().is_some_and(|error| error.after.is_none());
    let kinds = [
        ("text, thinking or tool_calls", says),
        ("error", fails_at_once),
        ("garbage", keys.garbage.is_some()),
        ("garbage_base64", keys.garbage_base64.is_some()),
    ];
    exclude(&kinds, report);
    let endings = [
        ("error", keys.error.is_some()),
        ("cut_after", keys.cut_after.is_some()),
        ("stall_after", keys.stall_after.is_some()),
    ];
    exclude(&endings, report);
    if keys.repeat.is_some() && keys.text.is_none() {
        report.problem_at("repeat", "repeats the text, and there is none");
    }
    let counted = keys.usage.cache_read.saturating_add(keys.usage.cache_write);
    if keys.usage.input.is_some_and(|input| input < counted) {
        report.problem_at(
            "usage",
            "`input` counts cache reads and writes too, so it cannot be less than they are",
        );
    }
}

fn exclude(kinds: &[(&str, bool)], report: &mut Report<'_>) {
    let present: Vec<&str> = kinds.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect();
    if present.len() > 1 {
        report.problem(format!("these do not go together: {}", present.join("; ")));
    }
}

fn play(mut keys: ReplyKeys, report: &mut Report<'_>) -> Play {
    let after = keys.error.as_ref().and_then(|error| error.after);
    let failure =
        keys.error.take().map(|keys| report.below(PathStep::key("error"), |report| error(keys, report)));
    let ending = match (failure, after) {
        (Some(failure), None) => return Play::Fail(failure),
        (Some(failure), Some(after)) => ReplyEnding::Fail(after as usize, failure),
        (None, _) => ending(&keys, report),
    };
    if let Some(text) = keys.garbage {
        return Play::Garbage { bytes: Bytes::from(text), ending };
    }
    if let Some(encoded) = &keys.garbage_base64 {
        return Play::Garbage { bytes: decoded(encoded, report), ending };
    }
    Play::Say { speech: speech(keys, report), ending }
}

fn decoded(encoded: &str, report: &mut Report<'_>) -> Bytes {
    match STANDARD.decode(encoded.trim()) {
        Ok(bytes) => Bytes::from(bytes),
        Err(error) => {
            report.problem_at("garbage_base64", format!("not base64: {error}"));
            Bytes::new()
        }
    }
}

fn ending(keys: &ReplyKeys, report: &mut Report<'_>) -> ReplyEnding {
    let mut find = |key, given: &Option<PlaceKeys>| {
        let given = given.as_ref()?;
        report.below(PathStep::key(key), |report| place(given, report))
    };
    if let Some(place) = find("cut_after", &keys.cut_after) {
        return ReplyEnding::Cut(place);
    }
    find("stall_after", &keys.stall_after).map_or(ReplyEnding::Whole, ReplyEnding::Stall)
}

fn place(keys: &PlaceKeys, report: &mut Report<'_>) -> Option<CutPlace> {
    match (keys.bytes, keys.chunks) {
        (Some(bytes), None) => Some(CutPlace::Bytes(bytes as usize)),
        (None, Some(chunks)) => Some(CutPlace::Chunks(chunks as usize)),
        (Some(_), Some(_)) | (None, None) => {
            report.problem("needs exactly one of `bytes` and `chunks`");
            None
        }
    }
}

fn speech(keys: ReplyKeys, report: &mut Report<'_>) -> Speech {
    let text = keys.text.unwrap_or_default();
    let repeat = keys.repeat.map_or(1, |times| times as usize);
    if text.len().saturating_mul(repeat) > MAX_TEXT {
        report.problem_at("repeat", format!("makes more than {} MiB of text", MAX_TEXT >> 20));
    }
    let calls = keys.tool_calls.into_iter().enumerate();
    let calls = report.below(PathStep::key("tool_calls"), |report| {
        calls.map(|(index, keys)| report.below(PathStep::Index(index), |report| call(keys, report))).collect()
    });
    Speech { text, repeat, thinking: keys.thinking, calls, usage: keys.usage, stop: keys.stop_reason }
}

fn call(keys: CallKeys, report: &mut Report<'_>) -> ScriptedCall {
    if keys.args.is_some() && keys.raw_args.is_some() {
        report.problem("has both `args` and `raw_args`; one is enough");
    }
    let args = keys.args.map(|args| args.to_string());
    let args = args.or(keys.raw_args).unwrap_or_else(|| "{}".to_owned());
    ScriptedCall { name: keys.name, id: keys.id, args }
}

fn error(keys: ErrorKeys, report: &mut Report<'_>) -> HttpError {
    let body = match (keys.message, keys.body) {
        (Some(_), Some(_)) => {
            report.problem("has both `message` and `body`; one is enough");
            ErrorBody::Raw(String::new())
        }
        (Some(message), None) => ErrorBody::Message(message),
        (None, Some(Value::String(text))) => ErrorBody::Raw(text),
        (None, Some(value)) => ErrorBody::Raw(value.to_string()),
        (None, None) => ErrorBody::Message(format!("scripted error {}", keys.status)),
    };
    let mut headers: Vec<(String, String)> = keys.headers.into_iter().collect();
    for (name, value) in &headers {
        if name.parse::<HeaderName>().is_err() || value.parse::<HeaderValue>().is_err() {
            report.problem_at("headers", format!("`{name}: {value}` is not a header"));
        }
    }
    headers.extend(keys.retry_after.map(|seconds| ("retry-after".to_owned(), seconds.to_string())));
    HttpError { status: keys.status, body, headers }
}
