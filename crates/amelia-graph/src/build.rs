//! Building a graph. Nothing is refused halfway: [`Builder::build`] reports all problems at once.
//!
//! ```
//! # use amelia_graph::{graph::{Graph, END}, node::pure, state::State};
//! # #[derive(Clone, serde::Serialize, serde::Deserialize)] struct Draft { good: bool }
//! # impl State for Draft { type Update = bool; fn apply(&mut self, good: bool) { self.good = good; } }
//! let graph = Graph::<Draft>::builder("essay")
//!     .entry("write")
//!     .node("write", pure(|_| vec![])).edge("review")
//!     .node("review", pure(|draft: &Draft| vec![!draft.good]))
//!     .route(|draft| if draft.good { END } else { "write" }, ["write", END])
//!     .limit(50)
//!     .build();
//! assert!(graph.is_ok());
//! ```

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use amelia_core::id::{GraphName, NodeId, Step};

use crate::graph::{Choose, END, Edge, EdgeEnd, Graph, PlacedNode, RouteError};
use crate::node::Node;
use crate::state::State;
use crate::validate::{GraphError, GraphProblem, Shape, problems};

/// Visits allowed by default.
pub const DEFAULT_LIMIT: u32 = 50;

impl<S: State> Graph<S> {
    /// Starts a graph.
    #[must_use]
    pub fn builder(name: &str) -> Builder<S> {
        Builder {
            name: name.to_owned(),
            entry: None,
            nodes: Vec::new(),
            joins: BTreeMap::new(),
            limit: DEFAULT_LIMIT,
            problems: Vec::new(),
        }
    }
}

/// A graph in the making. `edge`, `fork`, `route` and `end` speak of the node named last.
pub struct Builder<S: State> {
    name: String,
    entry: Option<Edge<S>>,
    nodes: Vec<DraftNode<S>>,
    joins: BTreeMap<NodeId, BTreeSet<NodeId>>,
    limit: u32,
    problems: Vec<GraphProblem>,
}

/// A node with its name, and what follows it as soon as that is said.
struct DraftNode<S: State> {
    id: NodeId,
    node: Arc<dyn Node<S>>,
    kind: Option<&'static str>,
    edge: Option<Edge<S>>,
}

impl<S: State> Builder<S> {
    /// The first node.
    #[must_use]
    pub fn entry(mut self, node: &str) -> Self {
        self.entry = self.id(node).map(Edge::To);
        self
    }

    /// The first node, chosen by the initial state.
    #[must_use]
    pub fn entry_by<N, F>(mut self, choose: F, targets: impl IntoIterator<Item = impl AsRef<str>>) -> Self
    where
        N: Into<Cow<'static, str>>,
        F: Fn(&S) -> N + Send + Sync + 'static,
    {
        self.entry = Some(self.routed(choose, targets));
        self
    }

    /// Adds a node.
    #[must_use]
    pub fn node(mut self, name: &str, node: impl Node<S> + 'static) -> Self {
        if let Some(id) = self.id(name) {
            if id.as_str() == END {
                self.problems.push(GraphProblem::ReservedName);
            }
            self.nodes.push(DraftNode { id, node: Arc::new(node), kind: None, edge: None });
        }
        self
    }

    /// What kind of work the last node does, for drawings.
    #[must_use]
    pub fn kind(mut self, kind: &'static str) -> Self {
        match self.nodes.last_mut() {
            Some(last) => last.kind = Some(kind),
            None => self.problems.push(GraphProblem::EdgeBeforeNode),
        }
        self
    }

    /// The last node leads to `target`.
    #[must_use]
    pub fn edge(mut self, target: &str) -> Self {
        let edge = if target == END { Some(Edge::End) } else { self.id(target).map(Edge::To) };
        self.follow(edge)
    }

    /// The last node leads to all of `targets` at the same time.
    #[must_use]
    pub fn fork(mut self, targets: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let nodes = targets.into_iter().filter_map(|target| self.id(target.as_ref())).collect();
        self.follow(Some(Edge::Fork(nodes)))
    }

    /// The last node leads to the one of `targets` that `choose` names. `choose` must be pure.
    #[must_use]
    pub fn route<N, F>(mut self, choose: F, targets: impl IntoIterator<Item = impl AsRef<str>>) -> Self
    where
        N: Into<Cow<'static, str>>,
        F: Fn(&S) -> N + Send + Sync + 'static,
    {
        let edge = self.routed(choose, targets);
        self.follow(Some(edge))
    }

    /// The last node leads to the target that `choose` names; without one the run fails, and keeps its position. A target
    /// may have a label that says when it is chosen. `choose` must be pure.
    #[must_use]
    pub fn try_route<F>(
        mut self,
        choose: F,
        targets: impl IntoIterator<Item = (String, Option<String>)>,
    ) -> Self
    where
        F: Fn(&S) -> Result<Cow<'static, str>, RouteError> + Send + Sync + 'static,
    {
        let mut labels: BTreeMap<EdgeEnd, String> = BTreeMap::new();
        let mut ends = BTreeSet::new();
        for (target, label) in targets {
            let Some(end) = self.end(&target) else { continue };
            if let Some(label) = label {
                let kept = labels.entry(end.clone()).or_default();
                kept.push_str(if kept.is_empty() { "" } else { " | " });
                kept.push_str(&label);
            }
            ends.insert(end);
        }
        self.follow(Some(Edge::Route { targets: ends, choose: Arc::new(choose), labels }))
    }

    /// The last node waits until each of `sources` has arrived.
    #[must_use]
    pub fn join(mut self, sources: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let sources = sources.into_iter().filter_map(|source| self.id(source.as_ref())).collect();
        match self.nodes.last() {
            Some(last) => {
                self.joins.insert(last.id.clone(), sources);
            }
            None => self.problems.push(GraphProblem::EdgeBeforeNode),
        }
        self
    }

    /// Visits a run may make before it asks a person whether to continue.
    #[must_use]
    pub fn limit(mut self, steps: u32) -> Self {
        self.limit = steps;
        self
    }

    /// The graph, or everything that is wrong with it.
    pub fn build(mut self) -> Result<Graph<S>, GraphError> {
        let name = GraphName::new(&self.name);
        if let Err(error) = &name {
            self.problems.push(GraphProblem::BadName(error.to_string()));
        }
        let shape = Shape {
            entry: self.entry.as_ref().map(Edge::targets),
            edges: self
                .nodes
                .iter()
                .map(|DraftNode { id, edge, .. }| {
                    let targets = edge.as_ref().map(Edge::targets);
                    (id.clone(), targets, matches!(edge, Some(Edge::Route { .. })))
                })
                .collect(),
            joins: self.joins.clone(),
            limit: self.limit,
        };
        self.problems.extend(problems(&shape));
        match (name, self.entry) {
            (Ok(name), Some(entry)) if self.problems.is_empty() => Ok(Graph {
                name,
                version: shape.fingerprint(),
                entry,
                nodes: self
                    .nodes
                    .into_iter()
                    .map(|DraftNode { id, node, kind, edge }| {
                        (id, PlacedNode { node, kind, edge: edge.unwrap_or(Edge::End) })
                    })
                    .collect(),
                joins: self.joins,
                limit: Step(self.limit),
            }),
            _ => Err(GraphError { graph: self.name, problems: self.problems }),
        }
    }

    fn id(&mut self, name: &str) -> Option<NodeId> {
        NodeId::new(name).map_err(|error| self.problems.push(GraphProblem::BadName(error.to_string()))).ok()
    }

    fn follow(mut self, edge: Option<Edge<S>>) -> Self {
        match self.nodes.last_mut() {
            Some(DraftNode { id, edge: Some(_), .. }) => {
                self.problems.push(GraphProblem::TwoEdges(id.clone()));
            }
            Some(last) => last.edge = edge,
            None => self.problems.push(GraphProblem::EdgeBeforeNode),
        }
        self
    }

    fn routed<N, F>(&mut self, choose: F, targets: impl IntoIterator<Item = impl AsRef<str>>) -> Edge<S>
    where
        N: Into<Cow<'static, str>>,
        F: Fn(&S) -> N + Send + Sync + 'static,
    {
        let targets: BTreeSet<EdgeEnd> =
            targets.into_iter().filter_map(|target| self.end(target.as_ref())).collect();
        let choose: Choose<S> = Arc::new(move |state| Ok(choose(state).into()));
        Edge::Route { targets, choose, labels: BTreeMap::new() }
    }

    /// A target by its name.
    fn end(&mut self, target: &str) -> Option<EdgeEnd> {
        match target {
            END => Some(None),
            node => self.id(node).map(Some),
        }
    }
}

#[cfg(test)]
#[path = "build_tests.rs"]
mod tests;
