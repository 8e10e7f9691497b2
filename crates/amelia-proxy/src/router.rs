//! The routes of the proxy.

use axum::Router;
use axum::routing::any;

use crate::forward::forward;
use crate::token_registry::TokenRegistry;

/// Everything below `/proxy`. It authenticates requests by their own tokens.
pub fn router(token_registry: &TokenRegistry) -> Router {
    Router::new()
        .route("/proxy", any(forward))
        .route("/proxy/{*rest}", any(forward))
        .with_state(token_registry.clone())
}
