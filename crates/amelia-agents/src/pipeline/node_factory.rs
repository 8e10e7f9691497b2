//! Makes the nodes of a graph: with what they work with, or empty for a drawing. So a graph is written once.

use std::sync::Arc;

use amelia_core::config::profile::Profile;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use amelia_graph::state::State;
use async_trait::async_trait;

/// Makes nodes.
pub(super) struct NodeFactory<'a, D> {
    /// What shapes the graph.
    pub(super) profile: &'a Profile,
    deps: Option<&'a Arc<D>>,
}

impl<'a, D> NodeFactory<'a, D> {
    pub(super) fn with(profile: &'a Profile, deps: &'a Arc<D>) -> Self {
        Self { profile, deps: Some(deps) }
    }

    pub(super) fn empty(profile: &'a Profile) -> Self {
        Self { profile, deps: None }
    }

    pub(super) fn node<N>(&self, with: fn(Arc<D>) -> N) -> MaybeNode<N> {
        self.made(with)
    }

    pub(super) fn made<N>(&self, with: impl FnOnce(Arc<D>) -> N) -> MaybeNode<N> {
        MaybeNode(self.deps.map(|deps| with(Arc::clone(deps))))
    }
}

/// A node, or nothing in its place.
pub(super) struct MaybeNode<N>(pub(super) Option<N>);

#[async_trait]
impl<S: State, N: Node<S>> Node<S> for MaybeNode<N> {
    async fn run(&self, cx: &NodeCx, state: &S) -> Result<Outcome<S::Update>, NodeError> {
        match &self.0 {
            Some(node) => node.run(cx, state).await,
            None => Err(NodeError::new("drawing", "this graph can be drawn, but not run")),
        }
    }
}
