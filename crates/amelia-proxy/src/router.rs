//! The routes of the proxy.

use axum::Router;
use axum::routing::any;

use crate::forward::forward;
use crate::passes::Passes;

/// Everything below `/proxy`. It authenticates requests by their own tokens.
pub fn router(passes: &Passes) -> Router {
    Router::new()
        .route("/proxy", any(forward))
        .route("/proxy/{*rest}", any(forward))
        .with_state(passes.clone())
}
