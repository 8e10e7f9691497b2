//! Callers without a token that keep connections open.

use std::time::Duration;

use amelia_server::connections::{ConnectionLimits, Stranger, answer};
use axum::extract::Request;
use axum::routing::get;
use axum::{Extension, Router};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const LIMITS: ConnectionLimits = ConnectionLimits {
    write_timeout: Duration::from_secs(30),
    strangers: 4,
    stranger_timeout: Duration::from_secs(600),
};

/// A server that knows whoever asks for `/known`.
async fn serve() -> std::net::SocketAddr {
    let known = async |Extension(stranger): Extension<Stranger>, _: Request| {
        stranger.known();
        "hello"
    };
    let router = Router::new().route("/known", get(known)).route("/open", get(async || "hello"));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(answer(listener, router, LIMITS, std::future::pending()));
    address
}

async fn ask(stream: &mut TcpStream, path: &str) -> bool {
    stream.write_all(format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes()).await.unwrap();
    let mut answer = [0; 512];
    let length = stream.read(&mut answer).await.unwrap_or(0);
    String::from_utf8_lossy(&answer[..length]).contains("200 OK")
}

#[tokio::test]
async fn half_requests_do_not_keep_others_out_for_long_and_known_callers_stay() {
    let address = serve().await;
    let mut known = TcpStream::connect(address).await.unwrap();
    assert!(ask(&mut known, "/known").await);
    let mut halves = Vec::new();
    for _ in 0..20 {
        let mut half = TcpStream::connect(address).await.unwrap();
        half.write_all(b"GET /known HTTP/1.1\r\nhost:").await.unwrap();
        halves.push(half);
    }
    assert!(ask(&mut known, "/known").await, "whoever is known is served");
    let mut next = TcpStream::connect(address).await.unwrap();
    let answered = tokio::time::timeout(Duration::from_secs(20), ask(&mut next, "/open")).await;
    assert!(answered.unwrap(), "the oldest halves made room");
    let mut first = [0; 1];
    assert_eq!(halves[0].read(&mut first).await.unwrap_or(0), 0, "ended by the server");
    assert!(ask(&mut known, "/known").await, "a known caller is not ended");
}
