//! A graph: named nodes, and what follows each of them. Immutable once built.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use amelia_core::id::{GraphName, NodeId, Step};

use crate::node::Node;
use crate::state::State;

/// Where a run ends. Reserved as a node name.
pub const END: &str = "__end__";

/// A validated graph. Made by [`Graph::builder`].
pub struct Graph<S: State> {
    pub(crate) name: GraphName,
    pub(crate) version: u32,
    pub(crate) entry: Edge<S>,
    pub(crate) nodes: BTreeMap<NodeId, PlacedNode<S>>,
    pub(crate) joins: BTreeMap<NodeId, BTreeSet<NodeId>>,
    pub(crate) limit: Step,
}

/// A node in its place: the work, and what follows.
pub(crate) struct PlacedNode<S: State> {
    pub(crate) node: Arc<dyn Node<S>>,
    /// What kind of work it is, for drawings.
    pub(crate) kind: Option<&'static str>,
    pub(crate) edge: Edge<S>,
}

/// What follows a node.
pub(crate) enum Edge<S> {
    To(NodeId),
    /// All of them, at the same time.
    Fork(Vec<NodeId>),
    /// One of the declared targets, by a pure function of the state. `None` among them is the end.
    Route {
        targets: BTreeSet<EdgeEnd>,
        choose: Choose<S>,
        /// When which target is chosen, for drawings.
        labels: BTreeMap<EdgeEnd, String>,
    },
    End,
}

/// A declared target: a node, or the end.
pub(crate) type EdgeEnd = Option<NodeId>;
/// A pure choice, by name; or why there is none.
pub(crate) type Choose<S> = Arc<dyn Fn(&S) -> Result<Cow<'static, str>, RouteError> + Send + Sync>;

/// Why a route cannot choose. The run keeps its position; the route is followed again when the run continues.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RouteError {
    /// Stable, for machines.
    pub code: &'static str,
    pub message: String,
}

/// A route that leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the route after `{from}` {error}")]
pub struct BadRoute {
    pub from: String,
    pub error: RouteError,
}

impl<S: State> Graph<S> {
    /// The graph's name.
    #[must_use]
    pub fn name(&self) -> &GraphName {
        &self.name
    }

    /// A fingerprint of node names and joins: a checkpoint of another shape is not resumed.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Visits a run may make before it asks a person.
    #[must_use]
    pub fn limit(&self) -> Step {
        self.limit
    }

    /// The route after a node, or from the start: which nodes come next. Empty is the end.
    pub(crate) fn next(&self, from: Option<&NodeId>, state: &S) -> Result<Vec<NodeId>, BadRoute> {
        let edge = match from {
            None => &self.entry,
            Some(node) => match self.nodes.get(node) {
                Some(place) => &place.edge,
                None => return Ok(Vec::new()),
            },
        };
        match edge {
            Edge::To(node) => Ok(vec![node.clone()]),
            Edge::Fork(nodes) => Ok(nodes.clone()),
            Edge::End => Ok(Vec::new()),
            Edge::Route { targets, choose, .. } => {
                let from = || from.map_or("start", NodeId::as_str).to_owned();
                let chosen = choose(state).map_err(|error| BadRoute { from: from(), error })?;
                match targets.iter().find(|target| target_name(target) == chosen) {
                    Some(target) => Ok(target.iter().cloned().collect()),
                    None => {
                        let declared = targets.iter().map(target_name).collect::<Vec<_>>().join(", ");
                        let message = format!("chose `{chosen}`, which it does not declare ({declared})");
                        Err(BadRoute { from: from(), error: RouteError { code: "bad_route", message } })
                    }
                }
            }
        }
    }
}

impl<S> Edge<S> {
    /// Every declared target, for validation and drawing.
    pub(crate) fn targets(&self) -> Vec<EdgeEnd> {
        match self {
            Self::To(node) => vec![Some(node.clone())],
            Self::Fork(nodes) => nodes.iter().cloned().map(Some).collect(),
            Self::Route { targets, .. } => targets.iter().cloned().collect(),
            Self::End => vec![None],
        }
    }
}

/// A target as it is written.
pub(crate) fn target_name(target: &EdgeEnd) -> &str {
    target.as_ref().map_or(END, NodeId::as_str)
}
