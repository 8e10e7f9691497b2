//! What the server needs to know about the machine that it runs on, beyond runs: the port through which people look at
//! repositories, issues, definitions, MCP servers, what is missing, and the server's own configuration.

use amelia_core::problem::Problem;
use amelia_core::tracker::Issue;
use amelia_orchestrator::service::ServiceError;
use amelia_wire::read::Refused;
use amelia_wire::rest::config::{ServerChange, ServerValue};
use amelia_wire::rest::doctor::{Checkup, CheckupQuery};
use amelia_wire::rest::issue::IssueQuery;
use amelia_wire::rest::repository::RepositoryLook;
use async_trait::async_trait;

use crate::definition_reader::DefinitionReader;
use crate::mcp_access::McpAccess;

/// Why the configuration was not changed.
#[derive(Debug, thiserror::Error)]
pub enum NotChanged {
    #[error("{0}")]
    Refused(#[from] Refused),
    /// The file cannot be read or written.
    #[error("{0}")]
    Broken(Problem),
}

/// The port.
#[async_trait]
pub trait Machine: DefinitionReader + McpAccess {
    /// Its name.
    fn name(&self) -> String;

    /// What is at a path, as far as it is typed. Never fails, and never takes long.
    async fn look(&self, path: &str) -> RepositoryLook;

    /// Issues of the tracker that a profile names.
    async fn issues(&self, query: &IssueQuery) -> Result<Vec<Issue>, ServiceError>;

    /// Everything that work needs in a repository, looked at.
    async fn checkup(&self, query: &CheckupQuery) -> Checkup;

    /// Every value that this server runs with, and where it came from; what must stay secret is hidden.
    async fn values(&self) -> Result<Vec<ServerValue>, ServiceError>;

    /// Writes values for the next start: all of them, or none.
    async fn change(&self, change: ServerChange) -> Result<(), NotChanged>;
}
