//! `/mcp`: the Model Context Protocol over streamable HTTP, without sessions: every message stands for itself. What it
//! means is behind [`McpEndpoint`]; a call answers with a stream of its progress if the client takes one.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use amelia_wire::error::Code;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use futures_util::stream;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::error::{ApiError, ApiResult};
use crate::mcp_endpoint::McpEndpoint;
use crate::state::App;

/// Messages about progress that wait for a slow client; more are left out.
const QUEUED_NOTIFICATIONS: usize = 256;
/// How often a stream says that it is alive.
const KEEPALIVE: Duration = Duration::from_secs(15);

pub(crate) fn router(app: App) -> Router {
    Router::new().route("/mcp", post(answer)).route("/api/mcp", post(answer)).with_state(app)
}

async fn answer(State(app): State<App>, headers: HeaderMap, body: Bytes) -> ApiResult<Response> {
    let Some(endpoint) = app.state.mcp.clone() else {
        return Err(
            ApiError::new(Code::NotFound, "this server has no MCP endpoint").hint("`amelia server` has one")
        );
    };
    let message: Value = match serde_json::from_slice(&body) {
        Ok(message) => message,
        Err(error) => return Ok(refused(-32700, &format!("the body is not JSON: {error}"))),
    };
    let named = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(version) = named("mcp-protocol-version").filter(|version| !endpoint.is_supported(version)) {
        return Ok(refused(-32022, &format!("protocol version `{version}` is not supported")));
    }
    let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
    if let Some(said) = named("mcp-method").filter(|said| *said != method) {
        return Ok(refused(-32020, &format!("the header Mcp-Method says `{said}`, the body `{method}`")));
    }
    let takes_stream =
        named(header::ACCEPT.as_str()).is_some_and(|kinds| kinds.contains("text/event-stream"));
    if method == "tools/call" && message.get("id").is_some() && takes_stream {
        return Ok(streamed(endpoint, message, app.closing.clone()));
    }
    let id = message.get("id").cloned().unwrap_or_default();
    let (notifications, _unheard) = mpsc::channel(QUEUED_NOTIFICATIONS);
    let answer = tokio::select! {
        answer = endpoint.answer(message, &notifications) => answer,
        () = app.closing.cancelled() => Some(stopping(&id)),
    };
    Ok(match answer {
        Some(answer) => json_response(StatusCode::OK, &answer),
        None => StatusCode::ACCEPTED.into_response(),
    })
}

fn json_response(status: StatusCode, body: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

fn refused(code: i64, message: &str) -> Response {
    json_response(StatusCode::BAD_REQUEST, &failed(&Value::Null, code, message))
}

fn failed(id: &Value, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

/// The answer to a call that does not end before the server does.
fn stopping(id: &Value) -> Value {
    failed(id, -32000, "the server stops; runs continue when it starts again: call `status` then")
}

/// A call under way. A client that disconnects ends it; what it has changed stays.
struct CallStream {
    /// Gone when it is answered.
    answer: Option<Pin<Box<dyn Future<Output = Option<Value>> + Send>>>,
    notifications: mpsc::Receiver<Value>,
    id: Value,
    closing: CancellationToken,
}

fn streamed(endpoint: Arc<dyn McpEndpoint>, message: Value, closing: CancellationToken) -> Response {
    let id = message.get("id").cloned().unwrap_or_default();
    let (sender, notifications) = mpsc::channel(QUEUED_NOTIFICATIONS);
    let answer = Box::pin(async move { endpoint.answer(message, &sender).await });
    let call = CallStream { answer: Some(answer), notifications, id, closing };
    let body = Body::from_stream(stream::unfold(call, CallStream::next));
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}

impl CallStream {
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        let answer = self.answer.as_mut()?;
        let text = tokio::select! {
            biased;
            Some(said) = self.notifications.recv() => event(&said),
            answered = answer => {
                self.answer = None;
                let late = std::iter::from_fn(|| self.notifications.try_recv().ok());
                late.chain(answered).map(|said| event(&said)).collect()
            }
            () = self.closing.cancelled() => {
                self.answer = None;
                event(&stopping(&self.id))
            }
            () = tokio::time::sleep(KEEPALIVE) => ": the call is under way\n\n".to_owned(),
        };
        Some((Ok(Bytes::from(text)), self))
    }
}

fn event(message: &Value) -> String {
    format!("event: message\ndata: {message}\n\n")
}
