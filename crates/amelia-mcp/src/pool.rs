//! All servers of a process: each is connected when it is first needed, and again when its connection was lost.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use amelia_core::config::mcp::{McpServer, ToolOverride};
use amelia_core::object::Object;
use amelia_core::tool::{Tool, ToolCx, ToolOutput, ToolSpec};
use amelia_process::ProcessSpawner;
use parking_lot::Mutex;
use reqwest::Client;

use crate::connection::Connection;
use crate::failure::McpFailure;
use crate::handler::Handler;
use crate::output::output_of;
use crate::server_log::ServerLog;
use crate::tool::{McpTool, spec_of};

/// A server with everything that is needed to start it. Its texts may hold secrets.
#[derive(Clone)]
pub struct ResolvedServer {
    pub server: McpServer,
    /// Where its process is started.
    pub directory: Option<PathBuf>,
    /// What its process finds in its environment, beside its own `env`.
    pub vars: Vec<(OsString, OsString)>,
    /// Who its process belongs to.
    pub owner: String,
    /// For a server at a URL.
    pub client: Option<Client>,
}

impl ResolvedServer {
    /// The same servers share a connection.
    fn key(&self) -> String {
        let transport = serde_json::to_string(&self.server.transport).unwrap_or_default();
        format!("{}\n{}\n{transport}\n{:?}", self.owner, self.server.name, self.directory)
    }
}

/// What a server offers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OfferedTools {
    pub protocol: Option<String>,
    pub tools: Vec<ToolSpec>,
}

/// What is known of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerState {
    /// Not needed yet.
    Idle,
    Connected {
        protocol: Option<String>,
        tools: usize,
    },
    Failed(McpFailure),
}

/// A server of the pool, for people.
#[derive(Debug, Clone)]
pub struct ServerStatus {
    pub name: String,
    pub state: ServerState,
    /// The last lines that it wrote.
    pub log: Vec<String>,
}

/// All servers.
pub struct McpPool {
    spawner: Arc<dyn ProcessSpawner>,
    slots: Mutex<BTreeMap<String, Arc<Slot>>>,
}

impl McpPool {
    #[must_use]
    pub fn new(spawner: Arc<dyn ProcessSpawner>) -> Self {
        Self { spawner, slots: Mutex::default() }
    }

    /// Connects to a server and asks for its tools.
    pub async fn offered(
        &self,
        server: &ResolvedServer,
        overrides: &BTreeMap<String, ToolOverride>,
    ) -> Result<OfferedTools, McpFailure> {
        let slot = self.slot(server);
        let connection = slot.connection().await?;
        let listed = slot.listed(&connection).await?;
        let tools = listed.iter().map(|tool| spec_of(&server.server, tool, overrides)).collect();
        Ok(OfferedTools { protocol: connection.protocol(), tools })
    }

    /// Tools that a server was known to have. It is connected when one is called.
    pub fn tools(&self, server: &ResolvedServer, specs: Vec<ToolSpec>) -> Vec<Arc<dyn Tool>> {
        let slot = self.slot(server);
        let tool = |spec| Arc::new(McpTool { spec, slot: Arc::clone(&slot) }) as Arc<dyn Tool>;
        specs.into_iter().map(tool).collect()
    }

    /// What is known of every server.
    #[must_use]
    pub fn statuses(&self) -> Vec<ServerStatus> {
        self.slots.lock().values().map(|slot| slot.status()).collect()
    }

    /// The last lines that a server wrote.
    #[must_use]
    pub fn log(&self, server: &ResolvedServer) -> Vec<String> {
        self.slot(server).handler.log.lines()
    }

    /// Ends the servers of one owner, such as a run.
    pub fn close(&self, owner: &str) {
        self.slots.lock().retain(|_, slot| slot.server.owner != owner);
    }

    fn slot(&self, server: &ResolvedServer) -> Arc<Slot> {
        let mut slots = self.slots.lock();
        let slot = slots.entry(server.key()).or_insert_with(|| {
            Arc::new(Slot {
                server: server.clone(),
                handler: Handler { log: ServerLog::default(), has_changed: Arc::new(AtomicBool::new(true)) },
                spawner: Arc::clone(&self.spawner),
                connection: tokio::sync::Mutex::new(None),
                listed: Mutex::default(),
                state: Mutex::new(ServerState::Idle),
            })
        });
        Arc::clone(slot)
    }
}

/// One server, connected or not.
pub(crate) struct Slot {
    server: ResolvedServer,
    handler: Handler,
    spawner: Arc<dyn ProcessSpawner>,
    /// Held while it is opened: those who come meanwhile get the same one.
    connection: tokio::sync::Mutex<Option<Arc<Connection>>>,
    listed: Mutex<Arc<Vec<rmcp::model::Tool>>>,
    state: Mutex<ServerState>,
}

impl Slot {
    /// The open connection, or a new one. One that was lost is tried again as its configuration says.
    async fn connection(&self) -> Result<Arc<Connection>, McpFailure> {
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
                    *self.state.lock() = ServerState::Connected { protocol: connection.protocol(), tools: 0 };
                    return Ok(connection);
                }
                Err(failure) if tried >= attempts => {
                    *self.state.lock() = ServerState::Failed(failure.clone());
                    return Err(failure);
                }
                Err(_) => tokio::time::sleep(Duration::from_secs_f64(rules.backoff_seconds)).await,
            }
        }
    }

    /// The tools of the server, asked for again when it said that they have changed.
    async fn listed(&self, connection: &Connection) -> Result<Arc<Vec<rmcp::model::Tool>>, McpFailure> {
        if self.handler.has_changed.swap(false, Ordering::Relaxed) {
            let tools = connection.tools().await.inspect_err(|_| {
                self.handler.has_changed.store(true, Ordering::Relaxed);
            })?;
            let (protocol, count) = (connection.protocol(), tools.len());
            *self.state.lock() = ServerState::Connected { protocol, tools: count };
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

    fn status(&self) -> ServerStatus {
        ServerStatus {
            name: self.server.server.name.clone(),
            state: self.state.lock().clone(),
            log: self.handler.log.lines(),
        }
    }
}
