//! One agent, one task, tools: the standalone agentic execution. A limit that is reached is a question, never an end.

use std::sync::Arc;

use amelia_core::tool::ToolBox;
use amelia_core::workplace::Workplace;
use amelia_graph::draw::Drawing;
use amelia_graph::graph::{END, Graph};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use amelia_graph::state::State;
use amelia_graph::validate::GraphError;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::agent::{Agent, AgentAnswer, Question};
use crate::conversation;
use crate::pipeline::limits;
use crate::pipeline::node_factory::MaybeNode;

/// The graph's name.
pub const NAME: &str = "single";

/// What the agent was asked, and what it answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Single {
    pub goal: String,
    #[serde(default)]
    pub answer: Option<String>,
}

/// The answer came.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AnswerText(pub String);

impl State for Single {
    type Update = AnswerText;

    fn apply(&mut self, AnswerText(answer): AnswerText) {
        self.answer = Some(answer);
    }

    fn summary(&self) -> Option<String> {
        self.answer.clone()
    }
}

/// How the agent works.
#[derive(Clone)]
pub struct SingleAgentParts {
    pub agent: Agent,
    pub tools: Arc<dyn ToolBox>,
    /// Where it works; what it does there is not committed.
    pub place: Option<Arc<dyn Workplace>>,
    pub system: String,
}

/// The graph: one node.
pub fn graph(work: SingleAgentParts) -> Result<Graph<Single>, GraphError> {
    built(MaybeNode(Some(work)))
}

/// The graph to look at.
pub fn drawing() -> Result<Drawing, GraphError> {
    Ok(built(MaybeNode(None))?.drawing())
}

fn built(work: MaybeNode<SingleAgentParts>) -> Result<Graph<Single>, GraphError> {
    Graph::builder(NAME).entry("work").node("work", work).edge(END).build()
}

#[async_trait]
impl Node<Single> for SingleAgentParts {
    async fn run(&self, cx: &NodeCx, state: &Single) -> Result<Outcome<AnswerText>, NodeError> {
        limits::check_answer(cx)?;
        let opening = conversation::from_user(cx, &self.agent.name, &state.goal);
        let (system, tools) = (self.system.clone(), Arc::clone(&self.tools));
        let question = Question { system, opening, tools, hand_ins: &[], shape: None };
        match self.agent.ask(cx, &question).await {
            Ok(AgentAnswer::Text(answer)) => {
                if let Some(place) = &self.place {
                    place.finish().await.map_err(|error| NodeError::new("workplace", error))?;
                }
                Ok(Outcome::Done(vec![AnswerText(answer)]))
            }
            Ok(AgentAnswer::HandedIn { .. }) => {
                Err(NodeError::new("handed_in", "a result was submitted, but none was expected"))
            }
            Err(how) => limits::stopped(cx, how),
        }
    }
}
