//! How an upstream is spoken to. One on this machine directly, in the task of whoever asks: nothing is handed from thread
//! to thread on the way. Any other through the client that knows certificates, proxies and HTTP/2: the way there takes
//! longer than anything that could be saved.

mod near;

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::http::{HeaderMap, Method, Response};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use near::Answer;
pub(crate) use near::Near;

/// The way to one upstream. Cheap to clone.
#[derive(Clone)]
pub(crate) enum Carrier {
    Near(Arc<Near>),
    Far(reqwest::Client),
}

/// What is sent.
pub(crate) struct Parcel {
    pub(crate) method: Method,
    pub(crate) url: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// Why nothing came back.
pub(crate) enum Unsent {
    Late,
    Failed(String),
}

impl Carrier {
    /// Sends, and returns with the beginning of the answer. Dropping the answer ends the request.
    pub(crate) async fn send(&self, parcel: Parcel) -> Result<Response<Coming>, Unsent> {
        let client = match self {
            Self::Near(near) => return Ok(near.send(parcel).await?.map(Coming::Near)),
            Self::Far(client) => client,
        };
        let mut request = client.request(parcel.method, parcel.url).headers(parcel.headers);
        if !parcel.body.is_empty() {
            request = request.body(parcel.body);
        }
        let answer = request.send().await.map_err(|error| match error.is_timeout() {
            true => Unsent::Late,
            false => Unsent::Failed(amelia_drivers::model::cause(&error)),
        })?;
        Ok(Response::<reqwest::Body>::from(answer).map(Coming::Far))
    }
}

/// The body of an answer.
pub(crate) enum Coming {
    Near(Answer),
    Far(reqwest::Body),
    /// Given up.
    Nothing,
}

impl Body for Coming {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match &mut *self {
            Self::Near(answer) => answer.poll_frame(cx),
            Self::Far(body) => Pin::new(body).poll_frame(cx).map_err(io::Error::other),
            Self::Nothing => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Near(answer) => answer.is_end_stream(),
            Self::Far(body) => body.is_end_stream(),
            Self::Nothing => true,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Near(answer) => answer.size_hint(),
            Self::Far(body) => body.size_hint(),
            Self::Nothing => SizeHint::with_exact(0),
        }
    }
}
