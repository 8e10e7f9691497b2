//! What a server asks of us: little. Its questions to a person are declined, its requests for a model refused.

#![expect(deprecated, reason = "the servers of today log through the protocol")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, Implementation, LoggingMessageNotificationParam,
    ProgressNotificationParam,
};
use rmcp::service::{NotificationContext, RoleClient};

use crate::server_log::ServerLog;

/// Our side of a connection.
#[derive(Clone)]
pub(crate) struct Handler {
    pub(crate) log: ServerLog,
    /// The server has other tools now.
    pub(crate) has_changed: Arc<AtomicBool>,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let ours = Implementation::new("amelia", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), ours)
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.has_changed.store(true, Ordering::Relaxed);
    }

    async fn on_logging_message(
        &self,
        message: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let text = message.data.as_str().map_or_else(|| message.data.to_string(), str::to_owned);
        self.log.push(&text);
    }

    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        if let Some(message) = &progress.message {
            self.log.push(message);
        }
    }
}
