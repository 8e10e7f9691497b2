//! The other end of a socket: told things, heard, and given up when it is silent or does not read.

use std::pin::Pin;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use futures_util::SinkExt as _;
use serde::Serialize;
use tokio::time::{Instant, Interval, MissedTickBehavior, Sleep, interval_at, sleep_until};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// How often a peer is asked whether it is there.
const PING: Duration = Duration::from_secs(30);
/// How long a peer may take to hear that it is over.
const FAREWELL: Duration = Duration::from_secs(1);

pub(super) struct Peer {
    socket: WebSocket,
    idle: Duration,
    heard_at: Instant,
    /// Set once and looked at when it fires: a timer that is moved with every word costs more than the word.
    alarm: Pin<Box<Sleep>>,
    pings: Interval,
    ends: Ends,
    /// Kept, for the same reason.
    closed: Pin<Box<WaitForCancellationFutureOwned>>,
}

/// What ends a socket from our side.
#[derive(Clone)]
pub(super) struct Ends {
    pub(super) server: CancellationToken,
    /// Ends with the server, too.
    pub(super) session: CancellationToken,
}

/// Nothing more can be said to it.
pub(super) struct Gone;

/// Something to react to.
pub(super) enum Sign {
    Heard(String),
    /// Time to ask whether it is there.
    Ping,
}

/// Words as they are sent; nothing when they cannot be written.
pub(super) fn text_of(words: &impl Serialize) -> Option<Utf8Bytes> {
    serde_json::to_string(words).ok().map(Utf8Bytes::from)
}

impl Peer {
    pub(super) fn new(socket: WebSocket, idle_seconds: f64, ends: Ends) -> Self {
        let now = Instant::now();
        let mut pings = interval_at(now + PING, PING);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // Longer than a year is for ever.
        let idle = Duration::try_from_secs_f64(idle_seconds.min(3.2e7)).unwrap_or(PING);
        let alarm = Box::pin(sleep_until(now + idle));
        let closed = Box::pin(ends.session.clone().cancelled_owned());
        Self { socket, idle, heard_at: now, alarm, pings, ends, closed }
    }

    /// Says something. A peer that takes nothing in for as long as it may be silent is gone.
    pub(super) async fn say(&mut self, words: &impl Serialize) -> Result<(), Gone> {
        self.put(text_of(words).ok_or(Gone)?).await?;
        self.flush().await
    }

    /// Says something with what comes next; [`Self::flush`] sends it.
    pub(super) async fn put(&mut self, text: Utf8Bytes) -> Result<(), Gone> {
        let Self { socket, idle, closed, .. } = self;
        in_time(socket.feed(Message::Text(text)), *idle, closed).await
    }

    pub(super) async fn flush(&mut self) -> Result<(), Gone> {
        if self.ends.session.is_cancelled() {
            return Err(Gone);
        }
        let Self { socket, idle, closed, .. } = self;
        in_time(socket.flush(), *idle, closed).await
    }

    /// Asks below the protocol: every client answers that by itself.
    pub(super) async fn ping(&mut self) -> Result<(), Gone> {
        let Self { socket, idle, closed, .. } = self;
        in_time(socket.send(Message::Ping(Vec::new().into())), *idle, closed).await
    }

    /// Waits for the next sign. Can be dropped at any time.
    pub(super) async fn sign(&mut self) -> Result<Sign, Gone> {
        loop {
            tokio::select! {
                biased;
                () = &mut self.closed => return Err(Gone),
                message = self.socket.recv() => match message {
                    Some(Ok(Message::Text(text))) => {
                        self.heard_at = Instant::now();
                        return Ok(Sign::Heard(text.to_string()));
                    }
                    Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Binary(_))) => {
                        self.heard_at = Instant::now();
                    }
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return Err(Gone),
                },
                _ = self.pings.tick() => return Ok(Sign::Ping),
                () = &mut self.alarm => {
                    let end = self.heard_at + self.idle;
                    if end <= Instant::now() {
                        return Err(Gone);
                    }
                    self.alarm.as_mut().reset(end);
                }
            }
        }
    }

    /// Says why it is over, if it still listens.
    pub(super) async fn close(mut self) {
        let (code, reason) = match (self.ends.server.is_cancelled(), self.ends.session.is_cancelled()) {
            (true, _) => (close_code::AWAY, "the server is shutting down"),
            (false, true) => (close_code::POLICY, "the token has changed: sign in again"),
            (false, false) => (close_code::NORMAL, "idle"),
        };
        let close = Message::Close(Some(CloseFrame { code, reason: reason.into() }));
        // It may be gone already.
        tokio::time::timeout(FAREWELL, self.socket.send(close)).await.ok();
    }
}

/// Something that is sent, unless the peer takes too long for it or everything ends.
async fn in_time(
    sent: impl Future<Output = Result<(), axum::Error>>,
    idle: Duration,
    closed: &mut Pin<Box<WaitForCancellationFutureOwned>>,
) -> Result<(), Gone> {
    tokio::select! {
        biased;
        sent = tokio::time::timeout(idle, sent) => match sent {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(Gone),
        },
        () = closed => Err(Gone),
    }
}
