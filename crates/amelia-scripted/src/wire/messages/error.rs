//! The shape of an error of Messages, in a body and in a stream alike.

use serde_json::{Value, json};

pub(in crate::wire) fn error(status: u16, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind(status), "message": message}, "request_id": "req_scripted"})
}

fn kind(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        504 => "timeout_error",
        529 => "overloaded_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    }
}
