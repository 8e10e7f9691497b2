//! MCP servers that were sent to the API. They are in the store, and read from it before servers are looked for: when a run
//! is started or resumed, and when servers are listed.

use std::sync::Arc;

use amelia_core::clock::SystemClock;
use amelia_core::config::mcp::{McpConfig, McpServer};
use amelia_core::document::{DocumentKind, Documents};
use amelia_orchestrator::service::ServiceError;
use amelia_orchestrator::stored_definitions::StoredDefinitions;
use amelia_wire::maf::mcp::MCPServer;
use amelia_wire::read::read;

use super::McpServers;
use crate::error::service_error;

impl McpServers {
    /// Reads what was sent to the API. Outside of a server, from the store of the home, if it has one.
    pub async fn load_stored(&self) -> Result<(), ServiceError> {
        let documents = match &self.documents {
            Some(documents) => Arc::clone(documents),
            None if self.home.has_runs() => self.home.look().map_err(service_error)? as Arc<dyn Documents>,
            None => return Ok(()),
        };
        let definitions = StoredDefinitions::new(documents, Arc::new(SystemClock));
        let unavailable =
            |error| ServiceError::unavailable(format!("the MCP servers cannot be read: {error}"));
        let texts = definitions.all(DocumentKind::McpServer).await.map_err(unavailable)?;
        // They were checked when they were sent.
        let servers = texts.iter().filter_map(|(_, text)| serde_json::from_str(text).ok());
        *self.stored.write() = servers.filter_map(|server| read::<MCPServer>(server).ok()).collect();
        Ok(())
    }

    /// Those of the API, without the ones that a file of the home hides.
    pub fn stored_beside(&self, of_home: &McpConfig) -> Vec<McpServer> {
        let is_hidden = |server: &&McpServer| of_home.servers.iter().any(|other| other.name == server.name);
        self.stored.read().iter().filter(|server| !is_hidden(server)).cloned().collect()
    }
}
