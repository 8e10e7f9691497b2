//! Requests that change something run to their end in a task of their own: a client that disconnects in the middle ends
//! its connection, never its command. What reads is dropped with its connection.

use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tracing::{Instrument, Span};

use crate::state::App;

/// Runs a command apart from the connection that it came by.
pub(crate) async fn to_the_end(State(app): State<App>, request: Request, next: Next) -> Response {
    if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
        return next.run(request).await;
    }
    let command = app.commands.spawn(next.run(request).instrument(Span::current()));
    // A command that panicked has said so in the log.
    command.await.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}
