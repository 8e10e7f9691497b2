//! What forwarding takes with the HTTP library that ours is built on, when nothing else is done: no token, no budget, no
//! meter, nothing kept. The limit that `proxy` is held against, before the same upstream and behind the same client.

use std::convert::Infallible;
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::SendRequest;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;

use super::proxy::{Process, Target, upstream};
use super::{CaseArgs, own};

/// The connection to the upstream of one connection from a client.
type Onwards = Arc<Mutex<SendRequest<Full<Bytes>>>>;

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    if args.child {
        return serve(args.n);
    }
    let (upstream, port) = upstream()?;
    let bare = Command::new(std::env::current_exe()?)
        .args(["ours", "bare_proxy", "--child", "--n", port.trim(), "--dir"])
        .arg(&args.dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let (bare, port) = Process(bare).said()?;
    let target =
        Target { port, process: bare.0.id(), path: "/v1/chat/completions", token: "none".to_owned() };
    let (chunks_s, cpu) = target.streams(args)?;
    drop(upstream);
    Ok(json!({ "chunks_s": chunks_s, "cpu_us_per_chunk": cpu }))
}

/// Until its owner ends it.
fn serve(upstream: usize) -> Result<Value> {
    own::block_on(async move {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        println!("{}", listener.local_addr()?.port());
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let onwards = connected(upstream).await?;
            let service = hyper::service::service_fn(move |request| forward(Arc::clone(&onwards), request));
            let serving = hyper::server::conn::http1::Builder::new();
            // A client that goes away ends its connection.
            tokio::spawn(async move { serving.serve_connection(TokioIo::new(stream), service).await.ok() });
        }
    })
}

async fn connected(port: usize) -> Result<Onwards> {
    let stream = TcpStream::connect(("127.0.0.1", u16::try_from(port)?)).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(async move { connection.await.ok() });
    Ok(Arc::new(Mutex::new(sender)))
}

async fn forward(
    onwards: Onwards,
    request: Request<Incoming>,
) -> Result<Response<http_body_util::Either<Incoming, Full<Bytes>>>, Infallible> {
    let refused = |error: &anyhow::Error| {
        let mut refused = Response::new(http_body_util::Either::Right(Full::from(format!("{error:#}"))));
        *refused.status_mut() = StatusCode::BAD_GATEWAY;
        refused
    };
    let answered = async {
        let (parts, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        let mut onwards = onwards.lock().await;
        onwards.ready().await?;
        onwards.send_request(Request::from_parts(parts, Full::new(body))).await.context("no answer")
    };
    let answer: Result<Response<Incoming>> = answered.await;
    Ok(answer.map_or_else(|error| refused(&error), |answer| answer.map(http_body_util::Either::Left)))
}
