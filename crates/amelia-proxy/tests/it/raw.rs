//! Plain connections, for what no client does.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinHandle;

/// A request in bytes.
pub(crate) fn request(path: &str, token: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

pub(crate) async fn connected(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).await.unwrap()
}

/// Reads until the text is there.
pub(crate) async fn read_until(stream: &mut TcpStream, text: &str) -> String {
    let mut all = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let length = stream.read(&mut piece).await.unwrap();
        all.extend_from_slice(&piece[..length]);
        let said = String::from_utf8_lossy(&all);
        if said.contains(text) {
            return said.into_owned();
        }
        assert!(length > 0, "it ended before `{text}`: {said}");
    }
}

/// What reached the upstream.
pub(crate) enum Seen {
    /// Head and body.
    Request(String, Vec<u8>),
    /// The connection has ended from the other side.
    Gone,
}

/// An upstream that answers every connection's request with these bytes, and then holds the connection.
pub(crate) struct Fake {
    pub(crate) address: SocketAddr,
    pub(crate) seen: UnboundedReceiver<Seen>,
    task: JoinHandle<()>,
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Fake {
    pub(crate) fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub(crate) async fn request(&mut self) -> (String, Vec<u8>) {
        match self.seen.recv().await.unwrap() {
            Seen::Request(head, body) => (head, body),
            Seen::Gone => panic!("no request"),
        }
    }

    /// Returns when the proxy has let go of its connection.
    pub(crate) async fn gone(&mut self) {
        while !matches!(self.seen.recv().await.unwrap(), Seen::Gone) {}
    }

    pub(crate) async fn answering(answer: impl Into<Vec<u8>>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, seen) = unbounded_channel();
        let answer: Vec<u8> = answer.into();
        let task = tokio::spawn(async move {
            let mut open = tokio::task::JoinSet::new();
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let (answer, sender) = (answer.clone(), sender.clone());
                open.spawn(async move {
                    while let Some((head, body)) = read_request(&mut stream).await {
                        sender.send(Seen::Request(head, body)).ok();
                        // The other side may be gone already.
                        stream.write_all(&answer).await.ok();
                    }
                    sender.send(Seen::Gone).ok();
                });
            }
        });
        Self { address, seen, task }
    }
}

async fn read_request(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut all = Vec::new();
    let mut piece = vec![0; 65_536];
    loop {
        if let Some(end) = all.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&all[..end]).to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            let body = all[end + 4..].to_vec();
            if body.len() >= length.unwrap_or(0) {
                return Some((head, body));
            }
        }
        match stream.read(&mut piece).await {
            Ok(length @ 1..) => all.extend_from_slice(&piece[..length]),
            Ok(0) | Err(_) => return None,
        }
    }
}

/// A whole answer in bytes.
pub(crate) fn answer(status: &str, more: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{more}content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// The beginning of a stream, with one event in it.
pub(crate) fn stream_of(event: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{event}\r\n",
        event.len()
    )
}
