//! The port through which people look at agents, workflows, teams and guardrail policies.

use amelia_core::definition::DefinitionKind;
use amelia_orchestrator::service::ServiceError;
use amelia_wire::rest::definition::{
    AgentDetail, AgentSummary, CheckedAgent, CheckedGraph, CheckedTeam, DefinitionPlace, DefinitionProblem,
    DefinitionQuery, DefinitionText, GraphDetail, GraphSummary, PolicyDetail, PolicySummary, TeamDetail,
    TeamSummary,
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

    /// All teams, with what is wrong with each.
    async fn teams(&self, query: &DefinitionQuery) -> Result<Vec<TeamSummary>, ServiceError>;

    /// One team.
    async fn team(&self, name: &str, query: &DefinitionQuery) -> Result<TeamDetail, ServiceError>;

    /// A text, as if it were the file of the team that it names. Nothing is written.
    async fn check_team(&self, text: DefinitionText) -> Result<CheckedTeam, ServiceError>;

    /// All guardrail policies, with what is wrong with each.
    async fn policies(&self, query: &DefinitionQuery) -> Result<Vec<PolicySummary>, ServiceError>;

    /// One guardrail policy.
    async fn policy(&self, name: &str, query: &DefinitionQuery) -> Result<PolicyDetail, ServiceError>;

    /// Where a definition is that no repository hides; `None` when there is none of this name.
    async fn place_of(
        &self,
        kind: DefinitionKind,
        name: &str,
    ) -> Result<Option<DefinitionPlace>, ServiceError>;

    /// What is wrong with a text as the definition `name` that is sent to the API. Nothing is written.
    async fn check_sent(
        &self,
        kind: DefinitionKind,
        name: &str,
        text: String,
    ) -> Result<Vec<DefinitionProblem>, ServiceError>;
}
