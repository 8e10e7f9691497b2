//! What Chat Completions and Responses share: the shape of errors.

use serde_json::{Value, json};

pub(super) fn error(status: u16, message: &str) -> Value {
    let (kind, code) = kind_and_code(status);
    json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
}

/// Within a stream of Responses.
pub(super) fn error_event(status: u16, message: &str, number: usize) -> Value {
    let (kind, code) = kind_and_code(status);
    json!({"type": "error", "code": code.unwrap_or(kind), "message": message, "param": null, "sequence_number": number})
}

fn kind_and_code(status: u16) -> (&'static str, Option<&'static str>) {
    match status {
        401 => ("invalid_request_error", Some("invalid_api_key")),
        403 => ("invalid_request_error", Some("unsupported_country_region_territory")),
        404 => ("invalid_request_error", Some("model_not_found")),
        429 => ("requests", Some("rate_limit_exceeded")),
        500.. => ("server_error", None),
        _ => ("invalid_request_error", None),
    }
}
