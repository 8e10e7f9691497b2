//! What a server asks of us: little. It learns where to work, its questions to a person are passed on, and its requests
//! for a model, if its configuration allows them.

#![expect(
    deprecated,
    reason = "the servers of today log through the protocol, and ask for roots and answers"
)]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams,
    ElicitResult, ElicitationCapability, ErrorCode, FormElicitationCapability, Implementation,
    ListRootsResult, LoggingMessageNotificationParam, ProgressNotificationParam, Root, RootsCapabilities,
    SamplingCapability,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use rmcp::{ClientHandler, ErrorData};
use tokio::sync::Notify;

use crate::sampling;
use crate::server_calls::ServerCalls;
use crate::server_log::ServerLog;

/// The code of the protocol for a request that a person does not allow.
const DECLINED: i32 = -1;
const NOT_ALLOWED: &str = "this server may not use a model: `sampling: true` in its configuration allows it";

/// Our side of a connection.
#[derive(Clone)]
pub(crate) struct Handler {
    pub(crate) log: ServerLog,
    /// The server has other tools or resources now.
    pub(crate) has_changed: Arc<AtomicBool>,
    /// Where the server works, as a URI.
    pub(crate) root: Option<Arc<OfferedRoot>>,
    /// The calls whose results it owes us.
    pub(crate) calls: ServerCalls,
    /// Whether it may ask for answers of a model.
    pub(crate) may_sample: bool,
}

/// The one root of a server that belongs to a run.
pub(crate) struct OfferedRoot {
    uri: String,
    /// The server has got the notice.
    is_known: Notify,
}

impl OfferedRoot {
    /// A server usually asks for its roots right after the handshake, and refuses every path until it has them.
    const ASKED_WITHIN: Duration = Duration::from_millis(250);
    /// It looks at the directory before it accepts paths.
    const TAKEN_IN: Duration = Duration::from_millis(50);

    /// `None` for a path that no URI can name.
    pub(crate) fn of(directory: &Path) -> Option<Arc<Self>> {
        let uri = reqwest::Url::from_file_path(directory).ok()?.into();
        Some(Arc::new(Self { uri, is_known: Notify::new() }))
    }

    /// Gives the server the time to ask.
    pub(crate) async fn told(&self) {
        if tokio::time::timeout(Self::ASKED_WITHIN, self.is_known.notified()).await.is_ok() {
            tokio::time::sleep(Self::TAKEN_IN).await;
        }
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let ours = Implementation::new("amelia", env!("CARGO_PKG_VERSION"));
        let mut capabilities = ClientCapabilities::default();
        let forms = ElicitationCapability::default().with_form(FormElicitationCapability::default());
        capabilities.elicitation = Some(forms);
        capabilities.roots = self.root.is_some().then(RootsCapabilities::default);
        capabilities.sampling = self.may_sample.then(SamplingCapability::default);
        ClientConfig::new(capabilities, ours)
    }

    async fn create_message(
        &self,
        request: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let declined = |reason: String| ErrorData::new(ErrorCode(DECLINED), reason, None);
        if !self.may_sample {
            return Err(declined(NOT_ALLOWED.to_owned()));
        }
        let request = sampling::request_of(&request).map_err(declined)?;
        self.calls.sample(request).await.map(sampling::result_of).map_err(declined)
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        let Some(root) = &self.root else { return Ok(ListRootsResult::default()) };
        root.is_known.notify_one();
        Ok(ListRootsResult::new(vec![Root::new(root.uri.as_str())]))
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
