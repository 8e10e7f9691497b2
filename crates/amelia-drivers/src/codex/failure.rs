//! What a failed turn means, by what can be done about it. Pure.

use amelia_core::driver::DriverError;
use amelia_core::key_source::KeySource;
use amelia_core::problem::Problem;
use amelia_core::text::capped;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use crate::program::ProgramRetry;

/// As much of an error's text as a person can use.
const LONGEST: usize = 2000;

/// Who is asked, in messages.
pub(super) const NAME: &str = "codex";

/// Why a turn did not come to its end.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TurnError {
    #[serde(default)]
    pub(super) message: String,
    #[serde(default)]
    codex_error_info: Value,
    #[serde(default)]
    additional_details: Option<String>,
}

impl TurnError {
    /// One of which only the words are known.
    pub(super) fn of_words(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// All that it says, as a person reads it.
    pub(super) fn words(&self) -> String {
        // The body of an HTTP answer is passed on as it is.
        let inner = serde_json::from_str::<Value>(&self.message).ok();
        let inner = inner.as_ref().and_then(|body| body.pointer("/error/message")).and_then(Value::as_str);
        let message = inner.unwrap_or(&self.message);
        match self.additional_details.as_deref().filter(|details| !details.is_empty()) {
            Some(details) => capped(&format!("{message} ({details})"), LONGEST),
            None => capped(message, LONGEST),
        }
    }

    /// A failure after which it asks its model again: `Reconnecting... 2/5`, with the cause in the details.
    pub(super) fn retry(&self) -> ProgramRetry {
        let counted = self.message.rsplit([' ', '.']).next().and_then(|count| count.split_once('/'));
        let number = |text: &str| text.parse::<u32>().ok();
        let counted = counted.and_then(|(next, tries)| Some((number(next)?, number(tries)?)));
        let words = match (counted, &self.additional_details) {
            (Some(_), Some(details)) => capped(details, LONGEST),
            _ => self.words(),
        };
        let again = counted.map(|(next, tries)| format!("trying again ({next} of {tries})"));
        ProgramRetry {
            is_unreached: [" 502 ", " 503 ", " 504 "].iter().any(|status| words.contains(status)),
            failure: format!("codex: {words}"),
            again: again.unwrap_or_else(|| "trying again".to_owned()),
        }
    }

    /// What kind of failure it names.
    fn kind(&self) -> &str {
        match &self.codex_error_info {
            Value::String(kind) => kind,
            Value::Object(fields) => fields.keys().next().map_or("", String::as_str),
            _ => "",
        }
    }

    fn status(&self) -> Option<u16> {
        let fields = self.codex_error_info.as_object()?.values().next()?;
        let named = fields.get("httpStatusCode")?.as_u64().and_then(|status| u16::try_from(status).ok());
        named.or_else(|| self.status_in_words())
    }

    /// `exec` has no other place for it: "last status: 429 Too Many Requests".
    fn status_in_words(&self) -> Option<u16> {
        let (_, rest) = self.message.split_once("status")?;
        rest.split(|c: char| !c.is_ascii_digit()).find(|digits| digits.len() == 3)?.parse().ok()
    }
}

/// A usable sign of the kind, from words or from the kind itself.
fn says(error: &TurnError, words: &[&str]) -> bool {
    let message = error.message.to_lowercase();
    words.iter().any(|word| message.contains(word))
}

/// What a failed turn means. `resets_at` is when the account's limit ends, if the program has told.
pub(super) fn of_turn(error: &TurnError, model: &str, resets_at: Option<Timestamp>) -> DriverError {
    let detail = error.words();
    let (provider, model) = (NAME.to_owned(), model.to_owned());
    let unavailable =
        |detail| DriverError::Unavailable { provider: NAME.to_owned(), tries: 1, retry_after: None, detail };
    match error.kind() {
        "usageLimitExceeded" | "rateLimitExceeded" | "sessionBudgetExceeded" => {
            return DriverError::Quota { provider, resets_at, detail, account: None };
        }
        "contextWindowExceeded" => return DriverError::TooLong { model, detail },
        "modelNotFound" => return DriverError::UnknownModel { provider, model, detail },
        "unauthorized" => return signed_out(detail),
        "cyberPolicy" | "misalignmentPolicyViolation" | "tooManyDenials" => {
            return DriverError::Refused { provider, status: None, detail };
        }
        "serverOverloaded" | "internalServerError" | "flexUnavailable" | "policyCapacityUnavailable" => {
            return unavailable(detail);
        }
        _ => {}
    }
    match error.status().or_else(|| error.status_in_words()) {
        _ if says(error, &["context window", "context_length_exceeded"]) => {
            DriverError::TooLong { model, detail }
        }
        _ if says(error, &["usage limit", "insufficient_quota"]) => {
            DriverError::Quota { provider, resets_at, detail, account: None }
        }
        _ if says(error, &["model_not_found", "does not exist"]) => {
            DriverError::UnknownModel { provider, model, detail }
        }
        Some(401 | 403) => signed_out(detail),
        Some(404) => DriverError::UnknownModel { provider, model, detail },
        Some(429) => DriverError::Quota { provider, resets_at, detail, account: None },
        Some(408 | 409 | 500..=599) => unavailable(detail),
        None if matches!(error.kind(), "httpConnectionFailed" | "responseStreamDisconnected") => {
            unavailable(detail)
        }
        status => DriverError::Refused { provider, status, detail },
    }
}

/// No one is signed in, or the key is wrong.
fn signed_out(detail: String) -> DriverError {
    DriverError::Unauthorised { provider: NAME.to_owned(), key: KeySource::SignIn, detail }
}

/// The program itself is the trouble.
pub(super) fn program(problem: impl Into<Problem>) -> DriverError {
    DriverError::Program { program: NAME.to_owned(), problem: problem.into() }
}

/// It ended before it had finished.
pub(super) fn of_end(code: Option<i32>, last_words: &str) -> DriverError {
    let lower = last_words.to_lowercase();
    if ["not logged in", "codex login", "401 unauthorized"].iter().any(|word| lower.contains(word)) {
        return signed_out(capped(last_words, LONGEST));
    }
    let how = match code {
        Some(code) => format!("it ended with code {code}"),
        None => "it was killed".to_owned(),
    };
    let said = if last_words.is_empty() { String::new() } else { format!(": {last_words}") };
    program(Problem::new(format!("{how} before it had finished{said}")))
}

/// Whether it understands us, by what it calls itself: `amelia/0.166.0 (…)`. A version that cannot be read may be newer
/// than us.
pub(super) fn of_version(agent: &str) -> Result<(), DriverError> {
    let version = agent.split_once('/').and_then(|(_, rest)| rest.split(' ').next()).unwrap_or_default();
    let plain = version.split(['-', '+']).next().unwrap_or_default();
    let numbers: Result<Vec<u32>, _> = plain.split('.').map(str::parse).collect();
    let (major, minor, patch) = super::OLDEST;
    match numbers.as_deref() {
        Ok([a, b, c]) if (*a, *b, *c) < super::OLDEST => {
            let message = format!("version {version} is too old, {major}.{minor}.{patch} or newer is needed");
            Err(program(Problem::new(message).with_hint("npm install -g @openai/codex")))
        }
        Ok(_) | Err(_) => Ok(()),
    }
}
