//! A workflow becomes a graph: a node for every node of the file, helper nodes where the file says more than one graph
//! node can. The names of helper nodes are stored with runs, so they never change.

mod agent_node;
mod check;
mod embed;
mod human_node;
mod inputs;
mod joins;
mod map_node;
mod pattern;
mod routes;
mod schedule;
mod state_tools;
mod tool_node;
mod visit_limit;
mod wait_node;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use amelia_agents::agent::Agent;
use amelia_agents::tool_step::ToolCaller;
use amelia_core::config::problem::ConfigProblem;
use amelia_core::config::workflow::{END, NodeDef, NodeKind, Workflow};
use amelia_core::tool::ToolBox;
use amelia_graph::build::Builder;
use amelia_graph::graph::Graph;
use amelia_graph::node::{NodeError, pure};

use crate::chat::Chat;
use crate::workflow::routes::{Route, Routes};

pub use check::check;
pub use embed::embed;
pub use inputs::{inputs, missing_inputs, names, unused_inputs};

/// The name of the graph of every run that is made from a workflow.
pub const NAME: &str = "workflow";

/// What the nodes of a workflow work with.
pub struct FlowParts {
    pub agents: BTreeMap<String, FlowAgent>,
    /// For nodes that call a tool.
    pub tools: ToolCaller,
}

/// An agent of a workflow.
#[derive(Clone)]
pub struct FlowAgent {
    pub agent: Agent,
    pub system: String,
    pub tools: Arc<dyn ToolBox>,
}

/// The graph of a workflow, with what its nodes work with; without, it can only be drawn.
pub fn compile(
    workflow: &Workflow,
    parts: Option<&Arc<FlowParts>>,
) -> Result<Graph<Chat>, Vec<ConfigProblem>> {
    let workflow = &pattern::written_out(workflow);
    let routes = Routes::read(workflow)?;
    let joins = joins::find(workflow, &routes)?;
    let mut compiler = Compiler { workflow, routes: &routes, parts, graph: Graph::builder(NAME) };
    let entry = compiler.way_in(&workflow.entry_point);
    compiler = compiler.with(|graph| graph.entry(&entry).limit(workflow.max_iterations));
    let inside: BTreeSet<&str> = tasks_of(workflow).collect();
    for (name, node) in workflow.nodes.iter().filter(|(name, _)| !inside.contains(name.as_str())) {
        compiler = compiler.node(name, node, joins.get(name.as_str()))?;
    }
    let built = compiler.graph.build();
    built.map_err(|error| {
        let problem = |message: String| ConfigProblem { path: String::new(), message };
        error.problems.iter().map(|found| problem(found.to_string())).collect()
    })
}

/// Nodes that other nodes run. They have no edges of their own.
fn tasks_of(workflow: &Workflow) -> impl Iterator<Item = &str> {
    workflow.nodes.values().flat_map(|node| node.kind.tasks()).map(String::as_str)
}

/// The node of the graph from which the edges of a node of the file leave.
fn exit_of(name: &str, workflow: &Workflow) -> String {
    let Some(node) = workflow.nodes.get(name) else { return name.to_owned() };
    match &node.kind {
        _ if node.allow_human_input => input_of(name),
        NodeKind::Parallel { .. } | NodeKind::Map { .. } => meeting_of(name),
        NodeKind::Pattern(_) => pattern::done_of(name),
        _ => name.to_owned(),
    }
}

/// The node at which a person may add a message.
fn input_of(node: &str) -> String {
    format!("{node}.input")
}

/// The node at which a person approves what comes next.
fn gate_of(node: &str) -> String {
    format!("{node}.approve")
}

/// The node in which the tasks of a `parallel` or `map` node meet.
fn meeting_of(node: &str) -> String {
    format!("{node}.join")
}

/// The node from which several nodes follow when no condition holds.
fn fork_of(node: &str) -> String {
    format!("{node}.fork")
}

struct Compiler<'a> {
    workflow: &'a Workflow,
    routes: &'a Routes,
    parts: Option<&'a Arc<FlowParts>>,
    graph: Builder<Chat>,
}

impl Compiler<'_> {
    /// Where an edge to `node` leads: to its gate, when it has one.
    fn way_in(&self, node: &str) -> String {
        match self.workflow.checkpoints.iter().any(|checkpoint| checkpoint == node) {
            true => gate_of(node),
            false => node.to_owned(),
        }
    }

    fn node(
        mut self,
        name: &str,
        node: &NodeDef,
        join: Option<&BTreeSet<String>>,
    ) -> Result<Self, Vec<ConfigProblem>> {
        // What has several sources waits at the first node of the place: the gate, when there is one.
        let has_gate = self.workflow.checkpoints.iter().any(|checkpoint| checkpoint == name);
        if has_gate {
            let gate = human_node::Gate { node: name.to_owned() };
            self.graph = self.graph.node(&gate_of(name), gate).kind("human");
            self = self.joined(join).with(|graph| graph.edge(name));
        }
        self.graph = self.work(name, node);
        if !has_gate {
            self = self.joined(join);
        }
        let (parts, output) = (self.parts, node.outputs.first().map(String::as_str));
        self = match &node.kind {
            NodeKind::Parallel { parallel_tasks } => self.tasks(name, parallel_tasks)?,
            NodeKind::Map { task, concurrency, .. } => {
                let task = self.workflow.nodes.get(task).unwrap_or(node);
                let lanes = map_node::Lanes { name, concurrency: *concurrency, output, task, parts };
                self.with(|graph| lanes.add(graph))
            }
            NodeKind::Pattern(def) => {
                let place = pattern::Place { name, def, output, parts };
                self.with(|graph| pattern::add(graph, &place))
            }
            _ => self,
        };
        if node.allow_human_input {
            let input = wait_node::InputNode { node: name.to_owned() };
            self = self.with(|graph| graph.edge(&input_of(name)).node(&input_of(name), input).kind("human"));
        }
        Ok(self.edges(name))
    }

    fn with(mut self, change: impl FnOnce(Builder<Chat>) -> Builder<Chat>) -> Self {
        self.graph = change(self.graph);
        self
    }

    fn joined(self, join: Option<&BTreeSet<String>>) -> Self {
        match join {
            Some(sources) => self.with(|graph| graph.join(sources)),
            None => self,
        }
    }

    /// Adds the node itself.
    fn work(&mut self, name: &str, node: &NodeDef) -> Builder<Chat> {
        let graph = std::mem::replace(&mut self.graph, Graph::builder(NAME));
        let parts = self.parts.cloned();
        let (name, def) = (name.to_owned(), node.clone());
        match &node.kind {
            NodeKind::Agent { agent } => {
                let agent = agent.clone();
                graph.node(&name.clone(), agent_node::AgentNode { name, agent, def, parts }).kind("agent")
            }
            NodeKind::Tool { tool, arguments } => {
                let (tool, arguments) = (tool.clone(), arguments.clone());
                graph
                    .node(&name.clone(), tool_node::ToolNode { name, tool, arguments, def, parts })
                    .kind("tool")
            }
            NodeKind::Human { prompt } => {
                let (prompt, can_change) = (prompt.clone(), self.routes.of(&name).takes("modify"));
                graph.node(&name.clone(), human_node::HumanNode { name, prompt, can_change }).kind("human")
            }
            NodeKind::Wait { seconds, event } => {
                let (seconds, event) = (*seconds, event.clone());
                graph.node(&name.clone(), wait_node::WaitNode { name, seconds, event }).kind("wait")
            }
            NodeKind::Condition => graph.node(&name, pure(|_: &Chat| Vec::new())).kind("condition"),
            NodeKind::Parallel { .. } => graph.node(&name, pure(|_: &Chat| Vec::new())).kind("parallel"),
            // Only before it is embedded, to be checked.
            NodeKind::Workflow { .. } => graph.node(&name, pure(|_: &Chat| Vec::new())).kind("workflow"),
            NodeKind::Pattern(_) => graph.node(&name, pattern::begin(&name)).kind("pattern"),
            NodeKind::Map { over, concurrency, .. } => {
                let (over, lanes) = (over.clone(), *concurrency);
                graph.node(&name.clone(), map_node::MapNode { name, over, lanes }).kind("map")
            }
        }
    }

    /// The tasks of a `parallel` node, each as soon as what it needs is there, and the node in which they meet.
    fn tasks(mut self, name: &str, tasks: &[String]) -> Result<Self, Vec<ConfigProblem>> {
        let plan = schedule::plan(name, tasks, self.workflow)?;
        self.graph = self.graph.fork(&plan.first);
        for (task, place) in &plan.tasks {
            let Some(node) = self.workflow.nodes.get(task) else { continue };
            self.graph = self.work(task, node);
            if place.after.len() > 1 {
                self.graph = self.graph.join(&place.after);
            }
            self.graph = match place.before.as_slice() {
                [] => self.graph.edge(&meeting_of(name)),
                [only] => self.graph.edge(only),
                several => self.graph.fork(several),
            };
        }
        self.graph = self.graph.node(&meeting_of(name), pure(|_: &Chat| Vec::new())).kind("join");
        if plan.last.len() > 1 {
            self.graph = self.graph.join(&plan.last);
        }
        Ok(self)
    }

    /// What follows the node that was added last.
    fn edges(mut self, name: &str) -> Self {
        let to = |node: &String| if node == END { END.to_owned() } else { self.way_in(node) };
        match self.routes.of(name) {
            Route::End => self.with(|graph| graph.edge(END)),
            Route::To(node) => {
                let node = to(node);
                self.with(|graph| graph.edge(&node))
            }
            Route::Fork(nodes) => {
                let nodes: Vec<String> = nodes.iter().map(to).collect();
                self.with(|graph| graph.fork(nodes))
            }
            Route::Choice(choice) => {
                let targets: Vec<(String, Option<String>)> = choice
                    .targets(&fork_of(name))
                    .into_iter()
                    .map(|(node, label)| (to(&node), label))
                    .collect();
                let forks: Option<Vec<String>> = choice.forks().map(|nodes| nodes.iter().map(to).collect());
                let gates: BTreeMap<String, String> =
                    self.workflow.checkpoints.iter().map(|node| (node.clone(), gate_of(node))).collect();
                let (choice, fork) = (choice.clone(), fork_of(name));
                let helper = fork.clone();
                self.graph = self.graph.try_route(
                    move |state| {
                        let chosen = choice.choose(state, &helper)?;
                        Ok(gates.get(&chosen).cloned().unwrap_or(chosen).into())
                    },
                    targets,
                );
                if let Some(nodes) = forks {
                    self.graph =
                        self.graph.node(&fork, pure(|_: &Chat| Vec::new())).kind("parallel").fork(nodes);
                }
                self
            }
        }
    }
}

/// The agent of a node.
fn agent_of<'a>(given: Option<&'a Arc<FlowParts>>, name: &str) -> Result<&'a FlowAgent, NodeError> {
    let agent = parts(given)?.agents.get(name);
    agent.ok_or_else(|| NodeError::new("no_agent", format!("there is no agent `{name}`")))
}

/// What the nodes of a graph work with; a graph that was made to be drawn has nothing.
fn parts(parts: Option<&Arc<FlowParts>>) -> Result<&Arc<FlowParts>, NodeError> {
    parts.ok_or_else(|| NodeError::new("drawing", "this graph can be drawn, but not run"))
}

#[cfg(test)]
#[path = "workflow_tests.rs"]
mod tests;
