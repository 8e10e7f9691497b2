//! The one shape of an HTTP error.

use amelia_core::message::Object;
use amelia_core::problem::Problem;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use crate::read::Refused;

/// `{"error": {"code", "message", "hint", "details"}, "request_id"}`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ErrorBody {
    pub error: ErrorInfo,
    pub request_id: String,
}

/// An error: `code` for programs, `message` for people, and `hint`, which says what to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ErrorInfo {
    pub code: Code,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    #[schema(value_type = Object)]
    pub details: Object,
}

/// The kind of error. Each code has one HTTP status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    Malformed,
    Unauthorized,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    Conflict,
    WrongState,
    TooLarge,
    UnsupportedMediaType,
    Invalid,
    Guardrail,
    TooManyRequests,
    Internal,
    Unavailable,
}

impl Code {
    /// The code that an HTTP status stands for, when there is nothing more exact.
    #[must_use]
    pub fn of_status(status: u16) -> Self {
        match status {
            401 => Self::Unauthorized,
            403 => Self::Forbidden,
            404 => Self::NotFound,
            405 => Self::MethodNotAllowed,
            409 => Self::Conflict,
            413 => Self::TooLarge,
            415 => Self::UnsupportedMediaType,
            422 => Self::Invalid,
            429 => Self::TooManyRequests,
            503 => Self::Unavailable,
            500.. => Self::Internal,
            _ => Self::Malformed,
        }
    }

    pub const ALL: [Self; 14] = [
        Self::Malformed,
        Self::Unauthorized,
        Self::Forbidden,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::Conflict,
        Self::WrongState,
        Self::TooLarge,
        Self::UnsupportedMediaType,
        Self::Invalid,
        Self::Guardrail,
        Self::TooManyRequests,
        Self::Internal,
        Self::Unavailable,
    ];

    #[must_use]
    pub fn http_status(self) -> u16 {
        match self {
            Self::Malformed => 400,
            Self::Unauthorized => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::Conflict | Self::WrongState => 409,
            Self::TooLarge => 413,
            Self::UnsupportedMediaType => 415,
            Self::Invalid | Self::Guardrail => 422,
            Self::TooManyRequests => 429,
            Self::Internal => 500,
            Self::Unavailable => 503,
        }
    }
}

impl ErrorInfo {
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, details: Object::new() }
    }

    pub fn of_problem(code: Code, problem: impl Into<Problem>) -> Self {
        let Problem { message, hint } = problem.into();
        Self { hint, ..Self::new(code, message) }
    }

    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// The same error as the only problem of a field.
    #[must_use]
    pub fn at_field(mut self, path: &str) -> Self {
        let problems = json!([{"path": path, "message": self.message}]);
        self.details.insert("problems".to_owned(), problems);
        self
    }
}

impl From<&Refused> for ErrorInfo {
    fn from(refused: &Refused) -> Self {
        let problems =
            refused.0.iter().map(|problem| json!({"path": problem.path, "message": problem.message}));
        let mut info = Self::new(Code::Invalid, refused.to_string());
        info.details.insert("problems".to_owned(), problems.collect());
        info
    }
}
