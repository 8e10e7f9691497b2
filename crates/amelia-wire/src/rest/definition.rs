//! Agents, workflows, teams and guardrail policies: from files, and sent to the API.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

/// `GET /agents`, `GET /graphs`, `GET /teams`
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DefinitionQuery {
    /// Any directory inside a repository, as an absolute path or one that begins with `~`. Without it, only the files in
    /// the home are read.
    pub worktree_path: Option<String>,
}

/// `POST …/validate`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct DefinitionText {
    /// YAML or JSON. It is not stored.
    pub text: String,
    /// Any directory inside a repository. Names of agents and workflows are looked up there, then in the home.
    #[serde(default)]
    pub worktree_path: Option<String>,
}

/// Where a definition is found. A file in a repository replaces one with the same name in the home, and both replace one
/// that was sent to the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum DefinitionOrigin {
    Repository,
    Home,
    /// Not a file.
    Api,
}

/// The file of a definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct DefinitionPlace {
    pub name: String,
    pub source: DefinitionOrigin,
    /// Path of the file; `api:teams/NAME` for a team that was sent to the API, and the same for other kinds.
    pub path: String,
}

/// A problem in a definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct DefinitionProblem {
    /// Path of another file that has the problem, such as that of an agent; `null` if it is the definition itself.
    #[schema(required)]
    pub file: Option<String>,
    /// Starts at 1, like `column`.
    pub line: u64,
    pub column: u64,
    /// Field, such as `nodes.write.agent`; empty for the file as a whole.
    pub path: String,
    pub message: String,
}

/// An agent, checked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CheckedAgent {
    pub problems: Vec<DefinitionProblem>,
    /// Role of the agent; `null` if there are problems.
    #[schema(required)]
    pub description: Option<String>,
    /// The agent with all its fields; `null` if there are problems.
    #[schema(required)]
    pub definition: Option<Value>,
}

/// A workflow, checked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CheckedGraph {
    pub problems: Vec<DefinitionProblem>,
    #[schema(required)]
    pub description: Option<String>,
    /// Values that nodes and conditions read and that no node sets.
    pub inputs: Vec<String>,
    /// The workflow with all its fields, such as `nodes` and `edges`; `null` if there are problems.
    #[schema(required)]
    pub definition: Option<Value>,
    /// Nodes and edges for drawing, as in `GET /workflows/{id}/graph`; `null` if there are problems.
    #[schema(required)]
    pub graph: Option<Value>,
}

/// An agent in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AgentSummary {
    #[serde(flatten)]
    pub place: DefinitionPlace,
    #[serde(flatten)]
    pub checked: CheckedAgent,
}

/// An agent with the text of its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AgentDetail {
    #[serde(flatten)]
    pub summary: AgentSummary,
    pub text: String,
}

/// A workflow in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GraphSummary {
    #[serde(flatten)]
    pub place: DefinitionPlace,
    #[serde(flatten)]
    pub checked: CheckedGraph,
}

/// A workflow with the text of its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GraphDetail {
    #[serde(flatten)]
    pub summary: GraphSummary,
    pub text: String,
}

/// A team, checked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CheckedTeam {
    pub problems: Vec<DefinitionProblem>,
    /// What is valid, but has no effect or is not supported yet. `line` and `column` refer to the file as a whole.
    pub notes: Vec<DefinitionProblem>,
    #[schema(required)]
    pub description: Option<String>,
    /// The team with all its fields and the text of its templates; `null` if there are problems.
    #[schema(required)]
    pub definition: Option<Value>,
    /// Nodes and edges for drawing, as in `GET /workflows/{id}/graph`; `null` if there are problems, or if the team has parts that
    /// are not supported yet.
    #[schema(required)]
    pub graph: Option<Value>,
}

/// A team in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TeamSummary {
    #[serde(flatten)]
    pub place: DefinitionPlace,
    #[serde(flatten)]
    pub checked: CheckedTeam,
}

/// A team with the text of its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TeamDetail {
    #[serde(flatten)]
    pub summary: TeamSummary,
    pub text: String,
}

/// A guardrail policy, checked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CheckedPolicy {
    pub problems: Vec<DefinitionProblem>,
    /// The policy with all its fields; `null` if there are problems.
    #[schema(required)]
    pub definition: Option<Value>,
}

/// A guardrail policy in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PolicySummary {
    #[serde(flatten)]
    pub place: DefinitionPlace,
    #[serde(flatten)]
    pub checked: CheckedPolicy,
}

/// A guardrail policy with the text of its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PolicyDetail {
    #[serde(flatten)]
    pub summary: PolicySummary,
    pub text: String,
}
