//! An answer that is an error, in our words: with a status, inside a stream, or instead of one. Secrets are taken out before
//! anything is cut: a part of a key would no longer be known as one. Pure.

use amelia_core::redact::Redactor;
use amelia_core::text::capped;
use jiff::Timestamp;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::{ModelFailure, waiting};

/// As much of an error that is an answer as is read.
pub(super) const LARGEST: usize = 64 * 1024;
/// As much of an answer that is no stream as is read when it cannot be an answer.
pub(super) const OPENING: usize = 4 * 1024;
/// As much of such an answer as a person can use.
const SHOWN: usize = 200;
/// As much of an error's text as a person can use.
const LONGEST: usize = 2000;

/// What an answer with this status means.
#[must_use]
pub fn refusal(
    status: u16,
    headers: &HeaderMap,
    body: &[u8],
    now: Timestamp,
    redactor: &Redactor,
) -> ModelFailure {
    let clean = redactor.bytes(body);
    // What was cut off while it was read may end with half a secret.
    let clean = if body.len() < LARGEST { &*clean } else { clean.get(..LARGEST / 2).unwrap_or(&clean) };
    let parsed: Option<Value> = serde_json::from_slice(clean).ok();
    let detail = parsed.as_ref().and_then(error_text);
    let text = String::from_utf8_lossy(clean);
    if detail.is_none() && status == 404 && is_page(&text) {
        return ModelFailure::NoPage;
    }
    let detail = detail.unwrap_or_else(|| in_words(status, &text));
    let retry_after = waiting::retry_after(headers, now);
    let told = || {
        let told = parsed.as_ref().and_then(waiting::in_details).or_else(|| waiting::in_words(&detail));
        told.filter(|_| status == 429)
    };
    let retry_after = retry_after.or_else(told);
    ModelFailure::Status { status, detail: capped(detail.trim(), LONGEST), retry_after }
}

/// Whether this is what a web server says, or nothing.
fn is_page(text: &str) -> bool {
    matches!(text.trim_start().chars().next(), None | Some('<'))
}

/// An error that is not in the words of a model's API.
fn in_words(status: u16, text: &str) -> String {
    match status {
        300..400 => "it is at another address: is the base_url right?".to_owned(),
        _ => text.to_owned(),
    }
}

fn error_text(body: &Value) -> Option<String> {
    // Gemini wraps it in a list.
    let body = body.get(0).unwrap_or(body);
    let error = body.get("error").unwrap_or(body);
    let message = error.get("message").and_then(Value::as_str).or_else(|| error.as_str())?;
    // Some write the status as a number where others write a word.
    let code = ["code", "status", "type"].iter().find_map(|name| error.get(name).and_then(Value::as_str));
    Some(code.map_or_else(|| message.to_owned(), |code| format!("{message} ({code})")))
}

/// An error that came inside the stream. Not yet without secrets, nor cut.
pub(super) fn reported(error: &Value) -> ModelFailure {
    let text = |name: &str| error.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let message = text("message").or_else(|| error.as_str()).map(str::to_owned);
    let detail = message.unwrap_or_else(|| error.to_string());
    // OpenRouter tells the status of the provider behind it.
    let number = error.get("code").and_then(Value::as_u64);
    let number = number.or_else(|| text("code").and_then(|code| code.parse().ok()));
    let status = number.and_then(|code| u16::try_from(code).ok()).filter(|code| (400..600).contains(code));
    if let Some(status) = status {
        let retry_after = waiting::in_words(&detail).filter(|_| status == 429);
        return ModelFailure::Status { status, detail, retry_after };
    }
    // Where the event itself is the error, its type says only that. A code says more than a type, but not always what is
    // to be done.
    let mut words: Vec<&str> =
        [text("type").filter(|kind| *kind != "error"), text("code")].into_iter().flatten().collect();
    words.dedup();
    let kind = if words.is_empty() { "error".to_owned() } else { words.join("/") };
    ModelFailure::Reported { kind, detail }
}

/// The error in an answer that came whole instead of as a stream.
pub(super) fn in_whole(answer: &Value) -> Option<ModelFailure> {
    let answer = answer.get(0).unwrap_or(answer);
    answer.get("error").filter(|error| !error.is_null()).map(reported)
}

/// A stream that ended too early, or something that never was one, such as a page of a proxy.
pub(super) fn unfinished(opening: &[u8], redactor: &Redactor) -> ModelFailure {
    let text = String::from_utf8_lossy(opening);
    let is_stream = |word: &&str| text.trim_start().starts_with(*word);
    if text.trim().is_empty() || ["data", "event", "id", "retry", ":", "\u{FEFF}"].iter().any(is_stream) {
        return ModelFailure::Cut;
    }
    let clean = redactor.bytes(opening);
    let clean = String::from_utf8_lossy(&clean);
    // Only its beginning: its end may be half a secret.
    let shown: String = clean.trim().chars().take(SHOWN).collect();
    ModelFailure::Garbage(format!("it is not a stream of events but `{shown}`"))
}

/// The failure without secrets, and as long as a person can use.
pub(super) fn shown(failure: ModelFailure, redactor: &Redactor) -> ModelFailure {
    let clean = |text: String| capped(redactor.text(&text).trim(), LONGEST);
    match failure {
        ModelFailure::Status { status, detail, retry_after } => {
            ModelFailure::Status { status, detail: clean(detail), retry_after }
        }
        ModelFailure::Connection(detail) => ModelFailure::Connection(clean(detail)),
        ModelFailure::Garbage(detail) => ModelFailure::Garbage(clean(detail)),
        ModelFailure::Stopped(reason) => ModelFailure::Stopped(clean(reason)),
        ModelFailure::Reported { kind, detail } => {
            ModelFailure::Reported { kind: clean(kind), detail: clean(detail) }
        }
        ModelFailure::Stalled(_) | ModelFailure::Cut | ModelFailure::TooLarge(_) | ModelFailure::NoPage => {
            failure
        }
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::config::secret::Secret;
    use serde_json::json;

    use super::super::RetryDecision;
    use super::*;

    const KEY: &str = "sk-test-SECRETKEY-abcdef0123456789";

    fn redactor() -> Redactor {
        Redactor::new([Secret::new(KEY)])
    }

    fn refused(status: u16, body: &str) -> ModelFailure {
        refusal(status, &HeaderMap::new(), body.as_bytes(), Timestamp::UNIX_EPOCH, &redactor())
    }

    #[test]
    fn a_key_is_taken_out_before_an_error_is_cut() {
        for at in (1200..1400).chain(3600..3800) {
            let message = format!("{}{KEY}{}", "x".repeat(at), "y".repeat(4300 - at));
            let body = json!({"error": {"message": message}});
            let told = [
                refused(400, &body.to_string()),
                refused(400, &message),
                shown(reported(&body["error"]), &redactor()),
            ];
            for failure in told {
                assert!(!failure.to_string().contains("sk-test"), "{at}: {failure}");
            }
        }
        for at in [170, 190, 195, OPENING - 10] {
            let page = format!("<{}{KEY}", "x".repeat(at));
            let opening = page.as_bytes().get(..page.len().min(OPENING)).unwrap();
            let failure = unfinished(opening, &redactor());
            assert!(!failure.to_string().contains("sk-test"), "{at}: {failure}");
        }
        let endless = format!("{}{KEY}", "x".repeat(LARGEST - 10));
        let cut = refused(500, endless.get(..LARGEST).unwrap());
        assert!(!cut.to_string().contains("sk-test"), "{cut}");
    }

    #[test]
    fn errors_inside_a_stream_are_judged_by_type_and_code() {
        let seconds = std::time::Duration::from_secs;
        for (error, expected) in [
            (
                json!({"type": "tokens", "code": "rate_limit_exceeded", "message": "Please try again in 2s."}),
                RetryDecision::Retry(Some(seconds(2))),
            ),
            (
                json!({"type": "invalid_request_error", "code": "tool_use_failed", "message": "Failed to call a function."}),
                RetryDecision::Retry(None),
            ),
            (json!({"code": "429", "message": "slow down"}), RetryDecision::Retry(None)),
            (json!({"code": 429, "message": "try again in 3s"}), RetryDecision::Retry(Some(seconds(3)))),
            (
                json!({"type": "invalid_request_error", "code": "context_length_exceeded"}),
                RetryDecision::TooLong,
            ),
            (
                json!({"type": "insufficient_quota", "code": null, "message": "no"}),
                RetryDecision::Quota(None),
            ),
            (
                json!({"code": "RESOURCE_EXHAUSTED", "message": "Quota exceeded. Please retry in 5s."}),
                RetryDecision::Retry(Some(seconds(5))),
            ),
            (json!({"type": "x", "code": "invalid_api_key", "message": "no"}), RetryDecision::Unauthorised),
            (json!({"type": "invalid_request_error", "message": "bad field"}), RetryDecision::Final),
        ] {
            assert_eq!(reported(&error).verdict(Timestamp::UNIX_EPOCH), expected, "{error}");
        }
    }

    #[test]
    fn errors_in_a_list_are_read_with_their_wait() {
        let error = json!({"code": 429, "status": "RESOURCE_EXHAUSTED",
            "message": "You exceeded your current quota, please check your plan and billing details. Please retry in 12.5s.",
            "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "12s"}]});
        let failure = refused(429, &json!([{"error": error}]).to_string());
        let seconds = std::time::Duration::from_secs(12);
        assert_eq!(failure.verdict(Timestamp::UNIX_EPOCH), RetryDecision::Retry(Some(seconds)), "{failure}");
        assert!(failure.to_string().ends_with("12.5s. (RESOURCE_EXHAUSTED)"), "{failure}");
    }

    #[test]
    fn a_page_instead_of_an_answer_points_at_the_address() {
        for (status, body) in [(404, "<html>nginx</html>"), (404, ""), (301, ""), (308, "<html>moved</html>")]
        {
            let failure = refused(status, body);
            assert!(failure.to_string().contains("base_url"), "{failure}");
            assert_eq!(failure.verdict(Timestamp::UNIX_EPOCH), RetryDecision::Final, "{failure}");
        }
    }
}
