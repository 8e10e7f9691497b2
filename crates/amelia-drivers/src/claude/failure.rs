//! What a failure of the program means, by what can be done about it. Pure.

use amelia_core::driver::DriverError;
use amelia_core::key_source::{KeySource, PROVIDER_OF};
use amelia_core::problem::Problem;
use amelia_core::text::capped;
use jiff::Timestamp;

use super::parse::{Finished, RateLimit};

/// As much of an error's text as a person can use.
const LONGEST: usize = 2000;

/// Who is asked, in messages.
pub(super) const NAME: &str = "claude";

pub(super) fn program(problem: impl Into<Problem>) -> DriverError {
    DriverError::Program { program: NAME.to_owned(), problem: problem.into() }
}

/// A result that is none. `address` is where its model is, as far as that is known.
pub(super) fn of_result(
    finished: &Finished,
    model: &str,
    max_turns: u32,
    address: Option<&str>,
) -> DriverError {
    let text = finished.result.clone().unwrap_or_else(|| finished.errors.join("; "));
    let detail = capped(text.trim(), LONGEST);
    if finished.subtype == "error_max_turns" {
        return DriverError::Turns { turns: finished.num_turns.unwrap_or(max_turns) };
    }
    let lower = detail.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let (provider, model) = (NAME.to_owned(), model.to_owned());
    match finished.api_error_status {
        // It advises to sign in even if a key was refused.
        Some(401 | 403) => key_refused(detail.replace("Please run /login · ", "")),
        _ if says(&["not logged in", "please run /login", "invalid api key", "oauth token"]) => {
            signed_out(detail)
        }
        _ if says(&["prompt is too long", "context window"]) => DriverError::TooLong { model, detail },
        _ if says(&["usage limit reached", "out of credits", "credit balance"]) => {
            DriverError::Quota { provider, resets_at: None, detail, account: None }
        }
        Some(404) => DriverError::UnknownModel { provider, model, detail },
        Some(408 | 409 | 429 | 500..=599) => {
            DriverError::Unavailable { provider, tries: 1, retry_after: None, detail }
        }
        Some(status) => DriverError::Refused { provider, status: Some(status), detail },
        None if says(&UNREACHED) => unreached(&detail, address),
        None => program(format!("it ended with `{}`: {detail}", finished.subtype)),
    }
}

/// What it says when it has given up to reach its model, in small letters.
const UNREACHED: [&str; 3] = ["unable to connect", "connection error", "request timed out"];

/// Its model is not there. Through the proxy, that says where and why.
fn unreached(detail: &str, address: Option<&str>) -> DriverError {
    let at = address.map(|address| format!(" at {address}")).unwrap_or_default();
    let why = detail.trim_start_matches("API Error: ");
    let detail = format!("it cannot reach its model{at}: {why}");
    DriverError::Unavailable { provider: NAME.to_owned(), tries: 1, retry_after: None, detail }
}

/// No one is signed in, or the key is wrong.
fn signed_out(detail: String) -> DriverError {
    DriverError::Unauthorised { provider: NAME.to_owned(), key: KeySource::SignIn, detail }
}

/// The program took the key; whom it asked did not.
fn key_refused(detail: String) -> DriverError {
    let provider = format!("{PROVIDER_OF}{NAME}");
    DriverError::Unauthorised { provider, key: KeySource::SignIn, detail }
}

/// Its model refuses the key each time.
pub(super) fn of_refused_key(status: Option<u16>) -> DriverError {
    key_refused(format!("it answered {} twice", status.unwrap_or(401)))
}

/// It ended before it had said a result.
pub(super) fn of_end(code: Option<i32>, last_words: &str) -> DriverError {
    let how = match code {
        Some(code) => format!("it ended with code {code}"),
        None => "it was killed".to_owned(),
    };
    let lower = last_words.to_lowercase();
    if ["not logged in", "/login", "invalid api key"].iter().any(|word| lower.contains(word)) {
        return signed_out(last_words.to_owned());
    }
    let said = if last_words.is_empty() { String::new() } else { format!(": {last_words}") };
    program(Problem::new(format!("{how} before it had finished{said}")))
}

/// A moment beyond this is in milliseconds.
const MILLISECONDS: f64 = 1e11;

/// The account is used up.
pub(super) fn of_limit(limit: &RateLimit) -> DriverError {
    // Some versions say it in milliseconds.
    let seconds = limit.resets_at.map(|at| if at > MILLISECONDS { at / 1000.0 } else { at });
    #[expect(clippy::cast_possible_truncation, reason = "seconds since 1970 fit")]
    let resets_at = seconds.and_then(|seconds| Timestamp::from_second(seconds as i64).ok());
    let detail = format!("limit of {}", limit.rate_limit_type.as_deref().unwrap_or("this account"));
    DriverError::Quota { provider: NAME.to_owned(), resets_at, detail, account: None }
}
