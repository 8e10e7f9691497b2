//! A run of one node that keeps nothing.

use amelia_core::id::RunId;
use amelia_graph::engine::{EngineError, Stop};
use amelia_graph::graph::{END, Graph};
use amelia_graph::node::Node;
use amelia_graph::state::State;
use amelia_orchestrator::orchestrator::RunnableGraph;
use amelia_orchestrator::runs::{Move, Runs};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Nothing;

impl State for Nothing {
    type Update = ();

    fn apply(&mut self, (): ()) {}
}

pub(crate) struct Toy(Graph<Nothing>);

impl Toy {
    pub(crate) fn boxed(node: impl Node<Nothing> + 'static) -> Box<dyn RunnableGraph> {
        Box::new(Self(Graph::builder("toy").entry("only").node("only", node).edge(END).build().unwrap()))
    }
}

#[async_trait]
impl RunnableGraph for Toy {
    async fn run(&self, runs: &Runs, run: RunId, how: Move) -> Result<Stop, EngineError> {
        runs.run(run, &self.0, Nothing, how).await
    }
}
