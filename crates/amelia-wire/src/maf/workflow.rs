//! Graph workflows from files, in and out.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use amelia_core::config::problem::ProblemReport;
use amelia_core::config::workflow::{self as core, NodeConfig, NodeKind, Pattern};
use amelia_core::message::Object;
use amelia_yaml::schema::schema_of;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::read::Incoming;

/// A workflow: nodes, the edges between them, and the first node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Workflow {
    /// Name of the workflow, the same as that of the file.
    pub name: String,
    /// Not supported yet: write nodes and edges instead.
    #[serde(default)]
    pub patterns: Vec<Pattern>,
    /// Nodes by name.
    pub nodes: BTreeMap<String, NodeDef>,
    /// Which node follows which. A node without an outgoing edge ends the run.
    #[serde(default)]
    pub edges: Vec<EdgeDef>,
    /// The first node.
    pub entry_point: String,
    /// Nodes that run only after you approve it.
    #[serde(default)]
    pub checkpoints: Vec<String>,
    /// Number of node visits after which the run asks you whether to continue, 1 to 1000. Default: 50.
    #[serde(default = "fifty")]
    pub max_iterations: u32,
}

/// The schema of a workflow file.
#[must_use]
pub fn workflow_schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| schema_of::<Workflow>("Amelia workflow"))
}

fn fifty() -> u32 {
    core::Workflow::DEFAULT_MAX_ITERATIONS
}

/// A node. Its `type` decides which other fields it may have.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeDef {
    /// What the node does.
    #[serde(rename = "type")]
    pub kind: NodeType,
    /// For `agent`: the name of an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// For `tool`: the name of a tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// For `tool`: its arguments. Strings are templates, such as `{{ state.topic }}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Object>,
    /// For `human`: the question, as a template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// For `parallel`: nodes to run at the same time. They have no edges of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_tasks: Option<Vec<String>>,
    /// Values of the state that an agent sees instead of the messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<String>,
    /// Values of the state that the node sets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
    /// Not supported yet: use a `human` node.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_human_input: bool,
    /// Number of visits to this node after which the run asks you.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<u32>,
    #[serde(default, skip_serializing_if = "NodeConfig::is_default")]
    pub config: NodeConfig,
}

/// What a node does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeType {
    Agent,
    Tool,
    #[default]
    Condition,
    Human,
    Parallel,
}

/// An edge between nodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EdgeDef {
    /// The node that the edge leaves.
    pub from: String,
    /// A node, `__end__`, or a node for each label.
    pub to: Target,
    /// A CEL expression over the state: true, false, or a label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
}

same_fields!(EdgeDef = core::EdgeDef { from, to, condition });

/// A node, or a map from labels to nodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected the name of a node, or a map from labels to nodes")]
pub enum Target {
    Node(String),
    Choice(BTreeMap<String, String>),
}

impl From<core::EdgeTarget> for Target {
    fn from(target: core::EdgeTarget) -> Self {
        match target {
            core::EdgeTarget::Node(node) => Self::Node(node),
            core::EdgeTarget::Choice(labels) => Self::Choice(labels),
        }
    }
}

impl From<Target> for core::EdgeTarget {
    fn from(target: Target) -> Self {
        match target {
            Target::Node(node) => Self::Node(node),
            Target::Choice(labels) => Self::Choice(labels),
        }
    }
}

impl Incoming for Workflow {
    type Core = core::Workflow;

    fn into_core(self, report: &mut ProblemReport) -> core::Workflow {
        let nodes = self.nodes.into_iter().map(|(name, node)| {
            let node = report.within(format_args!("nodes.{name}"), |report| node.into_core(report));
            (name, node)
        });
        core::Workflow {
            nodes: nodes.collect(),
            name: self.name,
            patterns: self.patterns,
            edges: self.edges.into_iter().map(Into::into).collect(),
            entry_point: self.entry_point,
            checkpoints: self.checkpoints,
            max_iterations: self.max_iterations,
        }
    }
}

impl NodeDef {
    fn into_core(self, report: &mut ProblemReport) -> core::NodeDef {
        let foreign = [
            (NodeType::Agent, "agent", self.agent.is_some()),
            (NodeType::Tool, "tool", self.tool.is_some()),
            (NodeType::Tool, "arguments", self.arguments.is_some()),
            (NodeType::Human, "prompt", self.prompt.is_some()),
            (NodeType::Parallel, "parallel_tasks", self.parallel_tasks.is_some()),
        ];
        for (kind, field, _) in foreign.into_iter().filter(|(kind, _, given)| *given && *kind != self.kind) {
            report.refuse(field, format!("is possible only when type is `{}`", kind.as_str()));
        }
        core::NodeDef {
            kind: match self.kind {
                NodeType::Agent => NodeKind::Agent { agent: self.agent.unwrap_or_default() },
                NodeType::Tool => NodeKind::Tool {
                    tool: self.tool.unwrap_or_default(),
                    arguments: self.arguments.unwrap_or_default(),
                },
                NodeType::Condition => NodeKind::Condition,
                NodeType::Human => NodeKind::Human { prompt: self.prompt },
                NodeType::Parallel => {
                    NodeKind::Parallel { parallel_tasks: self.parallel_tasks.unwrap_or_default() }
                }
            },
            inputs: self.inputs,
            outputs: self.outputs,
            allow_human_input: self.allow_human_input,
            max_iterations: self.max_iterations,
            config: self.config,
        }
    }
}

impl NodeType {
    fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Tool => "tool",
            Self::Condition => "condition",
            Self::Human => "human",
            Self::Parallel => "parallel",
        }
    }
}

impl From<core::Workflow> for Workflow {
    fn from(core: core::Workflow) -> Self {
        Self {
            name: core.name,
            patterns: core.patterns,
            nodes: core.nodes.into_iter().map(|(name, node)| (name, node.into())).collect(),
            edges: core.edges.into_iter().map(Into::into).collect(),
            entry_point: core.entry_point,
            checkpoints: core.checkpoints,
            max_iterations: core.max_iterations,
        }
    }
}

impl From<core::NodeDef> for NodeDef {
    fn from(node: core::NodeDef) -> Self {
        let empty = Self {
            inputs: node.inputs,
            outputs: node.outputs,
            allow_human_input: node.allow_human_input,
            max_iterations: node.max_iterations,
            config: node.config,
            ..Self::default()
        };
        match node.kind {
            NodeKind::Agent { agent } => Self { kind: NodeType::Agent, agent: Some(agent), ..empty },
            NodeKind::Tool { tool, arguments } => Self {
                kind: NodeType::Tool,
                tool: Some(tool),
                arguments: (!arguments.is_empty()).then_some(arguments),
                ..empty
            },
            NodeKind::Condition => Self { kind: NodeType::Condition, ..empty },
            NodeKind::Human { prompt } => Self { kind: NodeType::Human, prompt, ..empty },
            NodeKind::Parallel { parallel_tasks } => {
                let tasks = (!parallel_tasks.is_empty()).then_some(parallel_tasks);
                Self { kind: NodeType::Parallel, parallel_tasks: tasks, ..empty }
            }
        }
    }
}
