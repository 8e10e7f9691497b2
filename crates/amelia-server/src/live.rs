//! WebSockets. Each reads the log at its own pace: a slow reader is behind, never in the way, and misses no event.

pub(crate) mod board;
pub(crate) mod feed;
pub(crate) mod run;
pub(crate) mod run_channel;

mod peer;

use amelia_core::id::EventId;
use amelia_core::run::Domain;
use amelia_orchestrator::orchestrator::Delta;
use amelia_wire::agentx::step::StreamChunk;
use amelia_wire::error::Code;
use amelia_wire::live::Live;
use axum::extract::FromRequestParts;
use axum::extract::ws::{WebSocket, WebSocketUpgrade};
use axum::http::request::Parts;
use axum::response::Response;

use crate::error::{ApiError, ApiResult};
use crate::logs::LogSummary;
use crate::session::Session;
use crate::state::App;

use peer::Ends;

/// Messages that go out in one write; then others have their turn.
const BATCH: usize = 256;
/// What a client says is short.
const LONGEST_HEARD: usize = 64 * 1024;

/// Answers with a socket, on which `talk` runs after the handshake. The server waits for it when it ends.
async fn upgrade<F>(
    app: &App,
    parts: &mut Parts,
    talk: impl FnOnce(WebSocket, Ends) -> F + Send + 'static,
) -> ApiResult<Response>
where
    F: Future<Output = ()> + Send + 'static,
{
    let handshake = WebSocketUpgrade::from_request_parts(parts, app).await.map_err(|_| {
        ApiError::new(Code::Malformed, "this path is a WebSocket").hint("connect with `ws://`")
    })?;
    // Of the request that asks: a token that is replaced in this moment ends this, too.
    let session = parts.extensions.get::<Session>().cloned().unwrap_or_else(|| app.sessions.open());
    let ends = Ends { server: app.closing.clone(), session: session.0 };
    let tracker = app.sockets.clone();
    let handshake = handshake.max_message_size(LONGEST_HEARD);
    Ok(handshake.on_upgrade(move |socket| tracker.track_future(talk(socket, ends))))
}

/// A piece of an answer in the shape of a run's own stream.
fn chunk(app: &App, delta: &Delta, known: Option<&LogSummary>) -> StreamChunk {
    StreamChunk::from(&piece(app, delta, known))
}

/// A piece of an answer, with what all dialects say about it.
fn piece(app: &App, delta: &Delta, known: Option<&LogSummary>) -> Live {
    let turn = known.and_then(|known| known.turns.get(&delta.agent)).copied();
    Live {
        id: EventId(app.state.clock.new_id()),
        run: delta.run,
        session: None,
        domain: Domain::default(),
        turn: turn.unwrap_or(EventId(delta.run.0)),
        agent: delta.agent.clone(),
        at: app.now(),
        kind: delta.kind,
        text: delta.text.clone(),
        is_final: false,
        tokens: None,
        model: None,
    }
}
