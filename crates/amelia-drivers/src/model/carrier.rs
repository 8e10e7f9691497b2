//! What carries a request to a model and its answer back: the network, a network that is recorded, or a recording.

mod frame;
mod played;
mod taped;

use std::sync::Arc;
use std::time::Duration;

use amelia_core::recording::Strand;
use amelia_core::text::innermost;
use async_trait::async_trait;
use futures_util::stream::{BoxStream, StreamExt};
use reqwest::header::HeaderMap;

use super::Failure;

pub use played::PlayedCarrier;
pub use taped::TapedCarrier;

/// Bytes of an answer, as they come.
pub type Bytes = BoxStream<'static, Result<Vec<u8>, Failure>>;

/// An answer on its way.
pub struct Carried {
    pub status: u16,
    pub headers: HeaderMap,
    pub bytes: Bytes,
    /// To be told when nothing more is wanted, and how it broke off if it did. One that is dropped untold is forgotten.
    pub ending: Option<Ending>,
}

/// Is told how an answer ended.
pub type Ending = Box<dyn FnOnce(Option<&Failure>) + Send>;

fn unreached(error: &reqwest::Error) -> Failure {
    Failure::Connection(cause(error))
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
pub trait Carrier: Send + Sync {
    /// Sends a request once, and waits at most `idle` for the answer to begin; its conversation is kept on `strand`.
    async fn carry(
        &self,
        request: reqwest::Request,
        strand: &Strand,
        idle: Duration,
    ) -> Result<Carried, Failure>;
}

/// The network.
pub struct Network(pub reqwest::Client);

impl Network {
    /// As a carrier.
    #[must_use]
    pub fn carrier(client: reqwest::Client) -> Arc<dyn Carrier> {
        Arc::new(Self(client))
    }
}

#[async_trait]
impl Carrier for Network {
    async fn carry(&self, request: reqwest::Request, _: &Strand, idle: Duration) -> Result<Carried, Failure> {
        let response = tokio::time::timeout(idle, self.0.execute(request)).await;
        let response = response.map_err(|_| Failure::Stalled(idle))?.map_err(|error| unreached(&error))?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = response.bytes_stream().map(|piece| piece.map(Into::into).map_err(|_| Failure::Cut));
        Ok(Carried { status, headers, bytes: bytes.boxed(), ending: None })
    }
}
