//! A run as it happens, over a WebSocket: every event after a number, and what is being said.

use amelia_core::id::{RunId, Seq};
use amelia_wire::rest::live::HeardOfLog;
use anyhow::{Context, Result};
use futures_util::StreamExt;
use reqwest::Method;
use reqwest::header::{CONNECTION, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::Client;

/// Bytes of an event. A model may say as much as 32 MB in a turn, and JSON has a sign before each of many others.
const LARGEST: Option<usize> = Some(256 * 1024 * 1024);

/// An open socket.
pub(crate) struct Socket(WebSocketStream<reqwest::Upgraded>);

impl Client {
    /// Follows a run from after an event on.
    pub(crate) async fn follow(&self, run: RunId, after: Seq) -> Result<Socket> {
        let path = format!("/workflows/{run}/stream?format=log&unfinished=true&after={}", after.0);
        let request = self
            .request(Method::GET, &path)
            .header(CONNECTION, "Upgrade")
            .header(UPGRADE, "websocket")
            .header(SEC_WEBSOCKET_VERSION, "13")
            .header(SEC_WEBSOCKET_KEY, generate_key());
        let upgraded =
            self.send(request).await?.upgrade().await.context("the server did not open a WebSocket")?;
        let config = WebSocketConfig::default().max_message_size(LARGEST).max_frame_size(LARGEST);
        Ok(Socket(WebSocketStream::from_raw_socket(upgraded, Role::Client, Some(config)).await))
    }
}

impl Socket {
    /// What comes next; `None` when the connection is gone. Can be dropped at any time.
    pub(crate) async fn next(&mut self) -> Option<HeardOfLog> {
        loop {
            match self.0.next().await? {
                Ok(Message::Text(text)) => match serde_json::from_str(&text) {
                    Ok(heard) => return Some(heard),
                    // What a newer server says beside the log is of no use here; a gap in the log would be found.
                    Err(_) => return Some(HeardOfLog::Other),
                },
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(Message::Ping(_) | Message::Pong(_) | Message::Binary(_) | Message::Frame(_)) => {}
            }
        }
    }
}
