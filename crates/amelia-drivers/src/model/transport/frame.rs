//! One exchange with a model, as it is kept.

use std::borrow::Cow;

use amelia_core::recording::Splice;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};

use crate::model::ModelFailure;

/// Headers of an answer that anything depends on.
const KEPT: [&str; 3] = ["retry-after", "retry-after-ms", "x-amelia-scripted"];

/// What was asked and what came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Exchange {
    pub(super) url: String,
    /// Since the last one of the same channel, or of the channel `since`.
    pub(super) asked: Splice,
    /// The channel of an earlier visit in which the conversation was continued last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) since: Option<String>,
    pub(super) answer: Answer,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    Unreached(ModelFailure),
    Came {
        status: u16,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        headers: Vec<(String, String)>,
        body: Body,
        /// How it broke off, if it did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        broke: Option<ModelFailure>,
    },
}

/// Text, as nearly always; else in base64.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Body {
    Text(String),
    Base64(String),
}

impl Body {
    pub(super) fn of(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::Text(text),
            Err(other) => Self::Base64(STANDARD.encode(other.as_bytes())),
        }
    }

    pub(super) fn bytes(self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.into_bytes(),
            Self::Base64(text) => STANDARD.decode(text).unwrap_or_default(),
        }
    }
}

pub(super) fn kept(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |name: &str| Some((name.to_owned(), headers.get(name)?.to_str().ok()?.to_owned()));
    KEPT.iter().filter_map(|name| text(name)).collect()
}

pub(super) fn headers(kept: &[(String, String)]) -> HeaderMap {
    let parsed = kept.iter().filter_map(|(name, value)| {
        Some((HeaderName::try_from(name).ok()?, HeaderValue::try_from(value).ok()?))
    });
    parsed.collect()
}

/// The text of a request's body.
pub(super) fn body_of(request: &reqwest::Request) -> Cow<'_, str> {
    String::from_utf8_lossy(request.body().and_then(reqwest::Body::as_bytes).unwrap_or_default())
}
