//! One server of the pool: connected when it is needed, and again when its connection was lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use amelia_core::object::Object;
use amelia_core::tool::{ToolCx, ToolOutput};
use amelia_process::ProcessSpawner;
use parking_lot::Mutex;

use crate::connection::Connection;
use crate::failure::McpFailure;
use crate::handler::Handler;
use crate::output::output_of;
use crate::resolved_server::ResolvedServer;
use crate::server_log::ServerLog;

/// One server, connected or not.
pub(crate) struct Slot {
    server: ResolvedServer,
    handler: Handler,
    spawner: Arc<dyn ProcessSpawner>,
    /// Held while it is opened: those who come meanwhile get the same one.
    connection: tokio::sync::Mutex<Option<Arc<Connection>>>,
    listed: Mutex<Arc<Vec<rmcp::model::Tool>>>,
}

impl Slot {
    pub(crate) fn new(server: ResolvedServer, spawner: Arc<dyn ProcessSpawner>) -> Self {
        Self {
            server,
            handler: Handler { log: ServerLog::default(), has_changed: Arc::new(AtomicBool::new(true)) },
            spawner,
            connection: tokio::sync::Mutex::new(None),
            listed: Mutex::default(),
        }
    }

    pub(crate) fn owner(&self) -> &str {
        &self.server.owner
    }

    pub(crate) fn log(&self) -> Vec<String> {
        self.handler.log.lines()
    }

    /// The open connection, or a new one. One that was lost is tried again as its configuration says.
    pub(crate) async fn connection(&self) -> Result<Arc<Connection>, McpFailure> {
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
    pub(crate) async fn listed(
        &self,
        connection: &Connection,
    ) -> Result<Arc<Vec<rmcp::model::Tool>>, McpFailure> {
        if self.handler.has_changed.swap(false, Ordering::Relaxed) {
            let tools = connection.tools().await.inspect_err(|_| {
                self.handler.has_changed.store(true, Ordering::Relaxed);
            })?;
            *self.listed.lock() = Arc::new(tools);
        }
        Ok(Arc::clone(&self.listed.lock()))
    }

    pub(crate) async fn call(&self, cx: &ToolCx, tool: &str, args: &Object) -> ToolOutput {
        let made = async {
            let connection = self.connection().await?;
            connection.call(tool, args).await
        };
        let result = tokio::select! {
            biased;
            () = cx.cancel.cancelled() => Err(McpFailure::Cancelled),
            result = made => result,
        };
        match result {
            Ok(result) => output_of(&result),
            Err(failure) => {
                ToolOutput { failure: Some(failure.kind()), ..ToolOutput::failed(failure.to_string()) }
            }
        }
    }
}
