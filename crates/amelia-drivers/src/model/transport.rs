//! What carries a request to a model and its answer back: the network, a network that is recorded, or a recording.

mod frame;
mod played;
mod taped;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use amelia_core::recording::Channel;
use amelia_core::text::innermost;
use async_trait::async_trait;
use futures_util::stream::{BoxStream, StreamExt};
use reqwest::header::HeaderMap;

use super::ModelFailure;

pub use played::PlayedTransport;
pub use taped::TapedTransport;

/// Bytes of an answer, as they come.
pub type ByteStream = BoxStream<'static, Result<Vec<u8>, ModelFailure>>;

/// An answer on its way.
pub struct ModelResponse {
    pub status: u16,
    pub headers: HeaderMap,
    pub bytes: ByteStream,
    /// Called when nothing more is wanted, with how it broke off if it did. One that is dropped without it is forgotten.
    pub ending: Option<OnEnd>,
}

/// Receives how an answer ended.
pub type OnEnd = Box<dyn FnOnce(Option<&ModelFailure>) + Send>;

fn unreached(error: &reqwest::Error) -> ModelFailure {
    ModelFailure::Connection(cause(error))
}

/// The innermost cause, which is the one that helps, and where it happened. Without the rest of the URL: it may carry a
/// key.
#[must_use]
pub fn cause(error: &reqwest::Error) -> String {
    let cause = innermost(error);
    match error.url().and_then(|url| Some((url.host_str()?, url.port_or_known_default()?))) {
        Some((host, port)) => format!("{host}:{port}: {cause}"),
        None => cause,
    }
}

/// Carries requests.
#[async_trait]
pub trait ModelTransport: Send + Sync {
    /// Sends a request once, and waits at most `idle` for the answer to begin; its conversation is kept on `channel`.
    async fn send(
        &self,
        request: reqwest::Request,
        channel: &Channel,
        idle: Duration,
    ) -> Result<ModelResponse, ModelFailure>;
}

/// The network.
pub struct Network(pub reqwest::Client);

impl Network {
    /// As a carrier.
    #[must_use]
    pub fn transport(client: reqwest::Client) -> Arc<dyn ModelTransport> {
        Arc::new(Self(client))
    }
}

#[async_trait]
impl ModelTransport for Network {
    async fn send(
        &self,
        request: reqwest::Request,
        _: &Channel,
        idle: Duration,
    ) -> Result<ModelResponse, ModelFailure> {
        let response = tokio::time::timeout(idle, self.0.execute(request)).await;
        let response =
            response.map_err(|_| ModelFailure::Stalled(idle))?.map_err(|error| unreached(&error))?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = response.bytes_stream().map(|piece| piece.map(Into::into).map_err(|_| ModelFailure::Cut));
        Ok(ModelResponse { status, headers, bytes: bytes.boxed(), ending: None })
    }
}
