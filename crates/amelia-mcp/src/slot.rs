//! One server of the pool: connected when it is needed, and again when its connection was lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use amelia_core::object::Object;
use amelia_core::tool::{ToolCx, ToolOutput};
use amelia_process::ProcessSpawner;
use parking_lot::Mutex;
use rmcp::model::{CallToolResult, ContentBlock, Tool};
use serde_json::Value;

use crate::connection::Connection;
use crate::failure::McpFailure;
use crate::handler::{Handler, OfferedRoot};
use crate::linked::LinkedResources;
use crate::output::output_of;
use crate::resolved_server::ResolvedServer;
use crate::resources::{OfferedResources, READ_RESOURCE, URI};
use crate::server_calls::ServerCalls;
use crate::server_log::ServerLog;

/// One server, connected or not.
pub(crate) struct Slot {
    server: ResolvedServer,
    handler: Handler,
    spawner: Arc<dyn ProcessSpawner>,
    /// Held while it is opened: those who come meanwhile get the same one.
    connection: tokio::sync::Mutex<Option<Arc<Connection>>>,
    /// As they were when they were last asked for.
    listed: Mutex<Option<Arc<ListedTools>>>,
    /// Why the last attempt to connect came to nothing.
    failure: Mutex<Option<String>>,
}

/// The tools of a server.
#[derive(Default)]
pub(crate) struct ListedTools {
    pub(crate) tools: Vec<Tool>,
    /// The last of them is ours, and reads these.
    resources: Option<OfferedResources>,
}

/// Whether there is a connection to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionStatus {
    NotConnected,
    Connecting,
    Connected,
    /// The last attempt failed.
    Failed(String),
}

impl Slot {
    pub(crate) fn new(server: ResolvedServer, spawner: Arc<dyn ProcessSpawner>) -> Self {
        let calls = ServerCalls::of(&server.server.name);
        let (log, has_changed) = (ServerLog::default(), Arc::new(AtomicBool::new(true)));
        let root = server.root.as_deref().and_then(OfferedRoot::of);
        let may_sample = server.server.sampling;
        Self {
            server,
            handler: Handler { log, has_changed, root, calls, may_sample },
            spawner,
            connection: tokio::sync::Mutex::new(None),
            listed: Mutex::default(),
            failure: Mutex::default(),
        }
    }

    /// What is known without asking the server.
    pub(crate) fn status(&self) -> ConnectionStatus {
        let Ok(open) = self.connection.try_lock() else { return ConnectionStatus::Connecting };
        match (open.as_ref(), self.failure.lock().clone()) {
            (_, Some(failure)) => ConnectionStatus::Failed(failure),
            (Some(connection), None) if !connection.is_closed() => ConnectionStatus::Connected,
            (Some(_) | None, None) => ConnectionStatus::NotConnected,
        }
    }

    /// The tools that it had when they were last asked for.
    pub(crate) fn known_tools(&self) -> Option<Arc<ListedTools>> {
        self.listed.lock().clone()
    }

    pub(crate) fn owner(&self) -> &str {
        &self.server.owner
    }

    pub(crate) fn log(&self) -> Vec<String> {
        self.handler.log.lines()
    }

    /// The open connection, or a new one. One that was lost is tried again as its configuration says.
    pub(crate) async fn connection(&self) -> Result<Arc<Connection>, McpFailure> {
        let connection = self.connected().await;
        *self.failure.lock() = connection.as_ref().err().map(ToString::to_string);
        connection
    }

    /// The connection, if there is one.
    pub(crate) async fn open_connection(&self) -> Option<Arc<Connection>> {
        let open = self.connection.lock().await;
        open.as_ref().filter(|connection| !connection.is_closed()).map(Arc::clone)
    }

    async fn connected(&self) -> Result<Arc<Connection>, McpFailure> {
        let mut open = self.connection.lock().await;
        if let Some(connection) = open.as_ref().filter(|connection| !connection.is_closed()) {
            return Ok(Arc::clone(connection));
        }
        let rules = self.server.server.auto_reconnect;
        let was_open = open.is_some();
        if was_open && !rules.enabled {
            let reason = "it has ended, and auto_reconnect is off".to_owned();
            return Err(McpFailure::Lost { server: self.server.server.name.clone(), reason });
        }
        let attempts = if was_open { rules.max_attempts.max(1) } else { 1 };
        let mut tried = 0;
        loop {
            tried += 1;
            self.handler.has_changed.store(true, Ordering::Relaxed);
            let opened = Connection::open(&self.server, &self.handler, &*self.spawner).await;
            match opened {
                Ok(connection) => {
                    let connection = Arc::new(connection);
                    *open = Some(Arc::clone(&connection));
                    return Ok(connection);
                }
                Err(failure) if tried >= attempts => {
                    return Err(failure);
                }
                Err(_) => tokio::time::sleep(Duration::from_secs_f64(rules.backoff_seconds)).await,
            }
        }
    }

    /// The tools of the server, asked for again when it said that they have changed.
    pub(crate) async fn listed(&self, connection: &Connection) -> Result<Arc<ListedTools>, McpFailure> {
        let has_changed = self.handler.has_changed.swap(false, Ordering::Relaxed);
        if let Some(tools) = self.known_tools().filter(|_| !has_changed) {
            return Ok(tools);
        }
        let tools = connection.tools().await.inspect_err(|_| {
            self.handler.has_changed.store(true, Ordering::Relaxed);
        })?;
        let listed = Arc::new(with_resources(tools, connection).await);
        *self.listed.lock() = Some(Arc::clone(&listed));
        Ok(listed)
    }

    /// Makes a call, or answers it from what the server offers to be read.
    async fn made(
        &self,
        connection: &Connection,
        tool: &str,
        args: &Object,
    ) -> Result<CallToolResult, McpFailure> {
        if tool != READ_RESOURCE {
            return connection.call(tool, args).await;
        }
        let listed = self.listed(connection).await?;
        match (&listed.resources, args.get(URI).and_then(Value::as_str)) {
            (None, _) => connection.call(tool, args).await,
            (Some(resources), None) => {
                Ok(CallToolResult::success(vec![ContentBlock::text(resources.lines().join("\n"))]))
            }
            (Some(_), Some(uri)) => {
                let contents = connection.resource(uri).await?;
                Ok(CallToolResult::success(contents.into_iter().map(ContentBlock::resource).collect()))
            }
        }
    }

    pub(crate) async fn call(&self, cx: &ToolCx, tool: &str, args: &Object) -> ToolOutput {
        let open = self.handler.calls.begin(cx);
        let made = async {
            let connection = self.connection().await?;
            let result = self.made(&connection, tool, args).await?;
            let linked = match &cx.keep {
                Some(_) => LinkedResources::read(&connection, &result).await,
                None => LinkedResources::default(),
            };
            Ok::<_, McpFailure>((result, linked))
        };
        let result = tokio::select! {
            biased;
            () = cx.cancel.cancelled() => Err(McpFailure::Cancelled),
            result = made => result,
        };
        let mut output = match result {
            Ok((result, linked)) => output_of(&result, &linked, cx.keep.as_ref()),
            Err(failure) => {
                ToolOutput { failure: Some(failure.kind()), ..ToolOutput::failed(failure.to_string()) }
            }
        };
        for note in open.declined() {
            output.output.push_str(&format!("\n{note}"));
        }
        output
    }
}

/// The tools of a server, and one that reads its resources, if it has some and no tool of that name.
async fn with_resources(mut tools: Vec<Tool>, connection: &Connection) -> ListedTools {
    if tools.iter().any(|tool| tool.name == READ_RESOURCE) {
        return ListedTools { tools, resources: None };
    }
    let resources = connection.resources().await;
    if resources.is_empty() {
        return ListedTools { tools, resources: None };
    }
    tools.push(resources.tool());
    ListedTools { tools, resources: Some(resources) }
}
