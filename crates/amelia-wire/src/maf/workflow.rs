//! Graph workflows from files, in and out.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use amelia_core::config::problem::ProblemReport;
use amelia_core::config::workflow::{
    self as core, NodeConfig, NodeKind, Pattern, PatternDef, PatternSettings,
};
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
    /// Name of the workflow. Must match the file name.
    pub name: String,
    /// Purpose of the workflow, in a sentence. Lists show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Built-in patterns, one after the other. The nodes are then the agents of the patterns, by role.
    #[serde(default)]
    pub patterns: Vec<PatternUse>,
    /// Nodes by name.
    pub nodes: BTreeMap<String, NodeDef>,
    /// Which node follows which. A node without an outgoing edge ends the run.
    #[serde(default)]
    pub edges: Vec<EdgeDef>,
    /// The first node. Not needed with `patterns`.
    #[serde(default)]
    pub entry_point: String,
    /// Nodes that run only after your approval.
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

/// A node. Its `type` determines which other fields it can have.
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
    /// For `pattern`: the name of a pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<Pattern>,
    /// For `pattern`: agents by role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents: Option<BTreeMap<String, String>>,
    /// For the patterns `reflection` (default 3) and `debate` (default 2): the maximum number of rounds, 1 to 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// For the pattern `tot`: number of ideas for each step, 2 to 8. Default: 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branches: Option<u32>,
    /// For the pattern `tot`: number of ideas to develop further, 1 to 4. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<u32>,
    /// For the pattern `tot`: number of steps, 1 to 10. Default: 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// For `workflow`: the name of another workflow, which runs in place of this node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// For `map`: the name of a list in the state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
    /// For `map`: the node that runs for every element; `item` holds the element. It has no edges of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// For `map`: number of elements to process at the same time, 1 to 16. Default: 4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
    /// For `wait`: the number of seconds to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// For `wait`: the event to wait for. `amelia answer` reports that it has happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// Values of the state that an agent sees instead of the messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<String>,
    /// Values of the state that the node sets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
    /// Wait after the node, so that you can add a message; without one, the run continues after 24 hours.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_human_input: bool,
    /// Number of visits to this node after which the run asks you whether to continue.
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
    Pattern,
    Workflow,
    Map,
    Wait,
}

/// A pattern by its name, or with settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected the name of a pattern, or a map with `pattern` and its settings")]
pub enum PatternUse {
    Name(Pattern),
    Settings(PatternWithSettings),
}

/// A pattern with settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PatternWithSettings {
    /// Name of the pattern.
    pub pattern: Pattern,
    /// For `reflection` (default 3) and `debate` (default 2): the maximum number of rounds, 1 to 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// For `tot`: number of ideas for each step, 2 to 8. Default: 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branches: Option<u32>,
    /// For `tot`: number of ideas to develop further, 1 to 4. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<u32>,
    /// For `tot`: number of steps, 1 to 10. Default: 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
}

impl From<PatternUse> for PatternDef {
    fn from(used: PatternUse) -> Self {
        match used {
            PatternUse::Name(pattern) => Self::new(pattern, BTreeMap::new()),
            PatternUse::Settings(PatternWithSettings { pattern, rounds, branches, keep, depth }) => {
                let settings = PatternSettings { rounds, branches, keep, depth };
                Self { settings, ..Self::new(pattern, BTreeMap::new()) }
            }
        }
    }
}

impl From<PatternDef> for PatternUse {
    fn from(def: PatternDef) -> Self {
        let PatternSettings { rounds, branches, keep, depth } = def.settings;
        match def.settings == PatternSettings::default() {
            true => Self::Name(def.pattern),
            false => {
                Self::Settings(PatternWithSettings { pattern: def.pattern, rounds, branches, keep, depth })
            }
        }
    }
}

/// An edge between nodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EdgeDef {
    /// The node that the edge leaves.
    pub from: String,
    /// A node, `__end__` (the end of the workflow), or a node for each label.
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
            description: self.description,
            patterns: self.patterns.into_iter().map(Into::into).collect(),
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
            (NodeType::Pattern, "pattern", self.pattern.is_some()),
            (NodeType::Pattern, "agents", self.agents.is_some()),
            (NodeType::Pattern, "rounds", self.rounds.is_some()),
            (NodeType::Pattern, "branches", self.branches.is_some()),
            (NodeType::Pattern, "keep", self.keep.is_some()),
            (NodeType::Pattern, "depth", self.depth.is_some()),
            (NodeType::Workflow, "workflow", self.workflow.is_some()),
            (NodeType::Map, "over", self.over.is_some()),
            (NodeType::Map, "task", self.task.is_some()),
            (NodeType::Map, "concurrency", self.concurrency.is_some()),
            (NodeType::Wait, "seconds", self.seconds.is_some()),
            (NodeType::Wait, "event", self.event.is_some()),
        ];
        for (kind, field, _) in foreign.into_iter().filter(|(kind, _, given)| *given && *kind != self.kind) {
            report.refuse(field, format!("is allowed only when type is `{}`", kind.as_str()));
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
                NodeType::Pattern => {
                    if self.pattern.is_none() {
                        report.refuse("pattern", "is missing");
                    }
                    let (rounds, branches, keep, depth) = (self.rounds, self.branches, self.keep, self.depth);
                    NodeKind::Pattern(PatternDef {
                        pattern: self.pattern.unwrap_or(Pattern::React),
                        agents: self.agents.unwrap_or_default(),
                        settings: PatternSettings { rounds, branches, keep, depth },
                    })
                }
                NodeType::Workflow => NodeKind::Workflow { workflow: self.workflow.unwrap_or_default() },
                NodeType::Map => NodeKind::Map {
                    over: self.over.unwrap_or_default(),
                    task: self.task.unwrap_or_default(),
                    concurrency: self.concurrency.unwrap_or(NodeKind::DEFAULT_CONCURRENCY),
                },
                NodeType::Wait => NodeKind::Wait { seconds: self.seconds, event: self.event },
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
            Self::Pattern => "pattern",
            Self::Workflow => "workflow",
            Self::Map => "map",
            Self::Wait => "wait",
        }
    }
}

impl From<core::Workflow> for Workflow {
    fn from(core: core::Workflow) -> Self {
        Self {
            name: core.name,
            description: core.description,
            patterns: core.patterns.into_iter().map(Into::into).collect(),
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
            NodeKind::Pattern(PatternDef { pattern, agents, settings }) => {
                let PatternSettings { rounds, branches, keep, depth } = settings;
                let (pattern, agents) = (Some(pattern), (!agents.is_empty()).then_some(agents));
                Self { kind: NodeType::Pattern, pattern, agents, rounds, branches, keep, depth, ..empty }
            }
            NodeKind::Workflow { workflow } => {
                Self { kind: NodeType::Workflow, workflow: Some(workflow), ..empty }
            }
            NodeKind::Map { over, task, concurrency } => {
                let concurrency = (concurrency != NodeKind::DEFAULT_CONCURRENCY).then_some(concurrency);
                Self { kind: NodeType::Map, over: Some(over), task: Some(task), concurrency, ..empty }
            }
            NodeKind::Wait { seconds, event } => Self { kind: NodeType::Wait, seconds, event, ..empty },
        }
    }
}
