//! What a server asks of us: little. Its questions to a person are passed on, its requests for a model refused.

#![expect(deprecated, reason = "the servers of today log through the protocol")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationCapability,
    FormElicitationCapability, Implementation, LoggingMessageNotificationParam, ProgressNotificationParam,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use rmcp::{ClientHandler, ErrorData};

use crate::server_calls::ServerCalls;
use crate::server_log::ServerLog;

/// Our side of a connection.
#[derive(Clone)]
pub(crate) struct Handler {
    pub(crate) log: ServerLog,
    /// The server has other tools or resources now.
    pub(crate) has_changed: Arc<AtomicBool>,
    /// The calls whose results it owes us.
    pub(crate) calls: ServerCalls,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let ours = Implementation::new("amelia", env!("CARGO_PKG_VERSION"));
        let mut capabilities = ClientCapabilities::default();
        let forms = ElicitationCapability::default().with_form(FormElicitationCapability::default());
        capabilities.elicitation = Some(forms);
        ClientConfig::new(capabilities, ours)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(self.calls.elicit(request))
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.has_changed.store(true, Ordering::Relaxed);
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
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
