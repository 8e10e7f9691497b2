//! What MCP clients are answered: the port through which the server speaks their protocol without knowing it.

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::mpsc;

/// The port.
#[async_trait]
pub trait McpEndpoint: Send + Sync {
    /// Answers a message, or nothing to a notification. May be dropped at any time.
    async fn answer(&self, message: Value, notifications: &mpsc::Sender<Value>) -> Option<Value>;

    /// Whether a client may speak this version of the protocol.
    fn is_supported(&self, version: &str) -> bool;
}
