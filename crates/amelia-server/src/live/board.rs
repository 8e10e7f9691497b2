//! `/ws/runs`: all runs as they stand, on one socket. One task reads what has changed and writes it once for all sockets;
//! a socket says the newest of each run that it has not said, at its own pace. Nothing waits for a slow reader, and what
//! is kept for all of them together is one message for each run that has changed since the first reader came.

use std::time::Duration;

use amelia_core::id::RunId;
use amelia_core::store::StoreError;
use amelia_orchestrator::bus::ChangedRuns;
use amelia_wire::rest::board::SaidOfBoard;
use amelia_wire::rest::human::Pending;
use axum::extract::ws::{Utf8Bytes, WebSocket};
use axum::extract::{Request, State};
use axum::response::Response;
use tokio::time::{Instant, sleep_until};

use super::peer::{Ends, Gone, Peer, Sign, text_of};
use super::upgrade;
use crate::board::BoardReader;
use crate::catalogue::Standing;
use crate::error::ApiResult;
use crate::state::App;

/// Between two looks at what has changed. The first change after a quiet time is sent at once.
const BEAT: Duration = Duration::from_millis(40);
/// Before a store that does not answer is asked again.
const TROUBLE: Duration = Duration::from_secs(1);

/// A WebSocket with the state of all runs. A message about a run replaces the earlier ones about it.
#[utoipa::path(get, path = "/ws/runs", tag = "live", responses((status = 101, description = "a WebSocket")))]
pub(crate) async fn follow(State(app): State<App>, request: Request) -> ApiResult<Response> {
    let (mut parts, _) = request.into_parts();
    // Before the handshake is answered: nothing that happens after it may be missed.
    let looker = app.board.look(|| {
        let changes = app.state.orchestrator.runs().changes();
        app.keepers.spawn(keep(app.clone(), changes));
    });
    let board = app.clone();
    upgrade(&app, &mut parts, move |socket, ends| talk(board, looker, socket, ends)).await
}

/// Reads what changes, as long as there are readers.
async fn keep(app: App, changes: ChangedRuns) {
    let mut next = Instant::now();
    loop {
        tokio::select! {
            biased;
            () = app.closing.cancelled() => return,
            () = async { changes.some().await; sleep_until(next).await } => {}
        }
        if app.board.is_over() {
            return;
        }
        next = Instant::now() + BEAT;
        let mut news = Vec::new();
        for run in changes.take() {
            match message(&app, run).await {
                Ok(text) => news.extend(text.map(|text| (run, text))),
                Err(error) => {
                    tracing::warn!(%run, "cannot be read and is tried again: {error}");
                    changes.put_back(run);
                    next = Instant::now() + TROUBLE;
                }
            }
        }
        app.board.put(news);
    }
}

/// A run as it stands, in words.
async fn message(app: &App, run: RunId) -> Result<Option<Utf8Bytes>, StoreError> {
    Ok(text_of(&match app.catalogue.standing(run).await? {
        None => SaidOfBoard::Removed { id: run.0 },
        Some(Standing { row, summary }) => {
            SaidOfBoard::Run { run: Box::new(summary), pending: Pending::of(&row).collect() }
        }
    }))
}

async fn talk(app: App, mut looker: BoardReader, socket: WebSocket, ends: Ends) {
    let idle = app.state.config.websocket_idle_timeout_seconds;
    let mut peer = Peer::new(socket, idle, ends);
    // One of both sides has ended it.
    tell(&app, &mut looker, &mut peer).await.err();
    drop(looker);
    peer.close().await;
}

async fn tell(app: &App, looker: &mut BoardReader, peer: &mut Peer) -> Result<(), Gone> {
    peer.say(&SaidOfBoard::Ready).await?;
    loop {
        for text in app.board.after(&mut looker.seen) {
            peer.put(text).await?;
        }
        peer.flush().await?;
        tokio::select! {
            biased;
            changed = looker.end.changed() => changed.map_err(|_| Gone)?,
            sign = peer.sign() => match sign? {
                Sign::Ping => {
                    peer.ping().await?;
                    peer.say(&SaidOfBoard::Ping { timestamp: app.now() }).await?;
                }
                // There is nothing to say here but that one is there.
                Sign::Heard(_) => {}
            },
        }
    }
}
