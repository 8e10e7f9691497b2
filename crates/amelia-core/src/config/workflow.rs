//! A graph as a person writes it in a file: nodes, edges, where to begin. Data and its rules; it is compiled
//! to a graph of the engine elsewhere. Expressions are only carried here, not parsed.

mod pattern;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::problem::{KnownNames, ProblemReport, Validate};
use crate::object::Object;

pub use pattern::{Pattern, PatternDef, PatternSettings};

/// The name that edges use for the end of the graph.
pub const END: &str = "__end__";

/// The longest time that a node waits: a year.
const MAX_WAIT_SECONDS: u64 = 366 * 24 * 60 * 60;

/// Nodes, edges, and where to begin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Workflow {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Ready-made sub-graphs, in sequence; the nodes are then the agents that take part, and have no edges.
    #[serde(default)]
    pub patterns: Vec<PatternDef>,
    pub nodes: BTreeMap<String, NodeDef>,
    pub edges: Vec<EdgeDef>,
    pub entry_point: String,
    /// Nodes before which a person is asked.
    #[serde(default)]
    pub checkpoints: Vec<String>,
    #[serde(default = "default_max_iterations")]
    pub max_iterations: u32,
}

impl Workflow {
    /// Node visits of a run by default.
    pub const DEFAULT_MAX_ITERATIONS: u32 = 50;
}

fn default_max_iterations() -> u32 {
    Workflow::DEFAULT_MAX_ITERATIONS
}

/// One node: what it does, and what it needs and makes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeDef {
    pub kind: NodeKind,
    /// Names in the state that it reads; with `outputs` they decide what may run side by side.
    #[serde(default)]
    pub inputs: Vec<String>,
    #[serde(default)]
    pub outputs: Vec<String>,
    #[serde(default)]
    pub allow_human_input: bool,
    #[serde(default)]
    pub max_iterations: Option<u32>,
    #[serde(default, skip_serializing_if = "NodeConfig::is_default")]
    pub config: NodeConfig,
}

/// Advanced settings of a node.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeConfig {
    #[serde(default)]
    pub join: JoinRule,
    /// For `tool`: what happens when the call fails.
    #[serde(default)]
    pub on_failure: FailureRule,
}

/// What happens when the call of a tool node fails.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureRule {
    /// The run fails and keeps its position.
    #[default]
    Fail,
    /// The run continues; `routing_key` is `success` or `failure`.
    Continue,
}

impl NodeConfig {
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// How many times a node runs when several parallel branches lead to it.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JoinRule {
    /// Once, when all branches have arrived.
    #[default]
    All,
    /// Once for each branch.
    Any,
}

/// What a node does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    Agent {
        agent: String,
    },
    Tool {
        tool: String,
        arguments: Object,
    },
    Condition,
    Human {
        prompt: Option<String>,
    },
    Parallel {
        parallel_tasks: Vec<String>,
    },
    /// A ready-made sub-graph.
    Pattern(PatternDef),
    /// Another workflow, in the place of this node.
    Workflow {
        workflow: String,
    },
    /// A task for every element of a list in the state.
    Map {
        over: String,
        task: String,
        concurrency: u32,
    },
    /// Until a time, or until someone says that an event has happened.
    Wait {
        seconds: Option<u64>,
        event: Option<String>,
    },
}

impl NodeKind {
    /// Elements of a `map` that are worked on at the same time.
    pub const DEFAULT_CONCURRENCY: u32 = 4;

    /// Nodes that this one runs. They have no edges of their own.
    #[must_use]
    pub fn tasks(&self) -> &[String] {
        match self {
            Self::Parallel { parallel_tasks } => parallel_tasks,
            Self::Map { task, .. } => std::slice::from_ref(task),
            _ => &[],
        }
    }

    /// The agents that this node asks, each with the path of its field.
    #[must_use]
    pub fn agents(&self) -> Vec<(String, &str)> {
        match self {
            Self::Agent { agent } => vec![("agent".to_owned(), agent.as_str())],
            Self::Pattern(pattern) => {
                let agents = pattern.agents.iter();
                agents.map(|(role, agent)| (format!("agents.{role}"), agent.as_str())).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// A connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeDef {
    pub from: String,
    pub to: EdgeTarget,
    /// An expression over the state: whether the edge is taken, or which label.
    #[serde(default)]
    pub condition: Option<String>,
}

/// Where an edge leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeTarget {
    Node(String),
    /// By label.
    Choice(BTreeMap<String, String>),
}

impl EdgeTarget {
    /// Every node it may lead to.
    pub fn nodes(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        match self {
            Self::Node(node) => Box::new(std::iter::once(node.as_str())),
            Self::Choice(labels) => Box::new(labels.values().map(String::as_str)),
        }
    }
}

impl Validate for Workflow {
    fn check(&self, report: &mut ProblemReport) {
        report.filled("name", &self.name);
        if self.nodes.is_empty() {
            report.refuse("nodes", "must not be empty");
        }
        if self.nodes.contains_key(END) {
            report.refuse(format_args!("nodes.{END}"), "is reserved for the end");
        }
        let names: BTreeSet<&str> = self.nodes.keys().map(String::as_str).collect();
        for (name, node) in &self.nodes {
            report.within(format_args!("nodes.{name}"), |report| node.check(&names, report));
        }
        for (index, edge) in self.edges.iter().enumerate() {
            report.within(format_args!("edges[{index}]"), |report| edge.check(&names, report));
        }
        if self.is_made_of_patterns() {
            self.check_patterns(report);
        } else if self.entry_point.is_empty() {
            report.refuse("entry_point", "is missing");
        } else {
            report.known("entry_point", "node", &self.entry_point, &names);
        }
        let described = self.patterns.iter().enumerate().filter(|_| !self.edges.is_empty());
        for (index, pattern) in
            described.filter(|(_, pattern)| pattern.settings != PatternSettings::default())
        {
            let name = pattern.pattern.name();
            report.refuse(
                format_args!("patterns[{index}]"),
                format!("settings of `{name}` are not allowed in a file with edges: use a node with `type: pattern`"),
            );
        }
        for (index, node) in self.checkpoints.iter().enumerate() {
            report.known(format_args!("checkpoints[{index}]"), "node", node, &names);
        }
        report.unique("checkpoints", "", self.checkpoints.iter().map(String::as_str));
        report.range("max_iterations", &self.max_iterations, &(1..=1000));
        self.check_shape(&names, report);
    }
}

impl Workflow {
    /// Reports agents and tools that do not exist.
    pub fn check_references(&self, known: &KnownNames<'_>, report: &mut ProblemReport) {
        for (name, node) in &self.nodes {
            for (field, agent) in node.kind.agents() {
                report.known(format_args!("nodes.{name}.{field}"), "agent", agent, &known.agents);
            }
            match &node.kind {
                NodeKind::Tool { tool, .. } => {
                    known.check_tool(format_args!("nodes.{name}.tool"), tool, report);
                }
                NodeKind::Workflow { workflow } => {
                    let field = format_args!("nodes.{name}.workflow");
                    report.known(field, "workflow", workflow, &known.workflows);
                }
                _ => {}
            }
        }
    }

    /// Whether `patterns` says what follows what, and nodes are who takes part. In a file with edges it is only a
    /// description, as the framework has it.
    #[must_use]
    pub fn is_made_of_patterns(&self) -> bool {
        !self.patterns.is_empty() && self.edges.is_empty()
    }

    fn check_patterns(&self, report: &mut ProblemReport) {
        report.list("patterns", &self.patterns);
        let others = [
            ("checkpoints", self.checkpoints.is_empty()),
            ("entry_point", self.entry_point.is_empty() || self.nodes.contains_key(&self.entry_point)),
        ];
        for (field, _) in others.into_iter().filter(|(_, is_fine)| !is_fine) {
            report
                .refuse(field, "cannot be combined with `patterns`: use nodes with `type: pattern` instead");
        }
        for (name, node) in &self.nodes {
            if *node != NodeDef::new(node.kind.clone()) || !matches!(node.kind, NodeKind::Agent { .. }) {
                report.refuse(
                    format_args!("nodes.{name}"),
                    "must be an agent without other settings, because `patterns` decides what it does",
                );
            }
        }
    }

    fn check_shape(&self, names: &BTreeSet<&str>, report: &mut ProblemReport) {
        if !self.is_made_of_patterns() && names.contains(self.entry_point.as_str()) {
            let reached = self.reachable();
            for name in names.difference(&reached) {
                report.refuse(format_args!("nodes.{name}"), "is never reached");
            }
        }
        if let Some(cycle) = self.plain_cycle() {
            report.refuse(
                "edges",
                format!("{} is a cycle without a condition and would never end", cycle.join(" → ")),
            );
        }
    }

    fn reachable(&self) -> BTreeSet<&str> {
        let mut reached = BTreeSet::new();
        let mut next = vec![self.entry_point.as_str()];
        while let Some(node) = next.pop() {
            if !reached.insert(node) {
                continue;
            }
            next.extend(self.edges.iter().filter(|edge| edge.from == node).flat_map(|edge| edge.to.nodes()));
            let tasks = self.nodes.get(node).map_or(&[][..], |node| node.kind.tasks());
            next.extend(tasks.iter().map(String::as_str));
        }
        reached
    }

    /// A cycle that nothing can leave, if there is one, as the path that closes it.
    fn plain_cycle(&self) -> Option<Vec<String>> {
        let mut edges: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for edge in self.edges.iter().filter(|edge| !self.is_choice(edge)) {
            edges.entry(edge.from.as_str()).or_default().extend(edge.to.nodes());
        }
        super::problem::find_cycle(&edges)
    }

    /// Whether the node that an edge leaves has another way: then the edge may lead back.
    fn is_choice(&self, edge: &EdgeDef) -> bool {
        let has_condition =
            |edge: &EdgeDef| edge.condition.is_some() || matches!(edge.to, EdgeTarget::Choice(_));
        self.edges.iter().filter(|other| other.from == edge.from).any(has_condition)
    }
}

impl NodeDef {
    /// A node that only does `kind`.
    #[must_use]
    pub fn new(kind: NodeKind) -> Self {
        Self {
            kind,
            inputs: Vec::new(),
            outputs: Vec::new(),
            allow_human_input: false,
            max_iterations: None,
            config: NodeConfig::default(),
        }
    }

    fn check(&self, names: &BTreeSet<&str>, report: &mut ProblemReport) {
        match &self.kind {
            NodeKind::Agent { agent } => report.filled("agent", agent),
            NodeKind::Tool { tool, .. } => report.filled("tool", tool),
            NodeKind::Condition | NodeKind::Human { .. } => {}
            NodeKind::Parallel { parallel_tasks } => {
                for (index, task) in parallel_tasks.iter().enumerate() {
                    report.known(format_args!("parallel_tasks[{index}]"), "node", task, names);
                }
            }
            NodeKind::Pattern(pattern) => {
                pattern.check(report);
                pattern.check_roles(report);
            }
            NodeKind::Workflow { workflow } => report.filled("workflow", workflow),
            NodeKind::Map { over, task, concurrency } => {
                report.filled("over", over);
                report.known("task", "node", task, names);
                report.range("concurrency", concurrency, &(1..=16));
            }
            NodeKind::Wait { seconds, event } => {
                match seconds {
                    Some(seconds) => report.range("seconds", seconds, &(1..=MAX_WAIT_SECONDS)),
                    None if event.is_none() => report.refuse("seconds", "is missing, and so is `event`"),
                    None => {}
                }
                if let Some(event) = event {
                    report.filled("event", event);
                }
            }
        }
        if let Some(limit) = &self.max_iterations {
            report.range("max_iterations", limit, &(1..=1000));
        }
    }
}

impl EdgeDef {
    fn check(&self, names: &BTreeSet<&str>, report: &mut ProblemReport) {
        report.known("from", "node", &self.from, names);
        match &self.to {
            EdgeTarget::Node(node) if node == END => {}
            EdgeTarget::Node(node) => report.known("to", "node", node, names),
            EdgeTarget::Choice(labels) if labels.is_empty() => report.refuse("to", "must not be empty"),
            EdgeTarget::Choice(labels) => {
                for (label, node) in labels.iter().filter(|(_, node)| *node != END) {
                    report.known(format_args!("to.{label}"), "node", node, names);
                }
            }
        }
        if let Some(condition) = &self.condition {
            report.filled("condition", condition);
        }
    }
}
