//! What carries a request: an HTTP client of ours, or the `gh` program.

use async_trait::async_trait;

use crate::exchange::{Answer, Request};
use crate::failure::Failure;

/// Carries a request, once.
#[async_trait]
pub(crate) trait Transport: Send + Sync {
    async fn carry(&self, request: &Request) -> Result<Answer, Failure>;
}
