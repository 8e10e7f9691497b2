//! How an exchange is kept: one line of JSON, then the bytes that it counts. Pure.
//!
//! A conversation is sent anew with every turn, so a request is kept as what is different from the one before it in the
//! same channel: so many bytes of its beginning, a middle, so many bytes of its end. Secrets are out of it before.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Bytes that are compared at once.
const BLOCK: usize = 64;

/// One exchange with a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExchangeFrame {
    /// The path below the upstream's base URL, and the query.
    pub target: String,
    pub request: Vec<u8>,
    /// Nothing when no answer came.
    pub status: Option<u16>,
    pub content_type: Option<String>,
    pub response: Vec<u8>,
    pub ending: ExchangeEnding,
}

/// How an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExchangeEnding {
    Whole,
    /// By the upstream, or because nothing came for too long.
    Cut,
    /// The caller went away.
    Left,
    /// It is larger than what is kept of one.
    TooLarge,
}

#[derive(Serialize, Deserialize)]
struct Head<'h> {
    #[serde(borrow)]
    target: Cow<'h, str>,
    prefix: usize,
    middle: usize,
    suffix: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    content_type: Option<Cow<'h, str>>,
    ending: ExchangeEnding,
}

/// What is to be kept.
#[derive(Debug, Clone, Copy)]
pub struct FrameParts<'k> {
    pub target: &'k str,
    pub request: &'k [u8],
    pub status: Option<u16>,
    pub content_type: Option<&'k str>,
    pub response: &'k [u8],
    pub ending: ExchangeEnding,
}

/// An exchange as it is kept; `before` is the request of the exchange before it in the same channel, empty for the first.
#[must_use]
pub fn write(kept: FrameParts<'_>, before: &[u8]) -> Vec<u8> {
    let prefix = common_start(before, kept.request);
    let rest = (before.get(prefix..).unwrap_or_default(), kept.request.get(prefix..).unwrap_or_default());
    let suffix = common_end(rest.0, rest.1);
    let middle = rest.1.get(..rest.1.len() - suffix).unwrap_or_default();
    let head = Head {
        target: kept.target.into(),
        prefix,
        middle: middle.len(),
        suffix,
        status: kept.status,
        content_type: kept.content_type.map(Cow::from),
        ending: kept.ending,
    };
    let mut frame = Vec::with_capacity(256 + kept.target.len() + middle.len() + kept.response.len());
    // Numbers, words and a path: nothing in it can fail to be written.
    serde_json::to_writer(&mut frame, &head).ok();
    frame.push(b'\n');
    frame.extend_from_slice(middle);
    frame.extend_from_slice(kept.response);
    frame
}

/// The exchange that was kept; `Err` says what is wrong with the bytes.
pub fn read(frame: &[u8], before: &[u8]) -> Result<ExchangeFrame, String> {
    let line = memchr::memchr(b'\n', frame).ok_or("an exchange without a head")?;
    let (head, body) = frame.split_at_checked(line).ok_or("an exchange without a head")?;
    let body = body.get(1..).unwrap_or_default();
    let head: Head<'_> =
        serde_json::from_slice(head).map_err(|error| format!("the head of an exchange: {error}"))?;
    let (middle, response) = body.split_at_checked(head.middle).ok_or("an exchange without its end")?;
    let outside = "an exchange that follows another one";
    let start = before.get(..head.prefix).ok_or(outside)?;
    let end = before.len().checked_sub(head.suffix).and_then(|at| before.get(at..)).ok_or(outside)?;
    Ok(ExchangeFrame {
        target: head.target.into_owned(),
        request: [start, middle, end].concat(),
        status: head.status,
        content_type: head.content_type.map(Cow::into_owned),
        response: response.to_vec(),
        ending: head.ending,
    })
}

fn common_start(one: &[u8], other: &[u8]) -> usize {
    let blocks =
        one.chunks_exact(BLOCK).zip(other.chunks_exact(BLOCK)).take_while(|(one, other)| one == other);
    let at = blocks.count() * BLOCK;
    let rest = one.iter().skip(at).zip(other.iter().skip(at));
    at + rest.take_while(|(one, other)| one == other).count()
}

fn common_end(one: &[u8], other: &[u8]) -> usize {
    let blocks =
        one.rchunks_exact(BLOCK).zip(other.rchunks_exact(BLOCK)).take_while(|(one, other)| one == other);
    let at = blocks.count() * BLOCK;
    let rest = one.iter().rev().skip(at).zip(other.iter().rev().skip(at));
    at + rest.take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kept<'k>(request: &'k [u8], response: &'k [u8]) -> FrameParts<'k> {
        FrameParts {
            target: "/chat/completions?a=\"b\"",
            request,
            status: Some(200),
            content_type: Some("text/event-stream"),
            response,
            ending: ExchangeEnding::Whole,
        }
    }

    #[test]
    fn a_conversation_that_grows_is_kept_by_what_is_new() {
        let turn = |said: &str| format!("{{\"model\":\"m\",\"messages\":[{said}],\"stream\":true}}");
        let long = "x".repeat(10_000);
        let (first, second) = (turn(&long), turn(&format!("{long},more")));
        let frame = write(kept(second.as_bytes(), b"ok"), first.as_bytes());
        assert!(frame.len() < 250, "{}", String::from_utf8_lossy(&frame));
        assert_eq!(read(&frame, first.as_bytes()).unwrap().request, second.as_bytes());
    }

    #[test]
    fn bytes_that_are_no_exchange_say_so() {
        let frame = write(kept(b"request", b"response"), b"req");
        for (frame, before) in [
            (&b"nothing"[..], &b""[..]),
            (b"{}\n", b""),
            (b"{\"target\":\"/\",\"prefix\":0,\"middle\":9,\"suffix\":0,\"ending\":\"whole\"}\n1", b""),
            (&frame, b""),
            (&frame, b"re"),
        ] {
            assert!(read(frame, before).is_err());
        }
    }

    proptest! {
        #[test]
        fn exchanges_come_back_as_they_were(
            before in prop::collection::vec(0_u8..3, 0..300),
            request in prop::collection::vec(0_u8..3, 0..300),
            response in prop::collection::vec(any::<u8>(), 0..50),
        ) {
            for before in [&before, &request] {
                let read = read(&write(kept(&request, &response), before), before).unwrap();
                prop_assert_eq!(&read.request, &request);
                prop_assert_eq!(&read.response, &response);
                prop_assert_eq!(read.target, "/chat/completions?a=\"b\"");
            }
        }
    }
}
