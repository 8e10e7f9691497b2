//! How an upstream is spoken to. One on this machine directly, in the task of the caller: nothing is handed from thread
//! to thread on the way. Any other through the client that knows certificates, proxies and HTTP/2: the way there takes
//! longer than anything that could be saved.

mod local_pool;

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::http::{HeaderMap, Method, Response};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

pub(crate) use local_pool::LocalPool;
use local_pool::PooledBody;

/// The way to one upstream. Cheap to clone.
#[derive(Clone)]
pub(crate) enum UpstreamClient {
    Local(Arc<LocalPool>),
    Remote(reqwest::Client),
}

/// What is sent.
pub(crate) struct UpstreamRequest {
    pub(crate) method: Method,
    pub(crate) url: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// Why nothing came back.
pub(crate) enum SendError {
    Late,
    Failed(String),
}

impl UpstreamClient {
    /// Sends, and returns with the beginning of the answer. Dropping the answer ends the request.
    pub(crate) async fn send(&self, request: UpstreamRequest) -> Result<Response<UpstreamBody>, SendError> {
        let client = match self {
            Self::Local(pool) => return Ok(pool.send(request).await?.map(UpstreamBody::Local)),
            Self::Remote(client) => client,
        };
        let mut sending = client.request(request.method, request.url).headers(request.headers);
        if !request.body.is_empty() {
            sending = sending.body(request.body);
        }
        let answer = sending.send().await.map_err(|error| match error.is_timeout() {
            true => SendError::Late,
            false => SendError::Failed(amelia_drivers::model::cause(&error)),
        })?;
        Ok(Response::<reqwest::Body>::from(answer).map(UpstreamBody::Remote))
    }
}

/// The body of an answer.
pub(crate) enum UpstreamBody {
    Local(PooledBody),
    Remote(reqwest::Body),
    /// Given up.
    Nothing,
}

impl Body for UpstreamBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match &mut *self {
            Self::Local(answer) => answer.poll_frame(cx),
            Self::Remote(body) => Pin::new(body).poll_frame(cx).map_err(io::Error::other),
            Self::Nothing => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Local(answer) => answer.is_end_stream(),
            Self::Remote(body) => body.is_end_stream(),
            Self::Nothing => true,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Local(answer) => answer.size_hint(),
            Self::Remote(body) => body.size_hint(),
            Self::Nothing => SizeHint::with_exact(0),
        }
    }
}
