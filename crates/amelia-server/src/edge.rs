//! What every request and every answer goes through: an id in and out, one line in the log, and one shape for every error,
//! whoever refused.

use amelia_wire::error::{Code, ErrorBody, ErrorInfo};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tracing::Instrument;

use crate::error::{Refusal, json};
use crate::state::App;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const NO_PATH: &str = "there is no such path";

/// Gives a request its id and its answer the same; turns refusals into their shape.
pub(crate) async fn edge(State(app): State<App>, request: Request, next: Next) -> Response {
    let id = given_id(request.headers()).unwrap_or_else(|| app.state.clock.new_id().to_string());
    // Without the query: a link may carry the token.
    let span = tracing::info_span!("request", id, method = %request.method(), path = request.uri().path());
    async move {
        let mut answer = shaped(next.run(request).await, &id);
        tracing::debug!(status = answer.status().as_u16(), "answered");
        if let Ok(id) = HeaderValue::from_str(&id) {
            answer.headers_mut().insert(REQUEST_ID, id);
        }
        answer
    }
    .instrument(span)
    .await
}

/// Whatever is shown, a browser takes it for what it is said to be, and does not run it in our name.
pub(crate) async fn harmless(request: Request, next: Next) -> Response {
    let mut answer = next.run(request).await;
    let headers = answer.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    answer
}

pub(crate) async fn no_such_path() -> Refusal {
    Refusal::new(Code::NotFound, NO_PATH).hint("GET /api/openapi.json has all paths")
}

/// An id that somebody else gave, when it can be written into a log as it is.
fn given_id(headers: &HeaderMap) -> Option<String> {
    let id = headers.get(REQUEST_ID)?.to_str().ok()?;
    let is_plain = (1..=128).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic());
    is_plain.then(|| id.to_owned())
}

fn shaped(mut answer: Response, id: &str) -> Response {
    let status = answer.status();
    let info = match answer.extensions_mut().remove::<Box<ErrorInfo>>() {
        Some(info) => *info,
        // Whoever answers in JSON has said what there is to say: a server that is not ready.
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
            ErrorInfo::new(code, "the path is there, but not for this method").hint("see the header `Allow`")
        }
        Code::NotFound => ErrorInfo::new(code, NO_PATH),
        Code::Internal => ErrorInfo::new(code, "something went wrong inside")
            .hint("the server's log has more, under this request's id"),
        Code::Malformed if status == StatusCode::UPGRADE_REQUIRED => {
            ErrorInfo::new(code, "this path is a WebSocket")
        }
        _ => ErrorInfo::new(code, "the request cannot be understood"),
    }
}
