//! What carries a request: an HTTP client of ours, or the `gh` program.

use async_trait::async_trait;

use crate::exchange::{TrackerRequest, TrackerResponse};
use crate::failure::TrackerFailure;

/// Carries a request, once.
#[async_trait]
pub(crate) trait Transport: Send + Sync {
    async fn send(&self, request: &TrackerRequest) -> Result<TrackerResponse, TrackerFailure>;
}
