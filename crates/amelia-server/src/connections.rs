//! Connections: accepting them, and how each ends. Knows nothing of what is asked over them.
//!
//! A caller that only says that it has nothing more to say still gets its answer; one that is gone is noticed at once, so
//! that nobody works for it; one that stops reading is given up after a while.

mod left;
mod line;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use line::{Half, Line};

/// Between two tries when there are no files left to accept with.
const PAUSE: Duration = Duration::from_millis(50);
/// A caller that takes nothing for so long is not there any more.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// Answers whoever connects, until `shutdown`; then requests under way are still answered.
pub async fn answer(
    listener: TcpListener,
    router: Router,
    patience: Duration,
    shutdown: impl Future<Output = ()> + Send,
) {
    let closing = CancellationToken::new();
    let mut open = JoinSet::new();
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        tokio::select! {
            biased;
            () = &mut shutdown => break,
            Some(_) = open.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    open.spawn(converse(stream, router.clone(), patience, closing.clone()));
                }
                // A connection that was gone before it was there, or no files left: wait for some to be closed.
                Err(_) => tokio::time::sleep(PAUSE).await,
            },
        }
    }
    drop(listener);
    closing.cancel();
    while open.join_next().await.is_some() {}
}

async fn converse(stream: TcpStream, router: Router, patience: Duration, closing: CancellationToken) {
    // Without it a small answer waits for the acknowledgement of the one before.
    drop(stream.set_nodelay(true));
    let line = Arc::new(Line::new(stream));
    let half = Half::new(Arc::clone(&line), patience);
    let connection = http1::Builder::new()
        .half_close(true)
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        .serve_connection(TokioIo::new(half), TowerToHyperService::new(router))
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let mut left = std::pin::pin!(line.left());
    let mut is_closing = false;
    loop {
        tokio::select! {
            biased;
            // However it ended, it has ended.
            _ = &mut connection => return,
            () = &mut left => return,
            () = closing.cancelled(), if !is_closing => {
                is_closing = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}
