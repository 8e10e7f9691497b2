//! What can be wrong with a graph, found before it runs. Pure, over names only.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use amelia_core::id::NodeId;

use crate::graph::{EdgeEnd, target_name};

/// A graph without its work: what validation and drawing see.
pub(crate) struct Shape {
    pub(crate) entry: Option<Vec<EdgeEnd>>,
    /// Node, its targets when it has an edge, and whether that edge is a route.
    pub(crate) edges: Vec<(NodeId, Option<Vec<EdgeEnd>>, bool)>,
    pub(crate) joins: BTreeMap<NodeId, BTreeSet<NodeId>>,
    pub(crate) limit: u32,
}

impl Shape {
    /// Changes when a saved position would mean something else: with node names and joins.
    pub(crate) fn fingerprint(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        let names: BTreeSet<&NodeId> = self.edges.iter().map(|(node, ..)| node).collect();
        for node in names {
            hasher.update(node.as_str().as_bytes());
            hasher.update(&[0]);
        }
        for (join, sources) in &self.joins {
            hasher.update(join.as_str().as_bytes());
            for source in sources {
                hasher.update(&[1]);
                hasher.update(source.as_str().as_bytes());
            }
            hasher.update(&[2]);
        }
        hasher.finalize()
    }
}

/// A graph that cannot run, with every reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphError {
    pub graph: String,
    pub problems: Vec<GraphProblem>,
}

impl std::error::Error for GraphError {}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "graph `{}` is not valid:", self.graph)?;
        self.problems.iter().try_for_each(|problem| write!(f, "\n  - {problem}"))
    }
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraphProblem {
    BadName(String),
    ReservedName,
    NoEntry,
    NoLimit,
    EdgeBeforeNode,
    Duplicate(NodeId),
    NoEdge(NodeId),
    TwoEdges(NodeId),
    NoTarget(String),
    UnknownTarget { from: String, target: NodeId },
    Unreachable(NodeId),
    EndlessCycle(Vec<NodeId>),
    SmallJoin(NodeId),
    JoinWithoutEdge { join: NodeId, source: NodeId },
}

impl fmt::Display for GraphProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadName(error) => f.write_str(error),
            Self::ReservedName => f.write_str("`__end__` is the end and cannot be a node"),
            Self::NoEntry => f.write_str("there is no entry: say which node is first"),
            Self::NoLimit => f.write_str("the step limit is 0: nothing could run"),
            Self::EdgeBeforeNode => f.write_str("an edge was given before any node"),
            Self::Duplicate(node) => write!(f, "two nodes are named `{node}`"),
            Self::NoEdge(node) => write!(f, "nothing follows `{node}`: give it an edge, or END"),
            Self::TwoEdges(node) => write!(f, "`{node}` has two edges: use a fork or a route"),
            Self::NoTarget(from) => write!(f, "the edge after `{from}` has no target"),
            Self::UnknownTarget { from, target } => {
                write!(f, "`{from}` leads to `{target}`, which does not exist")
            }
            Self::Unreachable(node) => write!(f, "`{node}` cannot be reached from the entry"),
            Self::EndlessCycle(path) => {
                let path: Vec<&str> = path.iter().map(NodeId::as_str).collect();
                write!(f, "endless cycle without a route: {}", path.join(" → "))
            }
            Self::SmallJoin(node) => write!(f, "the join at `{node}` needs at least two sources"),
            Self::JoinWithoutEdge { join, source } => {
                write!(f, "the join at `{join}` waits for `{source}`, which does not lead there")
            }
        }
    }
}

/// Everything that is wrong with a shape.
pub(crate) fn problems(shape: &Shape) -> Vec<GraphProblem> {
    let mut problems = Vec::new();
    let mut edges: BTreeMap<&NodeId, &[EdgeEnd]> = BTreeMap::new();
    for (node, targets, _) in &shape.edges {
        let targets = targets.as_deref();
        if targets.is_none() {
            problems.push(GraphProblem::NoEdge(node.clone()));
        }
        if edges.insert(node, targets.unwrap_or_default()).is_some() {
            problems.push(GraphProblem::Duplicate(node.clone()));
        }
    }
    if shape.entry.is_none() {
        problems.push(GraphProblem::NoEntry);
    }
    if shape.limit == 0 {
        problems.push(GraphProblem::NoLimit);
    }
    problems.extend(target_problems(shape, &edges));
    problems.extend(join_problems(shape, &edges));
    if shape.entry.is_some() {
        problems.extend(unreachable(shape, &edges));
    }
    problems.extend(endless_cycle(shape).map(GraphProblem::EndlessCycle));
    problems
}

fn target_problems(shape: &Shape, edges: &BTreeMap<&NodeId, &[EdgeEnd]>) -> Vec<GraphProblem> {
    let from_nodes =
        shape.edges.iter().filter_map(|(node, targets, _)| Some((node.as_str(), targets.as_ref()?)));
    let mut problems = Vec::new();
    for (from, targets) in shape.entry.iter().map(|targets| ("start", targets)).chain(from_nodes) {
        if targets.is_empty() {
            problems.push(GraphProblem::NoTarget(from.to_owned()));
        }
        for target in targets.iter().flatten().filter(|target| !edges.contains_key(*target)) {
            problems.push(GraphProblem::UnknownTarget { from: from.to_owned(), target: target.clone() });
        }
    }
    problems
}

fn join_problems(shape: &Shape, edges: &BTreeMap<&NodeId, &[EdgeEnd]>) -> Vec<GraphProblem> {
    let mut problems = Vec::new();
    for (join, sources) in &shape.joins {
        if sources.len() < 2 {
            problems.push(GraphProblem::SmallJoin(join.clone()));
        }
        for source in sources {
            let leads_there = edges
                .get(source)
                .is_some_and(|targets| targets.iter().any(|target| target_name(target) == join.as_str()));
            if !leads_there {
                problems.push(GraphProblem::JoinWithoutEdge { join: join.clone(), source: source.clone() });
            }
        }
    }
    problems
}

fn unreachable(shape: &Shape, edges: &BTreeMap<&NodeId, &[EdgeEnd]>) -> Vec<GraphProblem> {
    let mut seen: BTreeSet<&NodeId> = BTreeSet::new();
    let mut todo: Vec<&NodeId> = shape.entry.iter().flatten().flatten().collect();
    while let Some(node) = todo.pop() {
        if seen.insert(node) {
            todo.extend(edges.get(node).copied().unwrap_or_default().iter().flatten());
        }
    }
    let lost = edges.keys().filter(|node| !seen.contains(*node));
    lost.map(|node| GraphProblem::Unreachable((*node).clone())).collect()
}

/// A cycle of edges none of which is a route: nothing in it could ever choose to leave.
fn endless_cycle(shape: &Shape) -> Option<Vec<NodeId>> {
    let plain: BTreeMap<&NodeId, Vec<&NodeId>> = shape
        .edges
        .iter()
        .filter(|(_, _, is_route)| !is_route)
        .map(|(node, targets, _)| (node, targets.iter().flatten().flatten().collect()))
        .collect();
    let mut finished: BTreeSet<&NodeId> = BTreeSet::new();
    for start in plain.keys() {
        let mut path: Vec<(&NodeId, usize)> = vec![(start, 0)];
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            let targets = plain.get(node).filter(|_| !finished.contains(node));
            let Some(target) = targets.and_then(|targets| targets.get(*next).copied()) else {
                finished.insert(node);
                path.pop();
                continue;
            };
            *next += 1;
            if let Some(from) = path.iter().position(|(seen, _)| *seen == target) {
                let cycle = path.iter().skip(from).map(|(node, _)| *node).chain([target]);
                return Some(cycle.cloned().collect());
            }
            path.push((target, 0));
        }
    }
    None
}
