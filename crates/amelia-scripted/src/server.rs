//! The server: owns its socket, its connections and the stage. Everything it started ends with it.

mod body;
mod catalogue;
mod play;
mod routes;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

use crate::player::{RecordedRequest, ScriptPlayer};
use crate::script::Script;

/// Plays the script at this address; port 0 finds a free one. Needs a Tokio runtime with IO and time.
pub async fn serve(script: Script, addr: SocketAddr) -> io::Result<ScriptedServer> {
    let listener = TcpListener::bind(addr).await?;
    let addr = listener.local_addr()?;
    let stage = Arc::new(ScriptPlayer::new(script));
    let task = tokio::spawn(accept(listener, routes::router(Arc::clone(&stage))));
    Ok(ScriptedServer { addr, stage, task })
}

/// A scripted model at work. Dropping it stops it.
#[derive(Debug)]
pub struct ScriptedServer {
    addr: SocketAddr,
    stage: Arc<ScriptPlayer>,
    task: JoinHandle<()>,
}

impl ScriptedServer {
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Such as `http://127.0.0.1:4000`. OpenAI clients want `/v1` behind it, Anthropic's do not.
    pub fn url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// What was asked so far, oldest first: at most the last thousand, and 32 MB of them.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.stage.requests()
    }

    /// Stops at once: an answer that stalls would never end by itself.
    pub async fn shutdown(mut self) {
        self.task.abort();
        // Aborted is what it should be, and finished is as good.
        drop((&mut self.task).await);
    }

    /// Waits until the server ends, which it does not do by itself.
    pub async fn run(mut self) {
        drop((&mut self.task).await);
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The connections live in the set, and die with it.
async fn accept(listener: TcpListener, router: axum::Router) {
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        match listener.accept().await {
            Ok((stream, _)) => {
                connections.spawn(converse(stream, router.clone()));
            }
            // Out of files, most likely: wait for some to be closed.
            Err(_) => tokio::time::sleep(std::time::Duration::from_millis(50)).await,
        }
    }
}

async fn converse(stream: TcpStream, router: axum::Router) {
    // Without it the last small event waits for the client's acknowledgement of the one before.
    drop(stream.set_nodelay(true));
    let service = TowerToHyperService::new(router);
    let connection =
        http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service);
    // A client that goes away, and a connection that a script cut, both end here.
    drop(connection.await);
}
