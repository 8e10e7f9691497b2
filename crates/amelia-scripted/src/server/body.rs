//! Bodies of answers.

use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};

pub(super) fn json(status: StatusCode, body: &serde_json::Value) -> Response {
    (status, [("content-type", "application/json")], body.to_string()).into_response()
}
