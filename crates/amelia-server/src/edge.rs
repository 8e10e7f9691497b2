//! What every request and every answer goes through: an id in and out, one line in the log, and one shape for every error,
//! from any layer.

use std::time::Instant;

use amelia_core::id::RunId;
use amelia_wire::error::{Code, ErrorBody, ErrorInfo};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tracing::field::Empty;
use tracing::{Instrument, Span};

use crate::error::{ApiError, json};
use crate::guard::plain;
use crate::state::App;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const NO_PATH: &str = "there is no such path";

/// Gives a request its id and its answer the same; turns refusals into their shape; writes one line.
pub(crate) async fn edge(State(app): State<App>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let id = given_id(request.headers()).unwrap_or_else(|| app.state.clock.new_id().to_string());
    let span = span(&request, &id);
    let route = request.extensions().get::<MatchedPath>().cloned();
    let is_watched = plain(request.uri().path()).starts_with("/health");
    async move {
        let mut answer = shaped(next.run(request).await, &id);
        let (status, took) = (answer.status().as_u16(), begun.elapsed());
        app.metrics.count(route.as_ref().map(|route| plain(route.as_str())), status, took);
        let duration_ms = took.as_secs_f64() * 1000.0;
        // A health check every second is not news.
        match status {
            500.. => tracing::error!(status, duration_ms, "failed; see the log lines of this request"),
            _ if is_watched => tracing::debug!(status, duration_ms, "answered"),
            _ => tracing::info!(status, duration_ms, "answered"),
        }
        if let Ok(id) = HeaderValue::from_str(&id) {
            answer.headers_mut().insert(REQUEST_ID, id);
        }
        answer
    }
    .instrument(span)
    .await
}

/// What every line about a request says. Without the query: a link may carry the token.
fn span(request: &Request, id: &str) -> Span {
    let path = request.uri().path();
    let span = tracing::info_span!(
        "request",
        request_id = id,
        method = %request.method(),
        path,
        run = Empty,
        trace_id = Empty
    );
    if let Some(run) = run_in(path) {
        span.record("run", tracing::field::display(run));
    }
    if let Some(trace) = trace_in(request.headers()) {
        span.record("trace_id", trace);
    }
    span
}

/// The run that a path is about.
fn run_in(path: &str) -> Option<RunId> {
    let mut parts = path.split('/').skip_while(|part| !matches!(*part, "workflows" | "tasks"));
    parts.nth(1)?.parse().ok()
}

/// The trace that the caller has begun (W3C `traceparent`).
fn trace_in(headers: &HeaderMap) -> Option<&str> {
    let mut parts = headers.get("traceparent")?.to_str().ok()?.split('-');
    let (version, trace, parent, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_hex = |text: &str, digits: usize| {
        text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let is_some = |text: &str| text.bytes().any(|byte| byte != b'0');
    let is_whole = is_hex(version, 2) && is_hex(trace, 32) && is_hex(parent, 16) && is_hex(flags, 2);
    (is_whole && version != "ff" && is_some(trace) && is_some(parent)).then_some(trace)
}

/// Makes any content harmless: a browser takes it for what it is said to be, does not run it in our name, and keeps
/// nothing of it unless we say so.
pub(crate) async fn harmless(request: Request, next: Next) -> Response {
    let mut answer = next.run(request).await;
    let headers = answer.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    answer
}

pub(crate) async fn no_such_path() -> ApiError {
    ApiError::new(Code::NotFound, NO_PATH).hint("GET /api/openapi.json lists all paths")
}

/// An id that the caller gave, when it can be written into a log as it is.
fn given_id(headers: &HeaderMap) -> Option<String> {
    let id = headers.get(REQUEST_ID)?.to_str().ok()?;
    let is_plain = (1..=128).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic());
    is_plain.then(|| id.to_owned())
}

fn shaped(mut answer: Response, id: &str) -> Response {
    let status = answer.status();
    let info = match answer.extensions_mut().remove::<Box<ErrorInfo>>() {
        Some(info) => *info,
        // An answer in JSON has said what there is to say: a server that is not ready.
        None if is_json(&answer) => return answer,
        None if status.is_client_error() || status.is_server_error() => of_status(status),
        None => return answer,
    };
    let status = StatusCode::from_u16(info.code.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body = ErrorBody { error: info, request_id: id.to_owned() };
    let mut shaped = (status, json(&body)).into_response();
    // What the refusing side said about the way out: `Allow`, `WWW-Authenticate`.
    for (name, value) in answer.headers() {
        if *name != header::CONTENT_TYPE && *name != header::CONTENT_LENGTH {
            shaped.headers_mut().append(name, value.clone());
        }
    }
    shaped
}

fn is_json(answer: &Response) -> bool {
    answer.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json")
}

/// For refusals that are not ours: of the router, of a handshake, of a panic.
fn of_status(status: StatusCode) -> ErrorInfo {
    let code = Code::of_status(status.as_u16());
    match code {
        Code::MethodNotAllowed => {
            ErrorInfo::new(code, "this path does not support the method").hint("see the header `Allow`")
        }
        Code::NotFound => ErrorInfo::new(code, NO_PATH),
        Code::Internal => {
            ErrorInfo::new(code, "internal error").hint("see the server log for this request id")
        }
        Code::Malformed if status == StatusCode::UPGRADE_REQUIRED => {
            ErrorInfo::new(code, "this path is a WebSocket")
        }
        _ => ErrorInfo::new(code, "the request cannot be understood"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_traceparent_is_honoured() {
        let trace = "0af7651916cd43dd8448eb211c80319c";
        let cases = [
            (format!("00-{trace}-b7ad6b7169203331-01"), Some(trace)),
            (format!("00-{trace}-b7ad6b7169203331-01-more"), Some(trace)),
            (format!("ff-{trace}-b7ad6b7169203331-01"), None),
            (format!("00-{}-b7ad6b7169203331-01", "0".repeat(32)), None),
            (format!("00-{trace}-0000000000000000-01"), None),
            (format!("00-{}-b7ad6b7169203331-01", trace.to_uppercase()), None),
            ("00-x-y-01".to_owned(), None),
            (String::new(), None),
        ];
        for (text, expected) in cases {
            let headers = HeaderMap::from_iter([(
                HeaderName::from_static("traceparent"),
                HeaderValue::from_str(&text).unwrap(),
            )]);
            assert_eq!(trace_in(&headers), expected, "{text}");
        }
    }

    #[test]
    fn a_path_says_which_run_it_is_about() {
        let id = "0199a0de-0000-7000-8000-000000000000";
        for path in [format!("/api/workflows/{id}"), format!("/tasks/{id}/events")] {
            assert_eq!(run_in(&path).unwrap().to_string(), id);
        }
        for path in ["/api/workflows", "/workflows/review", "/profiles/x"] {
            assert_eq!(run_in(path), None, "{path}");
        }
    }
}
