//! A client of a WebSocket.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::world::{TOKEN, World};

pub(crate) struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    pub(crate) async fn open(world: &World, path: &str) -> Self {
        Self::try_open(world, path, &[]).await.unwrap()
    }

    pub(crate) async fn try_open(
        world: &World,
        path: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, u16> {
        let mut request = format!("ws://{}{path}", world.address).into_client_request().unwrap();
        request.headers_mut().insert("authorization", format!("Bearer {TOKEN}").parse().unwrap());
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        match connect_async(request).await {
            Ok((socket, _)) => Ok(Self(socket)),
            Err(tungstenite::Error::Http(response)) => Err(response.status().as_u16()),
            Err(error) => panic!("{error}"),
        }
    }

    pub(crate) async fn say(&mut self, words: Value) {
        self.send(&words.to_string()).await;
    }

    /// Whatever it is.
    pub(crate) async fn send(&mut self, text: &str) {
        self.0.send(Message::text(text)).await.unwrap();
    }

    /// The next words; `None` when the other side has closed.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        self.frame().await.map(|text| serde_json::from_str(&text).unwrap())
    }

    /// The next text, as it came.
    pub(crate) async fn frame(&mut self) -> Option<String> {
        loop {
            let message =
                tokio::time::timeout(Duration::from_secs(20), self.0.next()).await.expect("silence");
            match message {
                Some(Ok(Message::Text(text))) => return Some(text.to_string()),
                Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                Some(Ok(_)) => {}
            }
        }
    }

    /// Everything until something of this type, which comes last.
    pub(crate) async fn until(&mut self, is_last: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut all = Vec::new();
        loop {
            all.push(self.next().await.expect("closed"));
            if is_last(all.last().unwrap()) {
                return all;
            }
        }
    }
}
