//! One agent, one task, tools: the standalone agentic execution. A limit that is reached is a question, never an end.

use amelia_core::driver::{AgentRequest, DriverError, ModelOptions};
use amelia_core::human::{HumanKind, HumanRequest};
use amelia_graph::graph::{END, Graph};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use amelia_graph::state::State;
use amelia_graph::validate::GraphError;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::agent::{Agent, Answer, Stopped};
use crate::asking;
use crate::conversation;

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
pub struct Answered(pub String);

impl State for Single {
    type Update = Answered;

    fn apply(&mut self, Answered(answer): Answered) {
        self.answer = Some(answer);
    }
}

/// How the agent works.
#[derive(Clone)]
pub struct Work {
    pub agent: Agent,
    pub model: String,
    pub system: String,
    pub options: ModelOptions,
    pub max_turns: u32,
}

/// The graph: one node.
pub fn graph(work: Work) -> Result<Graph<Single>, GraphError> {
    Graph::builder(NAME).entry("work").node("work", work).edge(END).build()
}

#[async_trait]
impl Node<Single> for Work {
    async fn run(&self, cx: &NodeCx, state: &Single) -> Result<Outcome<Answered>, NodeError> {
        // "No" to a question of the agent is an answer; to go on past a limit, it is the end.
        if cx.answered().is_some_and(|answered| !asking::is_question(answered) && !answered.is_approval()) {
            return Err(NodeError::new("stopped", "a person did not let the agent go on"));
        }
        let opening = conversation::from_user(cx, &self.agent.name, &state.goal);
        let request = AgentRequest {
            agent: self.agent.name.clone(),
            model: self.model.clone(),
            system: self.system.clone(),
            messages: Vec::new(),
            answer: None,
            options: self.options.clone(),
            max_turns: self.max_turns,
            session: None,
        };
        match self.agent.ask(cx, opening, request, None).await {
            Ok(Answer::Text(answer)) => Ok(Outcome::Done(vec![Answered(answer)])),
            Ok(Answer::HandedIn(_)) => Err(NodeError::new("handed_in", "nothing was to be handed in")),
            Err(Stopped::Node(error)) => Err(error),
            Err(Stopped::Asks(request)) => Ok(Outcome::Wait(request)),
            Err(Stopped::Driver(error)) => match question(cx, &error) {
                Some(request) => Ok(Outcome::Wait(request)),
                None => Err(NodeError::new(code(&error), error)),
            },
        }
    }
}

/// A limit asks a person; anything else is a failure that can be retried.
fn question(cx: &NodeCx, error: &DriverError) -> Option<HumanRequest> {
    let kind = match error {
        DriverError::Budget(_) => HumanKind::Budget,
        DriverError::Quota { .. } => HumanKind::Quota,
        DriverError::Loop { .. } | DriverError::Silent { .. } | DriverError::Turns { .. } => {
            HumanKind::Rounds
        }
        DriverError::Unauthorised { .. }
        | DriverError::UnknownModel { .. }
        | DriverError::Refused { .. }
        | DriverError::Unusable { .. }
        | DriverError::TooLong { .. }
        | DriverError::Unavailable { .. }
        | DriverError::Held { .. }
        | DriverError::BadAnswer(_)
        | DriverError::Setup(_) => return None,
    };
    Some(cx.request(kind, format!("{error}: go on?")))
}

/// Stable names for machines.
fn code(error: &DriverError) -> &'static str {
    match error {
        DriverError::Unauthorised { .. } => "unauthorised",
        DriverError::UnknownModel { .. } => "unknown_model",
        DriverError::Refused { .. } => "refused",
        DriverError::Unusable { .. } => "unusable",
        DriverError::TooLong { .. } => "too_long",
        DriverError::Unavailable { .. } => "unavailable",
        DriverError::Held { .. } => "held",
        DriverError::BadAnswer(_) => "bad_answer",
        DriverError::Setup(_) => "setup",
        DriverError::Budget(_) => "budget",
        DriverError::Quota { .. } => "quota",
        DriverError::Loop { .. } => "loop",
        DriverError::Silent { .. } => "silent",
        DriverError::Turns { .. } => "turns",
    }
}
