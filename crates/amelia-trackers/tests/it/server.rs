//! A server for one test: answers what it is told to, and remembers what it was asked.

use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, UnixListener};
use tokio::task::{JoinHandle, JoinSet};

/// One request as it came.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Seen {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut values = lines.filter(|(held, _)| held.eq_ignore_ascii_case(name)).map(|(_, value)| value);
        values.next()
    }

    /// Method and path without its query.
    pub(crate) fn what(&self) -> String {
        format!("{} {}", self.method, self.path.split('?').next().unwrap())
    }

    pub(crate) fn query(&self, name: &str) -> Option<&str> {
        let (_, query) = self.path.split_once('?')?;
        query
            .split('&')
            .filter_map(|part| part.split_once('='))
            .find(|(held, _)| *held == name)
            .map(|(_, v)| v)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
    /// Promises so many bytes more than it sends.
    pub(crate) missing: usize,
    /// Does not say how much it sends.
    pub(crate) endless: bool,
}

impl Reply {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::text(status, &body.to_string()).with("content-type", "application/json; charset=utf-8")
    }

    pub(crate) fn text(status: u16, body: &str) -> Self {
        let body = body.as_bytes().to_vec();
        Self { status, headers: Vec::new(), body, missing: 0, endless: false }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} Whatever\r\nconnection: close\r\n", self.status);
        if !self.endless {
            head.push_str(&format!("content-length: {}\r\n", self.body.len() + self.missing));
        }
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        [head.as_bytes(), &self.body].concat()
    }
}

type Answer = dyn Fn(&Seen) -> Reply + Send + Sync;

pub(crate) struct Server {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    task: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    pub(crate) async fn new(answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (seen, answer): (Arc<Mutex<Vec<Seen>>>, Arc<Answer>) = (Arc::default(), Arc::new(answer));
        let log = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            let mut open = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                open.spawn(serve(stream, Arc::clone(&log), Arc::clone(&answer)));
            }
        });
        Self { url, seen, task }
    }

    pub(crate) fn on_socket(path: &Path, answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = UnixListener::bind(path).unwrap();
        let (seen, answer): (Arc<Mutex<Vec<Seen>>>, Arc<Answer>) = (Arc::default(), Arc::new(answer));
        let log = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            let mut open = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                open.spawn(serve(stream, Arc::clone(&log), Arc::clone(&answer)));
            }
        });
        Self { url: String::new(), seen, task }
    }

    /// Everything it was asked so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.seen().iter().map(Seen::what).collect()
    }
}

async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    log: Arc<Mutex<Vec<Seen>>>,
    answer: Arc<Answer>,
) {
    let Some(seen) = read(&mut stream).await else { return };
    log.lock().unwrap().push(seen.clone());
    let bytes = answer(&seen).bytes();
    // A client that has had enough goes away.
    stream.write_all(&bytes).await.ok();
    stream.shutdown().await.ok();
}

async fn read<S: AsyncRead + Unpin>(stream: &mut S) -> Option<Seen> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        (stream.read_buf(&mut bytes).await.ok()? > 0).then_some(())?;
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).unwrap();
    let mut words = head.split_whitespace().map(str::to_owned);
    let mut seen = Seen { method: words.next()?, path: words.next()?, head: head.clone(), body: Vec::new() };
    let is_chunked = seen.header("transfer-encoding") == Some("chunked");
    let length: usize = seen.header("content-length").map_or(0, |length| length.parse().unwrap());
    loop {
        let rest = &bytes[head_end..];
        if is_chunked && rest.ends_with(b"0\r\n\r\n") {
            seen.body = unchunked(rest);
            return Some(seen);
        }
        if !is_chunked && rest.len() >= length {
            seen.body = rest.to_vec();
            return Some(seen);
        }
        (stream.read_buf(&mut bytes).await.ok()? > 0).then_some(())?;
    }
}

fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|window| window == b"\r\n").unwrap();
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        if size == 0 {
            return body;
        }
        body.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 4 + size..];
    }
}
