//! A connection's socket, as one side reads and writes it and the other watches it.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::Sleep;

use super::left;

/// How often it is looked again whether a caller that has nothing more to say is still there.
const LOOK: Duration = Duration::from_millis(200);

/// A socket with two owners.
pub(super) struct Line {
    stream: TcpStream,
    /// The reader waits for more, and will see the end by itself.
    is_read: AtomicBool,
    asked: Notify,
}

impl Line {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self { stream, is_read: AtomicBool::new(true), asked: Notify::new() }
    }

    /// Returns when the caller is gone in the middle of an answer.
    pub(super) async fn left(&self) {
        loop {
            self.asked.notified().await;
            while !self.is_read.load(Ordering::Acquire) {
                let is_gone = match self.stream.peek(&mut [0]).await {
                    Ok(0) => !self.is_held().await,
                    Ok(_) => false,
                    Err(_) => true,
                };
                if is_gone {
                    return;
                }
                // It has nothing more to say, or the next request is here already.
                tokio::time::sleep(LOOK).await;
            }
        }
    }

    async fn is_held(&self) -> bool {
        let (Ok(peer), Ok(own)) = (self.stream.peer_addr(), self.stream.local_addr()) else { return false };
        // The table of a busy machine is long.
        tokio::task::spawn_blocking(move || left::is_held(peer, own)).await.unwrap_or(false)
    }
}

/// The side that reads and writes.
pub(super) struct Half {
    line: Arc<Line>,
    patience: Duration,
    /// Set while nothing can be written.
    stopped: Option<Pin<Box<Sleep>>>,
}

impl Half {
    pub(super) fn new(line: Arc<Line>, patience: Duration) -> Self {
        Self { line, patience, stopped: None }
    }

    fn write(
        &mut self,
        cx: &mut Context<'_>,
        write: impl Fn(&TcpStream) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        loop {
            if self.line.stream.poll_write_ready(cx)?.is_pending() {
                return self.wait(cx);
            }
            match write(&self.line.stream) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                written => {
                    self.stopped = None;
                    return Poll::Ready(written);
                }
            }
        }
    }

    /// A caller that stops reading holds everything up, but not for ever.
    fn wait(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let patience = self.patience;
        let stopped = self.stopped.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        ready!(stopped.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Half {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let line = &self.line;
        loop {
            if line.stream.poll_read_ready(cx)?.is_pending() {
                line.is_read.store(true, Ordering::Release);
                return Poll::Pending;
            }
            match line.stream.try_read(buffer.initialize_unfilled()) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
                Ok(length) => {
                    buffer.advance(length);
                    if line.is_read.swap(false, Ordering::AcqRel) {
                        line.asked.notify_one();
                    }
                    return Poll::Ready(Ok(()));
                }
            }
        }
    }
}

impl AsyncWrite for Half {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.write(cx, |stream| stream.try_write(bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.write(cx, |stream| stream.try_write_vectored(pieces))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // Gone already is as good.
        rustix::net::shutdown(&self.line.stream, rustix::net::Shutdown::Write).ok();
        Poll::Ready(Ok(()))
    }
}
