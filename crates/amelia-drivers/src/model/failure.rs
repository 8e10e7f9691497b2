//! How one request to a model failed, and whether another try makes sense. Pure.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::waiting;

/// What to check when an address leads nowhere.
pub(super) const NO_PAGE: &str = "there is no such page: is the base_url right?";

/// One failed try.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum ModelFailure {
    /// The provider answered with an error.
    #[error("{status}: {detail}")]
    Status { status: u16, detail: String, retry_after: Option<Duration> },
    /// A server answered that is no API of a model, or the address is not that of its API.
    #[error("404: {NO_PAGE}")]
    NoPage,
    /// Not reached, or cut off before an answer.
    #[error("cannot connect: {0}")]
    Connection(String),
    /// Nothing came for too long.
    #[error("no data for {} s", .0.as_secs())]
    Stalled(Duration),
    /// The stream ended in the middle.
    #[error("the answer was cut off")]
    Cut,
    /// What came is not what was agreed.
    #[error("the answer cannot be read: {0}")]
    Garbage(String),
    /// It ended with a reason that is no end of an answer.
    #[error("the answer is incomplete: it stopped with `{0}`")]
    Stopped(String),
    /// More than any answer should be.
    #[error("the answer is larger than {0} bytes")]
    TooLarge(usize),
    /// The provider said in its stream that it failed.
    #[error("{kind}: {detail}")]
    Reported { kind: String, detail: String },
}

/// What to do about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryDecision {
    /// Worth another try, not before the provider's own wish.
    Retry(Option<Duration>),
    /// The account has used up what it may.
    Quota(Option<Timestamp>),
    /// The model asks for a wait that is too long to sit through; another one of the account may answer.
    ModelQuota(Option<Timestamp>),
    /// The conversation does not fit the model.
    TooLong,
    Unauthorised,
    UnknownModel,
    /// It would fail again.
    Final,
}

/// Waits longer than this are a usage limit, not a hiccup: too long to wait for.
pub(crate) const LONGEST_RETRY: Duration = Duration::from_secs(120);

impl ModelFailure {
    /// What to do about it; `now` is for turning a wait into a moment.
    #[must_use]
    pub fn verdict(&self, now: Timestamp) -> RetryDecision {
        match self {
            Self::Status { status, detail, retry_after } => of_status(*status, detail, *retry_after, now),
            Self::Connection(_) | Self::Stalled(_) | Self::Cut | Self::Garbage(_) | Self::Stopped(_) => {
                RetryDecision::Retry(None)
            }
            Self::TooLarge(_) | Self::NoPage => RetryDecision::Final,
            Self::Reported { kind, detail } => of_report(kind, detail),
        }
    }
}

fn of_status(status: u16, detail: &str, retry_after: Option<Duration>, now: Timestamp) -> RetryDecision {
    let moment = || retry_after.and_then(|wait| now.checked_add(wait).ok());
    match status {
        // A model that wrote its call in a wrong way writes it another way the next time.
        400 if detail.contains("tool_use_failed") => RetryDecision::Retry(None),
        // Quotas that were set by the owner of an account, and bills that are open.
        402 => RetryDecision::Quota(waiting::regained(detail)),
        // Anthropic, of an empty account, or one that its owner has limited.
        400 if is_used_up(detail) => RetryDecision::Quota(waiting::regained(detail)),
        400 if is_about_key(detail) => RetryDecision::Unauthorised,
        // Kimi says so of an account that is used up; the key is a good one.
        403 if is_about_quota(detail) => RetryDecision::Quota(None),
        401 | 403 => RetryDecision::Unauthorised,
        // Otherwise it is the address that is unknown.
        404 if detail.to_lowercase().contains("model") => RetryDecision::UnknownModel,
        400 | 413 | 422 | 500 if is_about_length(detail) || status == 413 => RetryDecision::TooLong,
        429 if is_used_up(detail) => RetryDecision::Quota(moment()),
        // Gemini speaks of a quota when it means the next seconds.
        429 if is_about_quota(detail) && retry_after.is_none_or(|wait| wait > LONGEST_RETRY) => {
            RetryDecision::Quota(moment())
        }
        429 if retry_after.is_some_and(|wait| wait > LONGEST_RETRY) => RetryDecision::ModelQuota(moment()),
        408 | 409 | 425 | 429 | 500..=599 => RetryDecision::Retry(retry_after),
        _ => RetryDecision::Final,
    }
}

fn of_report(kind: &str, detail: &str) -> RetryDecision {
    let kind = kind.to_lowercase();
    if is_about_length(detail) || is_about_length(&kind) {
        return RetryDecision::TooLong;
    }
    let passing = [
        "overloaded",
        "server_error",
        "api_error",
        "internal_error",
        "rate_limit",
        "too_many_requests",
        "slow_down",
        "timeout",
        "unavailable",
        "tool_use_failed",
    ];
    let is_passing = passing.iter().any(|word| kind.contains(word));
    let wait = waiting::in_words(detail);
    if is_used_up(&kind) || is_used_up(detail) {
        return RetryDecision::Quota(waiting::regained(detail));
    }
    if is_about_quota(&kind) || is_about_quota(detail) {
        return wait.map_or(RetryDecision::Quota(None), |wait| RetryDecision::Retry(Some(wait)));
    }
    match is_passing {
        true => RetryDecision::Retry(wait),
        false if is_about_key(&kind) || is_about_key(detail) => RetryDecision::Unauthorised,
        false => RetryDecision::Final,
    }
}

fn is_about_length(detail: &str) -> bool {
    let words = [
        "context_length",
        "context length",
        "context size",
        "context window",
        "exceed_context_size",
        "exceed context limit",
        "too long",
        "too many tokens",
        "maximum context",
        "maximum number of tokens",
        "maximum allowed input",
        "input token count",
        "reduce the length",
        "tokens exceed",
        "token limit",
    ];
    says(detail, &words)
}

/// A quota, which may be one of the next minute.
fn is_about_quota(detail: &str) -> bool {
    let words = ["exceeded your current quota", "quota exceeded", "billing"];
    is_used_up(detail) || says(detail, &words)
}

/// The account as a whole can do nothing more.
fn is_used_up(detail: &str) -> bool {
    let words = [
        "insufficient_quota",
        "credit balance",
        "insufficient balance",
        "billing_hard_limit",
        // Kimi, Codex, and Anthropic of a limit that its owner has set.
        "usage limit",
    ];
    says(detail, &words)
}

/// The key is a wrong one.
fn is_about_key(detail: &str) -> bool {
    let words = [
        "api key not valid",
        "api_key_invalid",
        "invalid_api_key",
        "invalid api key",
        "incorrect api key",
        "authentication_error",
    ];
    says(detail, &words)
}

fn says(detail: &str, words: &[&str]) -> bool {
    let detail = detail.to_lowercase();
    words.iter().any(|words| detail.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_answer_of_a_provider_has_its_meaning() {
        let now = Timestamp::UNIX_EPOCH;
        let seconds = Duration::from_secs;
        let [second, hour] = [1, 3600].map(|wait| now.checked_add(seconds(wait)).unwrap());
        for (status, detail, retry_after, expected) in [
            (400, "bad field", None, RetryDecision::Final),
            (400, "This model's maximum context length is 8192 tokens", None, RetryDecision::TooLong),
            (
                400,
                "request (4019 tokens) exceeds the available context size (2048 tokens)",
                None,
                RetryDecision::TooLong,
            ),
            (401, "no", None, RetryDecision::Unauthorised),
            (403, "no", None, RetryDecision::Unauthorised),
            (403, "You've reached your usage limit for this billing cycle", None, RetryDecision::Quota(None)),
            (404, "no such model", None, RetryDecision::UnknownModel),
            (408, "", None, RetryDecision::Retry(None)),
            (409, "", None, RetryDecision::Retry(None)),
            (413, "", None, RetryDecision::TooLong),
            (422, "bad", None, RetryDecision::Final),
            (429, "slow down", None, RetryDecision::Retry(None)),
            (429, "slow down", Some(seconds(7)), RetryDecision::Retry(Some(seconds(7)))),
            (429, "slow down", Some(seconds(3600)), RetryDecision::ModelQuota(Some(hour))),
            (429, "usage limit", Some(seconds(3600)), RetryDecision::Quota(Some(hour))),
            (429, "usage limit", Some(seconds(1)), RetryDecision::Quota(Some(second))),
            (429, "insufficient_quota", None, RetryDecision::Quota(None)),
            (429, "You exceeded your current quota", None, RetryDecision::Quota(None)),
            (
                429,
                "You exceeded your current quota. Please retry in 12s.",
                Some(seconds(12)),
                RetryDecision::Retry(Some(seconds(12))),
            ),
            (429, "insufficient_quota", Some(seconds(1)), RetryDecision::Quota(Some(second))),
            (
                400,
                "Your credit balance is too low to access the Anthropic API.",
                None,
                RetryDecision::Quota(None),
            ),
            (
                400,
                "You have reached your specified API usage limits. You will regain access on 1970-01-01 at 01:00 UTC.",
                None,
                RetryDecision::Quota(Some(hour)),
            ),
            (
                400,
                "API key not valid. Please pass a valid API key. (INVALID_ARGUMENT)",
                None,
                RetryDecision::Unauthorised,
            ),
            (500, "", None, RetryDecision::Retry(None)),
            (503, "", Some(seconds(1)), RetryDecision::Retry(Some(seconds(1)))),
            (529, "overloaded", None, RetryDecision::Retry(None)),
        ] {
            let failure = ModelFailure::Status { status, detail: detail.to_owned(), retry_after };
            assert_eq!(failure.verdict(now), expected, "{status} {detail}");
        }
        for failure in
            [ModelFailure::Cut, ModelFailure::Stalled(seconds(1)), ModelFailure::Garbage(String::new())]
        {
            assert_eq!(failure.verdict(now), RetryDecision::Retry(None));
        }
        assert_eq!(ModelFailure::TooLarge(1).verdict(now), RetryDecision::Final);
        let overloaded =
            ModelFailure::Reported { kind: "overloaded_error".to_owned(), detail: String::new() };
        assert_eq!(overloaded.verdict(now), RetryDecision::Retry(None));
    }
}
