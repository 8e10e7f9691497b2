//! Rules as they are played. What cannot be meant together cannot be written here.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use regex::Regex;

use super::file::{ScriptedStop, UsageKeys};
use super::glob::Glob;
use crate::conversation::ScriptedApi;

#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) name: Option<String>,
    pub(crate) when: RuleMatch,
    pub(crate) replies: Replies,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct RuleMatch {
    pub(crate) model: Option<Glob>,
    pub(crate) text: Option<String>,
    pub(crate) text_regex: Option<Regex>,
    pub(crate) last: Option<String>,
    pub(crate) last_regex: Option<Regex>,
    pub(crate) system: Option<String>,
    pub(crate) spoken: Option<bool>,
    pub(crate) turn: Option<u32>,
    pub(crate) tools: Vec<String>,
    pub(crate) wire: Option<ScriptedApi>,
    pub(crate) times: Option<u32>,
}

#[derive(Debug, Clone)]
pub(crate) enum Replies {
    Always(Arc<ScriptedReply>),
    OnePerFiring(Vec<Arc<ScriptedReply>>),
}

impl Replies {
    /// Each answer, changed.
    pub(super) fn map(self, change: impl Fn(ScriptedReply) -> ScriptedReply) -> Self {
        let change = |reply: Arc<ScriptedReply>| Arc::new(change(Arc::unwrap_or_clone(reply)));
        match self {
            Self::Always(reply) => Self::Always(change(reply)),
            Self::OnePerFiring(replies) => Self::OnePerFiring(replies.into_iter().map(change).collect()),
        }
    }
}

impl Rule {
    /// How often it may fire; `None` is without end.
    pub(crate) fn limit(&self) -> Option<u32> {
        let listed = match &self.replies {
            Replies::Always(_) => None,
            Replies::OnePerFiring(replies) => Some(u32::try_from(replies.len()).unwrap_or(u32::MAX)),
        };
        match (listed, self.when.times) {
            (Some(listed), Some(times)) => Some(listed.min(times)),
            (listed, times) => listed.or(times),
        }
    }

    /// The answer of the firing with this number, the first being 0.
    pub(crate) fn reply(&self, firing: u32) -> Option<&Arc<ScriptedReply>> {
        match &self.replies {
            Replies::Always(reply) => Some(reply),
            Replies::OnePerFiring(replies) => replies.get(usize::try_from(firing).ok()?),
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct ScriptedReply {
    /// Before the first byte.
    pub(crate) delay: Duration,
    pub(crate) pace: Pace,
    pub(crate) play: Play,
}

#[derive(Debug, Clone)]
pub(crate) enum Play {
    Say { speech: Speech, ending: ReplyEnding },
    Fail(HttpError),
    Garbage { bytes: Bytes, ending: ReplyEnding },
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    /// Characters per streamed piece.
    pub(crate) chunk: usize,
    pub(crate) delay: Duration,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Speech {
    pub(crate) text: String,
    pub(crate) repeat: usize,
    pub(crate) thinking: Option<String>,
    pub(crate) calls: Vec<ScriptedCall>,
    pub(crate) usage: UsageKeys,
    pub(crate) stop: Option<ScriptedStop>,
}

#[derive(Debug, Clone)]
pub(crate) struct ScriptedCall {
    pub(crate) name: String,
    pub(crate) id: Option<String>,
    /// JSON, or what the script has instead.
    pub(crate) args: String,
}

#[derive(Debug, Clone)]
pub(crate) enum ReplyEnding {
    Whole,
    Cut(CutPlace),
    Stall(CutPlace),
    /// In a stream after so many events; an answer that is not streamed is the error alone.
    Fail(usize, HttpError),
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum CutPlace {
    Bytes(usize),
    Chunks(usize),
}

#[derive(Debug, Clone)]
pub(crate) struct HttpError {
    pub(crate) status: u16,
    pub(crate) body: ErrorBody,
    /// Checked to be header names and values.
    pub(crate) headers: Vec<(String, String)>,
}

#[derive(Debug, Clone)]
pub(crate) enum ErrorBody {
    /// To be put into the shape of the API.
    Message(String),
    Raw(String),
}
