//! Connections to an upstream on this machine. Each is moved by the request that uses it, and rests between requests.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use amelia_core::driver::DriverError;
use amelia_core::text::innermost;
use axum::http::{HeaderValue, Request, Response, header};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use tokio::net::TcpStream;

use super::{SendError, UpstreamRequest};

/// More than this do not rest.
const MOST: usize = 128;
/// Servers close a connection that rests for longer than this.
const REST: Duration = Duration::from_secs(60);

/// One upstream.
pub(crate) struct LocalPool {
    host: String,
    port: u16,
    name: HeaderValue,
    connect: Duration,
    resting: Mutex<Vec<(Instant, Line)>>,
}

/// A connection and the way to ask over it.
struct Line {
    sender: http1::SendRequest<Full<Bytes>>,
    connection: Pin<Box<http1::Connection<TokioIo<TcpStream>, Full<Bytes>>>>,
    has_ended: bool,
}

impl LocalPool {
    /// Nothing is connected yet.
    pub(crate) fn new(base_url: &str, connect: Duration) -> Result<Self, DriverError> {
        let wrong = || DriverError::Setup(format!("`{base_url}` is not the address of a server"));
        let url = reqwest::Url::parse(base_url).map_err(|_| wrong())?;
        let host = url.host_str().ok_or_else(wrong)?;
        let port = url.port_or_known_default().ok_or_else(wrong)?;
        let name = HeaderValue::from_str(&format!("{host}:{port}")).map_err(|_| wrong())?;
        let host = host.trim_matches(['[', ']']).to_owned();
        Ok(Self { host, port, name, connect, resting: Mutex::default() })
    }

    pub(super) async fn send(
        self: &Arc<Self>,
        request: UpstreamRequest,
    ) -> Result<Response<PooledBody>, SendError> {
        let request = self.request(request)?;
        // A connection that has rested may be closed by its other end just now. Nothing has come back over it then, and
        // the request is sent once more, as curl and browsers do.
        if let Some(line) = self.rested() {
            match self.ask(line, request.clone()).await {
                Err(error) if !error.is_parse() => {}
                answered => return answered.map_err(|error| SendError::Failed(innermost(&error))),
            }
        }
        let line = self.connected().await?;
        self.ask(line, request).await.map_err(|error| SendError::Failed(innermost(&error)))
    }

    async fn ask(
        self: &Arc<Self>,
        mut line: Line,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<PooledBody>, hyper::Error> {
        let mut sending = std::pin::pin!(line.sender.send_request(request));
        let (connection, has_ended) = (&mut line.connection, &mut line.has_ended);
        let answer = std::future::poll_fn(|cx| {
            if let Poll::Ready(answer) = sending.as_mut().poll(cx) {
                return Poll::Ready(answer);
            }
            advance(connection, has_ended, cx);
            sending.as_mut().poll(cx)
        });
        let answer = answer.await?;
        let pool = Arc::clone(self);
        Ok(answer.map(|body| PooledBody { body, line: Some(line), pool }))
    }

    fn request(&self, request: UpstreamRequest) -> Result<Request<Full<Bytes>>, SendError> {
        let path = request.url.splitn(4, '/').nth(3).unwrap_or_default();
        let uri = format!("/{path}").parse().map_err(|_| SendError::Failed("no such path".to_owned()))?;
        let mut made = Request::new(Full::new(request.body));
        *made.method_mut() = request.method;
        *made.uri_mut() = uri;
        *made.headers_mut() = request.headers;
        made.headers_mut().insert(header::HOST, self.name.clone());
        Ok(made)
    }

    async fn connected(&self) -> Result<Line, SendError> {
        let failed = |error: &dyn std::error::Error| SendError::Failed(innermost(error));
        let connecting = TcpStream::connect((self.host.as_str(), self.port));
        let stream = tokio::time::timeout(self.connect, connecting).await.map_err(|_| SendError::Late)?;
        let place = format!("{}:{}", self.host, self.port);
        let stream = stream.map_err(|error| SendError::Failed(format!("{place}: {error}")))?;
        // Without it a small request waits for the acknowledgement of the one before.
        drop(stream.set_nodelay(true));
        let (sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(|error| failed(&error))?;
        Ok(Line { sender, connection: Box::pin(connection), has_ended: false })
    }

    /// One that is still there.
    fn rested(&self) -> Option<Line> {
        loop {
            let (since, mut line) = self.resting.lock().pop()?;
            if since.elapsed() < REST && line.is_ready() {
                return Some(line);
            }
        }
    }

    fn rest(&self, mut line: Line) {
        if line.is_ready() {
            let mut resting = self.resting.lock();
            if resting.len() < MOST {
                resting.push((Instant::now(), line));
            }
        }
    }
}

impl Line {
    /// Whether it can be asked something. Looks at the connection: nothing else does while it rests.
    fn is_ready(&mut self) -> bool {
        advance(&mut self.connection, &mut self.has_ended, &mut Context::from_waker(Waker::noop()));
        !self.has_ended && self.sender.is_ready()
    }
}

/// Lets a connection read and write.
fn advance<C: Future>(connection: &mut Pin<Box<C>>, has_ended: &mut bool, cx: &mut Context<'_>) {
    if !*has_ended && connection.as_mut().poll(cx).is_ready() {
        *has_ended = true;
    }
}

/// The body of an answer, with the connection that it comes over.
pub(crate) struct PooledBody {
    body: Incoming,
    line: Option<Line>,
    pool: Arc<LocalPool>,
}

impl PooledBody {
    pub(super) fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let mut polled = Pin::new(&mut self.body).poll_frame(cx);
        if let (Poll::Pending, Some(line)) = (&polled, &mut self.line) {
            advance(&mut line.connection, &mut line.has_ended, cx);
            polled = Pin::new(&mut self.body).poll_frame(cx);
        }
        if let Poll::Ready(None) = &polled {
            self.rest();
        }
        polled.map_err(io::Error::other)
    }

    pub(super) fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    pub(super) fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }

    fn rest(&mut self) {
        if let Some(line) = self.line.take() {
            self.pool.rest(line);
        }
    }
}

impl Drop for PooledBody {
    fn drop(&mut self) {
        // One that was not read to its end is closed with its connection.
        if self.body.is_end_stream() {
            self.rest();
        }
    }
}
