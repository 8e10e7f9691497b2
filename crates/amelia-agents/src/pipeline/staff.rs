//! Who stands at the nodes of a graph: whoever does the work, or nobody, for a drawing. So a graph is written once.

use std::sync::Arc;

use amelia_core::config::profile::Profile;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use amelia_graph::state::State;
use async_trait::async_trait;

use super::implementation::deps::Deps;

/// Makes nodes.
pub(super) struct Staff<'a> {
    /// What shapes the graph.
    pub(super) profile: &'a Profile,
    deps: Option<&'a Arc<Deps>>,
}

impl<'a> Staff<'a> {
    pub(super) fn of(deps: &'a Arc<Deps>) -> Self {
        Self { profile: &deps.profile, deps: Some(deps) }
    }

    pub(super) fn nobody(profile: &'a Profile) -> Self {
        Self { profile, deps: None }
    }

    pub(super) fn node<N>(&self, with: fn(Arc<Deps>) -> N) -> Placed<N> {
        self.placed(with)
    }

    pub(super) fn placed<N>(&self, with: impl FnOnce(Arc<Deps>) -> N) -> Placed<N> {
        Placed(self.deps.map(|deps| with(Arc::clone(deps))))
    }
}

/// A node, or its empty place.
pub(super) struct Placed<N>(pub(super) Option<N>);

#[async_trait]
impl<S: State, N: Node<S>> Node<S> for Placed<N> {
    async fn run(&self, cx: &NodeCx, state: &S) -> Result<Outcome<S::Update>, NodeError> {
        match &self.0 {
            Some(node) => node.run(cx, state).await,
            None => Err(NodeError::new("drawing", "this graph was made to be drawn, not to be followed")),
        }
    }
}
