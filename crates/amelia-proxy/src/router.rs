//! The routes of the proxy.

use axum::Router;
use axum::routing::any;

use crate::forward::forward;
use crate::passes::Passes;

/// What is served: everything below `/proxy`, whoever asks. Has its own rule of who is let in.
pub fn router(passes: &Passes) -> Router {
    Router::new()
        .route("/proxy", any(forward))
        .route("/proxy/{*rest}", any(forward))
        .with_state(passes.clone())
}
