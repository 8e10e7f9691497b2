//! How bytes leave: in pieces, with pauses, and broken off where a script says so. Knows nothing of what they say.

use std::future::pending;
use std::io;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;

use crate::script::CutPlace;

pub(crate) type Chunks = Box<dyn Iterator<Item = Bytes> + Send>;

/// What comes after the last byte.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Close {
    Properly,
    Cut(CutPlace),
    Stall(CutPlace),
}

pub(crate) fn body(chunks: Chunks, pause: Duration, close: Close) -> Body {
    let delivery = Delivery { chunks, pause, close, sent: DeliveredSize::default(), is_over: false };
    Body::from_stream(stream::unfold(delivery, |mut delivery| async move {
        let item = delivery.next().await?;
        Some((item, delivery))
    }))
}

struct Delivery {
    chunks: Chunks,
    pause: Duration,
    close: Close,
    sent: DeliveredSize,
    is_over: bool,
}

#[derive(Default)]
struct DeliveredSize {
    bytes: usize,
    chunks: usize,
}

impl Delivery {
    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        if self.is_over {
            return None;
        }
        let room = self.room();
        if room == 0 {
            return self.end().await;
        }
        let Some(mut chunk) = self.chunks.next() else { return self.end().await };
        if self.sent.chunks > 0 && !self.pause.is_zero() {
            tokio::time::sleep(self.pause).await;
        }
        chunk.truncate(room);
        self.sent.bytes += chunk.len();
        self.sent.chunks += 1;
        Some(Ok(chunk))
    }

    /// Bytes that may still be sent before the place where it breaks off.
    fn room(&self) -> usize {
        match self.close {
            Close::Properly => usize::MAX,
            Close::Cut(CutPlace::Bytes(limit)) | Close::Stall(CutPlace::Bytes(limit)) => {
                limit.saturating_sub(self.sent.bytes)
            }
            Close::Cut(CutPlace::Chunks(limit)) | Close::Stall(CutPlace::Chunks(limit)) => {
                if self.sent.chunks < limit { usize::MAX } else { 0 }
            }
        }
    }

    async fn end(&mut self) -> Option<io::Result<Bytes>> {
        self.is_over = true;
        match self.close {
            Close::Properly => None,
            Close::Cut(_) => {
                // What was written must reach the client before the connection goes.
                tokio::task::yield_now().await;
                Some(Err(io::Error::new(io::ErrorKind::ConnectionAborted, "cut by the script")))
            }
            Close::Stall(_) => pending().await,
        }
    }
}
