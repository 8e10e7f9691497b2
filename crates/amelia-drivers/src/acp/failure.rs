//! What a failure of an agent means, by what can be done about it. Pure.

use amelia_core::driver::DriverError;
use amelia_core::problem::Problem;
use amelia_core::text::capped;
use serde_json::Value;

use super::wire::AuthMethod;
use crate::program::rpc::RpcError;

/// As much of an error's text as a person can use.
const LONGEST: usize = 2000;
/// The protocol's own code for "sign in first".
const SIGN_IN: i64 = -32000;

/// Whose failure it is.
#[derive(Debug, Clone)]
pub(super) struct Namer {
    pub(super) program: String,
    pub(super) model: String,
}

impl Namer {
    pub(super) fn program(&self, problem: impl Into<Problem>) -> DriverError {
        DriverError::Program { program: self.program.clone(), problem: problem.into() }
    }

    /// It did not do what it was asked.
    pub(super) fn of_refusal(&self, refusal: &RpcError, ways_in: &[AuthMethod]) -> DriverError {
        let more = refusal.data.get("details").or_else(|| refusal.data.get("message"));
        let more = more.and_then(Value::as_str).map(|more| format!(": {more}")).unwrap_or_default();
        let detail = capped(&format!("{}{more}", refusal.message), LONGEST);
        let lower = detail.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        let (provider, model) = (self.program.clone(), self.model.clone());
        match refusal.code {
            SIGN_IN => self.signed_out(&detail, ways_in),
            _ if says(&["authentication", "unauthorized", "invalid api key", "not logged in", "401"]) => {
                self.signed_out(&detail, ways_in)
            }
            _ if says(&["usage limit", "rate limit", "rate_limit", "429", "quota"]) => {
                DriverError::Quota { provider, resets_at: None, detail, account: None }
            }
            _ if says(&["context window", "context length", "prompt is too long"]) => {
                DriverError::TooLong { model, detail }
            }
            _ if says(&["model not found", "model_not_found", "unknown model"]) => {
                DriverError::UnknownModel { provider, model, detail }
            }
            _ if says(&["overloaded", "unavailable", "503", "529"]) => {
                DriverError::Unavailable { provider, tries: 1, retry_after: None, detail }
            }
            _ => DriverError::Refused { provider, status: None, detail },
        }
    }

    fn signed_out(&self, detail: &str, ways_in: &[AuthMethod]) -> DriverError {
        let ways: Vec<&str> =
            ways_in.iter().map(|way| way.description.as_deref().unwrap_or(&way.name)).collect();
        let how = if ways.is_empty() {
            format!("sign in with `{}` itself", self.program)
        } else {
            ways.join("; or: ")
        };
        self.program(Problem::new(format!("it is not signed in: {detail}")).with_hint(how))
    }

    /// It ended before it had finished.
    pub(super) fn of_end(&self, code: Option<i32>, last_words: &str) -> DriverError {
        let how = match code {
            Some(code) => format!("it ended with code {code}"),
            None => "it was killed".to_owned(),
        };
        let said = if last_words.is_empty() { String::new() } else { format!(": {last_words}") };
        self.program(Problem::new(format!("{how} before it had finished{said}")))
    }

    /// A turn that ended otherwise than by being done.
    pub(super) fn of_stop(&self, reason: &str, turns: u32) -> DriverError {
        match reason {
            "max_turn_requests" => DriverError::Turns { turns },
            "refusal" => DriverError::Refused {
                provider: self.program.clone(),
                status: None,
                detail: "the model declined to answer".to_owned(),
            },
            "max_tokens" => {
                let detail = "the answer was cut off at the maximum length".to_owned();
                DriverError::TooLong { model: self.model.clone(), detail }
            }
            other => self.program(format!("its turn ended before it was done: {other}")),
        }
    }
}
