//! The body of an answer on its way through: every piece is forwarded as it comes.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};
use parking_lot::Mutex;
use tokio::time::{Instant, Sleep};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use crate::exchange::ModelExchange;
use crate::frame::ExchangeEnding;
use crate::upstream_client::UpstreamBody;

/// Pieces that are there at once are passed on as one of about this size: what a piece costs is mostly what its frame costs.
const FRAME_BYTES: usize = 64 * 1024;

/// An upstream's body, watched. Dropping it ends the request to the upstream.
pub(crate) struct MeteredBody {
    upstream: UpstreamBody,
    exchange: Arc<Mutex<ModelExchange>>,
    /// Made when there is something to wait for.
    patience: Option<Pin<Box<IdleTimeout>>>,
    idle: Duration,
    heard: Instant,
    ended: CancellationToken,
    /// Nothing was passed on yet. The first piece does not wait for those that are there with it.
    is_first: bool,
    /// What was passed on last is to be written before anything else is.
    is_unwritten: bool,
    /// The upstream broke off after what was passed on last.
    is_broken: bool,
}

/// What ends a wait.
struct IdleTimeout {
    ended: Pin<Box<WaitForCancellationFutureOwned>>,
    over: Pin<Box<Sleep>>,
}

impl MeteredBody {
    pub(crate) fn new(
        upstream: UpstreamBody,
        exchange: Arc<Mutex<ModelExchange>>,
        idle: Duration,
        ended: CancellationToken,
    ) -> Self {
        Self {
            upstream,
            exchange,
            patience: None,
            idle,
            heard: Instant::now(),
            ended,
            is_first: true,
            is_unwritten: false,
            is_broken: false,
        }
    }

    /// Everything that the upstream has sent by now, up to the size of a frame; the first piece alone.
    fn gather(&mut self, cx: &mut Context<'_>) -> (Gathered, Rest) {
        let mut gathered = Gathered::Nothing;
        loop {
            match Pin::new(&mut self.upstream).poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => {
                    // Trailers are of one connection.
                    let Ok(bytes) = frame.into_data() else { continue };
                    gathered = gathered.and(bytes);
                    let is_last = self.upstream.is_end_stream();
                    if is_last || gathered.len() >= FRAME_BYTES || self.is_first {
                        return (gathered, Rest::ToCome);
                    }
                }
                Poll::Ready(None) => return (gathered, Rest::Nothing),
                Poll::Ready(Some(Err(_))) => return (gathered, Rest::Lost),
                Poll::Pending => return (gathered, Rest::ToCome),
            }
        }
    }

    fn cut(&mut self, kind: io::ErrorKind, ending: ExchangeEnding) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.exchange.lock().end(ending);
        self.upstream = UpstreamBody::Nothing;
        Poll::Ready(Some(Err(io::Error::from(kind))))
    }

    /// Whether it makes no sense to wait any longer.
    fn is_over(&mut self, cx: &mut Context<'_>) -> Option<ExchangeEnding> {
        let (idle, heard, ended) = (self.idle, self.heard, &self.ended);
        let patience = self.patience.get_or_insert_with(|| {
            Box::pin(IdleTimeout {
                ended: Box::pin(ended.clone().cancelled_owned()),
                over: Box::pin(tokio::time::sleep_until(heard + idle)),
            })
        });
        if patience.ended.as_mut().poll(cx).is_ready() {
            return Some(ExchangeEnding::Left);
        }
        while patience.over.as_mut().poll(cx).is_ready() {
            // Something may have come since the clock was set: it is not set anew for every piece.
            if heard.elapsed() >= idle {
                return Some(ExchangeEnding::Cut);
            }
            patience.over.as_mut().reset(heard + idle);
        }
        None
    }
}

impl Body for MeteredBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        // The server writes what it has when nothing more is there; with an error it would not.
        if std::mem::take(&mut self.is_unwritten) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if self.is_broken {
            return self.cut(io::ErrorKind::ConnectionAborted, ExchangeEnding::Cut);
        }
        let (gathered, rest) = self.gather(cx);
        if let Some(bytes) = gathered.into_bytes() {
            self.heard = Instant::now();
            self.exchange.lock().take(&bytes);
            match rest {
                Rest::ToCome => {}
                Rest::Nothing => self.upstream = UpstreamBody::Nothing,
                Rest::Lost => self.is_broken = true,
            }
            let is_first = std::mem::take(&mut self.is_first);
            self.is_unwritten = self.is_broken || (is_first && !self.upstream.is_end_stream());
            return Poll::Ready(Some(Ok(Frame::data(bytes))));
        }
        match rest {
            Rest::Nothing => {
                self.exchange.lock().end(ExchangeEnding::Whole);
                Poll::Ready(None)
            }
            Rest::Lost => self.cut(io::ErrorKind::ConnectionAborted, ExchangeEnding::Cut),
            Rest::ToCome => match self.is_over(cx) {
                None => Poll::Pending,
                Some(ending) => self.cut(io::ErrorKind::TimedOut, ending),
            },
        }
    }

    fn is_end_stream(&self) -> bool {
        self.upstream.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.upstream.size_hint()
    }
}

/// What follows the pieces that are there.
enum Rest {
    ToCome,
    Nothing,
    /// The upstream broke off.
    Lost,
}

/// Pieces on their way to one frame. One alone is not copied.
enum Gathered {
    Nothing,
    One(Bytes),
    Several(BytesMut),
}

impl Gathered {
    fn and(self, bytes: Bytes) -> Self {
        match self {
            Self::Nothing => Self::One(bytes),
            Self::One(first) => {
                let mut several = BytesMut::with_capacity(8 * 1024);
                several.extend_from_slice(&first);
                several.extend_from_slice(&bytes);
                Self::Several(several)
            }
            Self::Several(mut several) => {
                several.extend_from_slice(&bytes);
                Self::Several(several)
            }
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::One(bytes) => bytes.len(),
            Self::Several(several) => several.len(),
        }
    }

    fn into_bytes(self) -> Option<Bytes> {
        match self {
            Self::Nothing => None,
            Self::One(bytes) => Some(bytes),
            Self::Several(several) => Some(several.freeze()),
        }
    }
}

impl Drop for MeteredBody {
    fn drop(&mut self) {
        // A reader that knows the length does not ask for the end.
        if self.upstream.is_end_stream() {
            self.exchange.lock().end(ExchangeEnding::Whole);
        }
    }
}
