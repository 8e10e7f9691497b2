//! The port through which people look at agents and workflows from files.

use amelia_orchestrator::service::ServiceError;
use amelia_wire::rest::definition::{
    AgentDetail, AgentSummary, CheckedAgent, CheckedGraph, DefinitionQuery, DefinitionText, GraphDetail,
    GraphSummary,
};
use async_trait::async_trait;

/// The port.
#[async_trait]
pub trait DefinitionReader: Send + Sync {
    /// All agents, with what is wrong with each.
    async fn agents(&self, query: &DefinitionQuery) -> Result<Vec<AgentSummary>, ServiceError>;

    /// One agent.
    async fn agent(&self, name: &str, query: &DefinitionQuery) -> Result<AgentDetail, ServiceError>;

    /// A text, as if it were the file of the agent `name`. Nothing is written.
    async fn check_agent(&self, name: &str, text: DefinitionText) -> Result<CheckedAgent, ServiceError>;

    /// All workflows, with what is wrong with each.
    async fn graphs(&self, query: &DefinitionQuery) -> Result<Vec<GraphSummary>, ServiceError>;

    /// One workflow.
    async fn defined_graph(&self, name: &str, query: &DefinitionQuery) -> Result<GraphDetail, ServiceError>;

    /// A text, as if it were the file of the workflow `name`. Nothing is written.
    async fn check_graph(&self, name: &str, text: DefinitionText) -> Result<CheckedGraph, ServiceError>;
}
