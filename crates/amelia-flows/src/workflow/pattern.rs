//! Ready-made sub-graphs that call agents. Each begins with a node of the name that the file gives it and ends with
//! `NAME.done`, from which the edges of the file leave; `routing_key` is then `accepted` or `exhausted`.

mod alone;
mod debate;
mod participant;
mod reflection;
mod tot;

use std::collections::BTreeMap;
use std::sync::Arc;

use amelia_core::config::workflow::{EdgeDef, EdgeTarget, NodeDef, NodeKind, Pattern, PatternDef, Workflow};
use amelia_graph::build::Builder;
use amelia_graph::graph::END;
use amelia_graph::node::{Node, pure};
use amelia_graph::state::State as _;
use serde_json::json;

use super::FlowParts;
use crate::chat::{Chat, ChatUpdate, PatternRun, PatternUpdate};
use participant::{Participant, Step, StepNode};

/// Where a pattern is in a graph.
pub(super) struct Place<'a> {
    pub(super) name: &'a str,
    pub(super) def: &'a PatternDef,
    /// The value that takes the answer.
    pub(super) output: Option<&'a str>,
    pub(super) parts: Option<&'a Arc<FlowParts>>,
}

/// The first node of a pattern.
pub(super) fn begin(name: &str) -> impl Node<Chat> + use<> {
    let began = ChatUpdate::Pattern { node: name.to_owned(), update: PatternUpdate::Began };
    pure(move |_: &Chat| vec![began.clone()])
}

/// Adds what follows the first node. The node that is added last is the one that its edges leave.
pub(super) fn add(graph: Builder<Chat>, place: &Place<'_>) -> Builder<Chat> {
    let graph = match place.def.pattern {
        Pattern::React => alone::react(graph, place),
        Pattern::Cot => alone::cot(graph, place),
        Pattern::Reflection => reflection::add(graph, place),
        Pattern::Debate => debate::add(graph, place),
        Pattern::Tot => tot::add(graph, place),
    };
    let (node, output) = (place.name.to_owned(), place.output.map(str::to_owned));
    let ended = move |state: &Chat| {
        let key = if run_of(state, &node).accepted { "accepted" } else { "exhausted" };
        let set = |key: &str, value| ChatUpdate::Set { key: key.to_owned(), value };
        let answer = output.as_deref().map(|output| set(output, json!(state.summary())));
        answer.into_iter().chain([set("routing_key", json!(key))]).collect()
    };
    graph.node(&place.done(), pure(ended)).kind("join")
}

/// The node in which a pattern ends.
pub(super) fn done_of(node: &str) -> String {
    format!("{node}.done")
}

fn run_of(state: &Chat, node: &str) -> PatternRun {
    state.patterns.get(node).cloned().unwrap_or_default()
}

impl Place<'_> {
    fn node(&self, step: &str) -> String {
        format!("{}.{step}", self.name)
    }

    fn done(&self) -> String {
        done_of(self.name)
    }

    fn update(&self, update: PatternUpdate) -> ChatUpdate {
        ChatUpdate::Pattern { node: self.name.to_owned(), update }
    }

    /// Adds a node at which the agent of `role` takes a step.
    fn step(&self, graph: Builder<Chat>, node: &str, role: &str, step: impl Step + 'static) -> Builder<Chat> {
        let who = Participant {
            pattern: self.name.to_owned(),
            key: self.node(role),
            role: role.to_owned(),
            agent: self.def.agent(role).to_owned(),
            parts: self.parts.cloned(),
        };
        graph.node(&self.node(node), StepNode { who, step }).kind("agent")
    }
}

/// The workflow that `patterns` stands for: a node for each pattern, one after the other.
pub(super) fn written_out(workflow: &Workflow) -> Workflow {
    if !workflow.is_made_of_patterns() {
        return workflow.clone();
    }
    let agents: BTreeMap<String, String> = workflow
        .nodes
        .iter()
        .filter_map(|(name, node)| match &node.kind {
            NodeKind::Agent { agent } => Some((name.clone(), agent.clone())),
            _ => None,
        })
        .collect();
    let mut nodes: BTreeMap<String, NodeDef> = BTreeMap::new();
    let mut names: Vec<String> = Vec::new();
    for used in &workflow.patterns {
        let name = used.pattern.name();
        let before = names.iter().filter(|other| other.split('_').next() == Some(name)).count();
        let name = if before == 0 { name.to_owned() } else { format!("{name}_{}", before + 1) };
        let agents = agents_of(used.pattern, &agents, &workflow.patterns);
        nodes.insert(name.clone(), NodeDef::new(NodeKind::Pattern(PatternDef { agents, ..used.clone() })));
        names.push(name);
    }
    let ends = names.iter().skip(1).map(String::as_str).chain([END]);
    let edge = |(from, to): (&String, &str)| EdgeDef {
        from: from.clone(),
        to: EdgeTarget::Node(to.to_owned()),
        condition: None,
    };
    let edges = names.iter().zip(ends).map(edge).collect();
    let entry_point = names.first().cloned().unwrap_or_default();
    Workflow { patterns: Vec::new(), nodes, edges, entry_point, ..workflow.clone() }
}

/// Who takes part in a pattern: in a debate everyone who has no role in another one.
fn agents_of(
    pattern: Pattern,
    agents: &BTreeMap<String, String>,
    all: &[PatternDef],
) -> BTreeMap<String, String> {
    let is_elsewhere = |role: &str| {
        all.iter().any(|other| {
            let other = other.pattern;
            other != Pattern::Debate && (other.roles().contains(&role) || other.may_have(role))
        })
    };
    let has_role = |role: &str| match pattern {
        Pattern::Debate => !is_elsewhere(role),
        _ => pattern.roles().contains(&role) || pattern.may_have(role),
    };
    let ours = agents.iter().filter(|(role, _)| has_role(role));
    ours.map(|(role, agent)| (role.clone(), agent.clone())).collect()
}
