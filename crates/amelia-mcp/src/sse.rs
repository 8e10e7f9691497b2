//! The HTTP transport before streamable HTTP (protocol 2024-11-05): one stream of events from the server, which names
//! the address that messages are posted to. `rmcp` has dropped it; servers still speak it.

use std::pin::Pin;
use std::sync::Arc;

use futures_util::{Stream, StreamExt as _};
use http::HeaderMap;
use reqwest::{Client, Url};
use rmcp::service::{RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use sse_stream::{Sse, SseStream};

use crate::message_limit::{bounded, refusal};
use crate::server_log::ServerLog;

/// Why a server cannot be talked to.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum SseError {
    #[error("{0}")]
    Http(Arc<reqwest::Error>),
    #[error("the server did not say where messages are posted to")]
    NoEndpoint,
    #[error("the server wants messages to be posted to another host")]
    Elsewhere,
}

impl SseError {
    /// Whether the server wants to know who asks.
    pub(crate) fn is_unauthorized(&self) -> bool {
        matches!(self, Self::Http(error) if error.status() == Some(http::StatusCode::UNAUTHORIZED))
    }
}

impl From<reqwest::Error> for SseError {
    fn from(error: reqwest::Error) -> Self {
        // An address may hold a token.
        Self::Http(Arc::new(error.without_url()))
    }
}

type Events = Pin<Box<dyn Stream<Item = Result<Sse, sse_stream::Error>> + Send>>;

/// A stream of events, and where to post.
pub(crate) struct LegacySse {
    client: Client,
    headers: HeaderMap,
    post: Url,
    events: Events,
    log: ServerLog,
}

impl LegacySse {
    pub(crate) async fn open(
        client: Client,
        url: &str,
        headers: HeaderMap,
        log: ServerLog,
    ) -> Result<Self, SseError> {
        let request =
            client.get(url).headers(headers.clone()).header(http::header::ACCEPT, "text/event-stream");
        let response = request.send().await?.error_for_status()?;
        let opened_at = response.url().clone();
        let notes = log.clone();
        let bytes = bounded(response.bytes_stream(), move || notes.push(&refusal()));
        let mut events: Events = Box::pin(SseStream::from_bytes_stream(bytes));
        while let Some(Ok(event)) = events.next().await {
            if event.event.as_deref() != Some("endpoint") {
                continue;
            }
            let post = event.data.as_deref().and_then(|path| opened_at.join(path.trim()).ok());
            let post = post.ok_or(SseError::NoEndpoint)?;
            // Our headers may hold a token: it goes only to where it was meant for.
            if post.origin() != opened_at.origin() {
                return Err(SseError::Elsewhere);
            }
            return Ok(Self { client, headers, post, events, log });
        }
        Err(SseError::NoEndpoint)
    }
}

impl Transport<RoleClient> for LegacySse {
    type Error = SseError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), SseError>> + Send + 'static {
        let request = self.client.post(self.post.clone()).headers(self.headers.clone()).json(&message);
        async move {
            request.send().await?.error_for_status()?;
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        while let Some(Ok(event)) = self.events.next().await {
            let Some(data) =
                event.data.filter(|_| event.event.as_deref().is_none_or(|name| name == "message"))
            else {
                continue;
            };
            match serde_json::from_str(&data) {
                Ok(message) => return Some(message),
                Err(_) => self.log.push(&data),
            }
        }
        None
    }

    async fn close(&mut self) -> Result<(), SseError> {
        self.events = Box::pin(futures_util::stream::empty());
        Ok(())
    }
}
