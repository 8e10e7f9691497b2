//! Connections: accepting them, and how each ends. Knows nothing of what is asked over them.
//!
//! A caller that only says that it has nothing more to say still gets its answer; one that is gone is noticed at once, so
//! that no work is done for it; one that stops reading is given up after a while.

mod left;
mod line;
mod stranger;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use line::{Half, Line};
pub use stranger::Stranger;
use stranger::Strangers;

/// Between two tries when there are no files left to accept with.
const PAUSE: Duration = Duration::from_millis(50);

/// How much of the machine callers may take.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionLimits {
    /// A caller that reads nothing for so long is gone.
    pub write_timeout: Duration,
    /// Connections on which no request was authenticated. One more ends the oldest of them: file handles are for runs, and
    /// half a request keeps no other caller out.
    pub strangers: usize,
    /// How long such a connection may last.
    pub stranger_timeout: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        let (write_timeout, stranger_timeout) = (Duration::from_secs(300), Duration::from_secs(30));
        Self { write_timeout, strangers: 128, stranger_timeout }
    }
}

/// Answers all connections, until `shutdown`; then requests under way are still answered.
pub async fn answer(
    listener: TcpListener,
    router: Router,
    limits: ConnectionLimits,
    shutdown: impl Future<Output = ()> + Send,
) {
    let closing = CancellationToken::new();
    let mut strangers = Strangers::new(limits.strangers);
    let mut open = JoinSet::new();
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        tokio::select! {
            biased;
            () = &mut shutdown => break,
            Some(_) = open.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let stranger = strangers.admit();
                    open.spawn(converse(stream, stranger, router.clone(), limits, closing.clone()));
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

async fn converse(
    stream: TcpStream,
    stranger: Stranger,
    router: Router,
    limits: ConnectionLimits,
    closing: CancellationToken,
) {
    // Without it a small answer waits for the acknowledgement of the one before.
    drop(stream.set_nodelay(true));
    let line = Arc::new(Line::new(stream));
    let half = Half::new(Arc::clone(&line), limits.write_timeout);
    let caller = stranger.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(caller.clone());
        TowerToHyperService::new(router.clone()).call(request)
    });
    let connection = http1::Builder::new()
        .half_close(true)
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        .serve_connection(TokioIo::new(half), service)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let mut left = std::pin::pin!(line.left());
    let mut too_long = std::pin::pin!(tokio::time::sleep(limits.stranger_timeout));
    let mut is_closing = false;
    loop {
        tokio::select! {
            biased;
            // However it ended, it has ended.
            _ = &mut connection => return,
            () = &mut left => return,
            () = stranger.ended(), if !stranger.is_known() => return,
            () = &mut too_long, if !too_long.is_elapsed() => {
                if !stranger.is_known() {
                    return;
                }
            }
            () = closing.cancelled(), if !is_closing => {
                is_closing = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}
