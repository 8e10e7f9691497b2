//! The other end of a socket: told things, heard, and given up when it is silent or does not read.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use serde::Serialize;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep_until};
use tokio_util::sync::CancellationToken;

/// How often a peer is asked whether it is there.
const PING: Duration = Duration::from_secs(30);
/// How long a peer may take to hear that it is over.
const FAREWELL: Duration = Duration::from_secs(1);

pub(super) struct Peer {
    socket: WebSocket,
    idle: Duration,
    heard_at: Instant,
    pings: Interval,
    closing: CancellationToken,
}

/// Nothing more can be said to it.
pub(super) struct Gone;

/// Something to react to.
pub(super) enum Sign {
    Heard(String),
    /// Time to ask whether it is there.
    Ping,
}

impl Peer {
    pub(super) fn new(socket: WebSocket, idle_seconds: f64, closing: CancellationToken) -> Self {
        let now = Instant::now();
        let mut pings = interval_at(now + PING, PING);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // Longer than a year is for ever.
        let idle = Duration::try_from_secs_f64(idle_seconds.min(3.2e7)).unwrap_or(PING);
        Self { socket, idle, heard_at: now, pings, closing }
    }

    /// Says something. A peer that takes nothing in for as long as it may be silent is gone.
    pub(super) async fn say(&mut self, words: &impl Serialize) -> Result<(), Gone> {
        let text = serde_json::to_string(words).map_err(|_| Gone)?;
        self.send(Message::Text(text.into())).await
    }

    /// Asks below the protocol: every client answers that by itself.
    pub(super) async fn ping(&mut self) -> Result<(), Gone> {
        self.send(Message::Ping(Vec::new().into())).await
    }

    /// Waits for the next sign. Can be dropped at any time.
    pub(super) async fn sign(&mut self) -> Result<Sign, Gone> {
        loop {
            tokio::select! {
                biased;
                () = self.closing.cancelled() => return Err(Gone),
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
                () = sleep_until(self.heard_at + self.idle) => return Err(Gone),
            }
        }
    }

    /// Says why it is over, if it still listens.
    pub(super) async fn close(mut self) {
        let (code, reason) = match self.closing.is_cancelled() {
            true => (close_code::AWAY, "the server is shutting down"),
            false => (close_code::NORMAL, "idle"),
        };
        let close = Message::Close(Some(CloseFrame { code, reason: reason.into() }));
        // It may be gone already.
        tokio::time::timeout(FAREWELL, self.socket.send(close)).await.ok();
    }

    async fn send(&mut self, message: Message) -> Result<(), Gone> {
        tokio::select! {
            biased;
            sent = tokio::time::timeout(self.idle, self.socket.send(message)) => match sent {
                Ok(Ok(())) => Ok(()),
                Ok(Err(_)) | Err(_) => Err(Gone),
            },
            () = self.closing.cancelled() => Err(Gone),
        }
    }
}
