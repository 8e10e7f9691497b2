//! What we say ourselves, in the words of the API that was spoken: clients understand nothing else.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::json;

use crate::call::Dialect;

/// Why a request does not go through. Its message is for the person behind the program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ProxyError {
    #[error("the token is unknown, or its program has ended")]
    Unknown,
    #[error("the token is missing: send it as `Authorization: Bearer …` or as `x-api-key`")]
    NoToken,
    #[error("requests from web pages are refused")]
    Browser,
    #[error("there is no such path in this proxy")]
    NoSuchPath,
    #[error("this path is for {0}")]
    OtherMethod(String),
    #[error("the body is larger than {0} bytes")]
    TooLarge(usize),
    #[error("the body did not arrive: {0}")]
    Unread(String),
    /// Not a status that clients try again.
    #[error("{0}; the call was not made")]
    Budget(String),
    #[error("calls to {provider} are blocked after repeated failures, for {} s more", wait.as_secs().max(1))]
    Held { provider: String, wait: Duration },
    #[error("{provider} cannot be reached: {detail}")]
    Unreached { provider: String, detail: String },
    #[error("{provider} did not answer in time")]
    Late { provider: String },
    #[error("the program that this call belongs to has ended")]
    Ended,
}

impl ProxyError {
    fn status(&self) -> StatusCode {
        match self {
            Self::Unknown | Self::NoToken | Self::Ended => StatusCode::UNAUTHORIZED,
            Self::Browser => StatusCode::FORBIDDEN,
            Self::NoSuchPath => StatusCode::NOT_FOUND,
            Self::OtherMethod(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Unread(_) | Self::Budget(_) => StatusCode::BAD_REQUEST,
            Self::Held { .. } => StatusCode::SERVICE_UNAVAILABLE,
            Self::Unreached { .. } => StatusCode::BAD_GATEWAY,
            Self::Late { .. } => StatusCode::GATEWAY_TIMEOUT,
        }
    }

    /// Their word for it: OpenAI's, then Anthropic's.
    fn kinds(&self) -> (&'static str, &'static str) {
        match self {
            Self::Unknown | Self::NoToken | Self::Ended => ("invalid_api_key", "authentication_error"),
            Self::Browser => ("forbidden", "permission_error"),
            Self::NoSuchPath => ("not_found", "not_found_error"),
            Self::OtherMethod(_) => ("method_not_allowed", "invalid_request_error"),
            Self::TooLarge(_) => ("request_too_large", "request_too_large"),
            Self::Unread(_) => ("bad_request", "invalid_request_error"),
            Self::Budget(_) => ("budget_exceeded", "invalid_request_error"),
            Self::Held { .. } => ("upstream_held", "overloaded_error"),
            Self::Unreached { .. } => ("upstream_unreachable", "api_error"),
            Self::Late { .. } => ("upstream_timeout", "timeout_error"),
        }
    }

    pub(crate) fn answer(&self, dialect: Dialect) -> Response {
        let (status, message) = (self.status(), self.to_string());
        let (code, kind) = self.kinds();
        let body = match dialect {
            Dialect::OpenAi => {
                let kind = if status.is_server_error() { "server_error" } else { "invalid_request_error" };
                json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
            }
            Dialect::Anthropic => json!({"type": "error", "error": {"type": kind, "message": message}}),
        };
        let mut answer = Response::new(Body::from(body.to_string()));
        *answer.status_mut() = status;
        let headers = answer.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Self::Held { wait, .. } = self {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(wait.as_secs().max(1)));
        }
        answer
    }
}
