//! How one request to a tracker failed, whether another try makes sense, and the message to a person. Pure.

use std::time::Duration;

use amelia_core::config::retry::RetryConfig;
use amelia_core::text::capped;
use amelia_core::tracker::TrackerError;
use jiff::Timestamp;
use serde_json::Value;

use crate::exchange::{Method, TrackerResponse};

/// As much of an error's text as a person can use.
const LONGEST_DETAIL: usize = 1000;
/// As much of an answer that is something else as shows what it is.
const OPENING: usize = 120;
/// When a tracker says "later" and not when.
const SOME_TIME: Duration = Duration::from_secs(60);

/// One failed try.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TrackerFailure {
    #[error("{status}: {detail}")]
    Status { status: u16, detail: String, retry_after: Option<Duration> },
    /// Too many requests: this one was certainly not taken.
    #[error("{detail}")]
    Limited { wait: Option<Duration>, detail: String },
    /// Certainly not taken either.
    #[error("cannot connect: {0}")]
    NotReached(String),
    /// Sent, and no whole answer: it is not known whether it was taken.
    #[error("{0}")]
    Lost(String),
    /// To somewhere else, where the credentials do not belong.
    #[error("it redirects to {0}, which is not followed")]
    Redirected(String),
    #[error("the answer is larger than {0} bytes")]
    TooLarge(usize),
    #[error("the answer is not what its API describes ({why}) but `{opening}`")]
    NotUnderstood { why: String, opening: String },
    #[error("{0}")]
    SignedOut(String),
    /// The program or the client that should carry it cannot be made.
    #[error("{0}")]
    NoCarrier(String),
}

/// How a tracker is called, and what helps when it says no.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TrackerWords {
    pub(crate) tracker: &'static str,
    pub(crate) sign_in: String,
    pub(crate) allow: String,
}

impl TrackerFailure {
    /// What is wrong with `answer`, if something is.
    pub(crate) fn of(answer: &TrackerResponse, now: Timestamp) -> Option<Self> {
        let status = answer.status;
        if (200..300).contains(&status) {
            return None;
        }
        let detail = detail(&answer.body);
        let retry_after = retry_after(answer, now);
        if status == 429 || (status == 403 && is_limit(answer, &detail)) {
            return Some(Self::Limited { wait: retry_after, detail });
        }
        // Jira answers "not found" to wrong credentials, and says the truth in a header.
        if let Some(reason) = answer.header("x-seraph-loginreason")
            && ["AUTHENTICATED_FAILED", "AUTHENTICATION_DENIED"].iter().any(|word| reason.contains(word))
        {
            return Some(Self::Status { status: 401, detail: reason.to_owned(), retry_after: None });
        }
        Some(Self::Status { status, detail, retry_after })
    }

    pub(crate) fn not_understood(why: &impl ToString, body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body.get(..body.len().min(4 * OPENING)).unwrap_or_default());
        let opening = text.trim().chars().take(OPENING).collect();
        Self::NotUnderstood { why: why.to_string(), opening }
    }

    /// How long to wait before try number `attempt` is repeated; `None` when that makes no sense.
    pub(crate) fn again(&self, method: Method, attempt: u32, retry: &RetryConfig) -> Option<Duration> {
        let wish = match self {
            Self::Limited { wait, .. } => *wait,
            Self::NotReached(_) => None,
            Self::Lost(_) if method == Method::Get => None,
            Self::Status { status, retry_after, .. } if method == Method::Get && may_pass(*status) => {
                *retry_after
            }
            Self::Status { .. }
            | Self::Lost(_)
            | Self::Redirected(_)
            | Self::TooLarge(_)
            | Self::NotUnderstood { .. }
            | Self::SignedOut(_)
            | Self::NoCarrier(_) => return None,
        };
        let delay = retry.delay(attempt)?;
        match wish {
            // Too long to wait for: it is said, and the run can be resumed.
            Some(wish) if wish.as_secs_f64() > retry.max_delay => None,
            Some(wish) => Some(wish.max(delay)),
            None => Some(delay),
        }
    }

    /// For people, about `what`, after `tries`.
    pub(crate) fn told(self, words: &TrackerWords, what: &str, tries: u32) -> TrackerError {
        let tracker = words.tracker.to_owned();
        let after = |detail: String| match tries {
            0 | 1 => detail,
            tries => format!("{detail} (after {tries} tries)"),
        };
        match self {
            Self::Status { status, detail, .. } => told_status(status, detail, words, what, after),
            Self::Limited { wait, detail } => {
                let seconds = wait.unwrap_or(SOME_TIME).as_secs();
                TrackerError::Limited { tracker, seconds, detail: after(detail) }
            }
            Self::SignedOut(detail) => {
                TrackerError::Unauthorised { tracker, detail, hint: words.sign_in.clone() }
            }
            Self::NotReached(_) | Self::Lost(_) => {
                TrackerError::Unavailable { tracker, detail: after(self.to_string()) }
            }
            Self::Redirected(_) | Self::TooLarge(_) | Self::NotUnderstood { .. } => {
                TrackerError::Refused { tracker, detail: format!("{what}: {self}") }
            }
            Self::NoCarrier(detail) => TrackerError::Setup(detail.into()),
        }
    }
}

fn told_status(
    status: u16,
    detail: String,
    words: &TrackerWords,
    what: &str,
    after: impl Fn(String) -> String,
) -> TrackerError {
    let (tracker, what) = (words.tracker.to_owned(), what.to_owned());
    match status {
        401 => TrackerError::Unauthorised { tracker, detail, hint: words.sign_in.clone() },
        403 => TrackerError::Forbidden { tracker, detail, hint: words.allow.clone() },
        404 => {
            let detail = format!("{detail}; or its credentials may not see it");
            TrackerError::NotFound { tracker, what, detail }
        }
        410 => TrackerError::NotFound { tracker, what, detail: format!("it was removed: {detail}") },
        status if may_pass(status) => {
            TrackerError::Unavailable { tracker, detail: after(format!("{status}: {detail}")) }
        }
        status => TrackerError::Refused { tracker, detail: format!("{what}: {status}: {detail}") },
    }
}

/// Whether the same request may succeed later.
fn may_pass(status: u16) -> bool {
    matches!(status, 408 | 425 | 500 | 502..=504 | 506..=599)
}

/// GitHub says "forbidden" for both; these tell them apart.
fn is_limit(answer: &TrackerResponse, detail: &str) -> bool {
    answer.header("retry-after").is_some()
        || answer.header("x-ratelimit-remaining") == Some("0")
        || detail.to_lowercase().contains("secondary rate limit")
}

/// Seconds, a date, or the moment when a used-up allowance is filled again.
fn retry_after(answer: &TrackerResponse, now: Timestamp) -> Option<Duration> {
    let until = |at: Timestamp| Duration::try_from(at.duration_since(now)).unwrap_or_default();
    if let Some(text) = answer.header("retry-after") {
        if let Ok(seconds) = text.parse::<f64>() {
            return Duration::try_from_secs_f64(seconds).ok();
        }
        return jiff::fmt::rfc2822::parse(text).ok().map(|at| until(at.timestamp()));
    }
    let reset = answer.header("x-ratelimit-reset")?.parse().ok()?;
    let used_up = answer.header("x-ratelimit-remaining") == Some("0");
    used_up.then(|| Timestamp::from_second(reset).ok().map(until))?
}

/// What both APIs say about an error, in their own words.
fn detail(body: &[u8]) -> String {
    let said = serde_json::from_slice::<Value>(body).ok().map(|body| sentences(&body)).unwrap_or_default();
    let text = if said.is_empty() {
        // A page of a proxy. Its beginning tells which.
        String::from_utf8_lossy(body.get(..body.len().min(LONGEST_DETAIL)).unwrap_or_default()).into_owned()
    } else {
        said.join("; ")
    };
    let text = capped(text.trim(), LONGEST_DETAIL);
    if text.is_empty() { "no reason given".to_owned() } else { text }
}

fn sentences(body: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let mut said = Vec::new();
    said.extend(body.get("message").and_then(text));
    said.extend(body.get("errorMessages").and_then(Value::as_array).into_iter().flatten().filter_map(text));
    match body.get("errors") {
        Some(Value::Array(errors)) => said.extend(errors.iter().filter_map(|error| {
            let part = |name: &str| error.get(name).and_then(text);
            let named = || Some(format!("{}: {}", part("field")?, part("code")?));
            text(error).or_else(|| part("message")).or_else(named)
        })),
        Some(Value::Object(errors)) => said.extend(
            errors.iter().filter_map(|(field, error)| text(error).map(|error| format!("{field}: {error}"))),
        ),
        _ => {}
    }
    said
}

#[cfg(test)]
#[path = "failure_tests.rs"]
mod tests;
