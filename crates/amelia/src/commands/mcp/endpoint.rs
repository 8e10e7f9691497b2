//! The tools of [`RunTools`] at `/mcp` of a server: it calls itself, as every command does.

use std::sync::Arc;

use amelia_host::home::Home;
use amelia_mcp::{Handshake, McpResponder, is_supported};
use amelia_server::McpEndpoint;
use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::mpsc;

use super::run_tools::RunTools;
use crate::cli::Global;

/// The endpoint of the server of a home.
pub(in crate::commands) fn endpoint(home: &Home, global: &Global) -> Arc<dyn McpEndpoint> {
    // It is the server that is running, and starts no other.
    let global = Global { server: None, no_autostart: true, quiet: true, ..global.clone() };
    let tools = RunTools::new(home, &global, None);
    Arc::new(HttpEndpoint(McpResponder::new(Arc::new(tools), Handshake::Optional)))
}

struct HttpEndpoint(McpResponder);

#[async_trait]
impl McpEndpoint for HttpEndpoint {
    async fn answer(&self, message: Value, notifications: &mpsc::Sender<Value>) -> Option<Value> {
        self.0.answer(message, notifications).await
    }

    fn is_supported(&self, version: &str) -> bool {
        is_supported(version)
    }
}
