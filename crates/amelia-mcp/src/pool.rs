//! All servers of a process: each is connected when it is first needed, and again when its connection was lost.

use std::collections::BTreeMap;
use std::sync::Arc;

use amelia_core::config::mcp::ToolOverride;
use amelia_core::tool::{Tool, ToolSpec};
use amelia_process::ProcessSpawner;
use parking_lot::Mutex;

use crate::failure::McpFailure;
use crate::resolved_server::ResolvedServer;
use crate::slot::{ConnectionStatus, Slot};
use crate::tool::{McpTool, spec_of};

/// What a server offers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OfferedTools {
    pub protocol: Option<String>,
    pub tools: Vec<ToolSpec>,
}

/// What is known of a server without asking it.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerState {
    pub status: ConnectionStatus,
    /// The tools that it had when they were last asked for.
    pub tools: Option<Vec<ToolSpec>>,
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
        let tools = listed.tools.iter().map(|tool| spec_of(&server.server, tool, overrides)).collect();
        Ok(OfferedTools { protocol: connection.protocol(), tools })
    }

    /// The tools that a connected server has now. `None` when it is not connected: then it has said nothing.
    pub async fn current(
        &self,
        server: &ResolvedServer,
        overrides: &BTreeMap<String, ToolOverride>,
    ) -> Option<Vec<ToolSpec>> {
        let slot = self.slots.lock().get(&server.key()).cloned()?;
        let connection = slot.open_connection().await?;
        let listed = slot.listed(&connection).await.ok()?;
        Some(listed.tools.iter().map(|tool| spec_of(&server.server, tool, overrides)).collect())
    }

    /// Tools that a server was known to have. It is connected when one is called.
    pub fn tools(&self, server: &ResolvedServer, specs: Vec<ToolSpec>) -> Vec<Arc<dyn Tool>> {
        let slot = self.slot(server);
        let tool = |spec| Arc::new(McpTool { spec, slot: Arc::clone(&slot) }) as Arc<dyn Tool>;
        specs.into_iter().map(tool).collect()
    }

    /// What is known of a server. Starts nothing.
    #[must_use]
    pub fn state(&self, server: &ResolvedServer, overrides: &BTreeMap<String, ToolOverride>) -> ServerState {
        let slot = self.slots.lock().get(&server.key()).cloned();
        let Some(slot) = slot else {
            return ServerState { status: ConnectionStatus::NotConnected, tools: None, log: Vec::new() };
        };
        let spec = |tool: &rmcp::model::Tool| spec_of(&server.server, tool, overrides);
        let tools = slot.known_tools().map(|listed| listed.tools.iter().map(spec).collect());
        ServerState { status: slot.status(), tools, log: slot.log() }
    }

    /// Ends the servers of one owner, such as a run.
    pub fn close(&self, owner: &str) {
        self.slots.lock().retain(|_, slot| slot.owner() != owner);
    }

    pub(crate) fn slot(&self, server: &ResolvedServer) -> Arc<Slot> {
        let mut slots = self.slots.lock();
        let slot = slots
            .entry(server.key())
            .or_insert_with(|| Arc::new(Slot::new(server.clone(), Arc::clone(&self.spawner))));
        Arc::clone(slot)
    }
}
