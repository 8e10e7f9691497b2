//! Who works on a run: the members of a crew, each with a driver and a model of its own.

use std::sync::Arc;

use amelia_core::config::agent::DriverType;
use amelia_core::config::retry::RetryConfig;
use amelia_core::driver::{AgentRequest, AnswerShape, Driver, ModelOptions, UsageMeter};
use amelia_core::id::AgentName;
use amelia_core::recording::{Channel, Tape};
use amelia_core::redact::Redactor;
use amelia_core::tool::ToolBox;
use amelia_graph::node::NodeCx;
use serde::de::DeserializeOwned;

use crate::agent::{Agent, AgentAnswer, AgentStop};
use crate::conversation;
use crate::handing_in::{HandIn, read, said};
use crate::helpers::Helpers;
use crate::live::Live;

/// How often an agent is asked again for a result that it has not handed in.
const NUDGES: u32 = 2;

/// One role, cast.
#[derive(Clone)]
pub struct RoleAgent {
    pub name: AgentName,
    pub driver: Arc<dyn Driver>,
    pub driver_type: DriverType,
    pub model: String,
    pub options: ModelOptions,
    pub max_turns: u32,
    pub helpers: Helpers,
    pub live: Live,
    pub tape: Arc<dyn Tape>,
    pub redactor: Arc<Redactor>,
    pub retry: RetryConfig,
}

/// Everybody.
#[derive(Clone)]
pub struct Roles {
    pub architect: RoleAgent,
    pub developer: RoleAgent,
    pub reviewer: RoleAgent,
    pub evaluator: RoleAgent,
}

/// What a member is told.
pub struct Brief {
    pub system: String,
    pub word: String,
}

/// What a member had to say where a result was wanted.
pub enum RoleOutcome<T> {
    HandedIn(T),
    /// It only talked, however often it was asked; this came last.
    Talked(String),
}

impl RoleAgent {
    /// The same member under another name: a persona.
    #[must_use]
    pub fn called(&self, name: AgentName) -> Self {
        Self { name, ..self.clone() }
    }

    /// Asks for words.
    pub async fn ask(&self, cx: &NodeCx, tools: Arc<dyn ToolBox>, brief: Brief) -> Result<String, AgentStop> {
        let opening = conversation::word(cx, &self.name, 1, brief.word);
        match self.agent(tools).ask(cx, opening, self.request(brief.system), None).await? {
            AgentAnswer::Text(text) => Ok(text),
            AgentAnswer::HandedIn(_) => Ok(String::new()),
        }
    }

    /// Asks for a result, and again when it only talks.
    pub async fn ask_for<T: DeserializeOwned>(
        &self,
        cx: &NodeCx,
        tools: Arc<dyn ToolBox>,
        brief: Brief,
        hand_in: &HandIn,
    ) -> Result<RoleOutcome<T>, AgentStop> {
        let agent = self.agent(tools);
        let (mut last, mut again) = (String::new(), reminder(hand_in, None));
        for number in 1..=1 + NUDGES {
            let request = self.request(brief.system.clone());
            let word = |text: &str| conversation::word(cx, &self.name, number, text);
            let answer = match number {
                1 => agent.ask(cx, word(&brief.word), request, Some(hand_in)).await?,
                // In the same conversation, which has what was said in it so far.
                _ => {
                    let request = AgentRequest { answer: self.shape(hand_in), ..request };
                    agent.ask(&cx.up_to_date(), word(&again), request, Some(hand_in)).await?
                }
            };
            let args = match answer {
                AgentAnswer::HandedIn(args) => args,
                AgentAnswer::Text(text) => {
                    match said(&text).map(|args| hand_in.check(&args).map(|()| args)) {
                        Some(Ok(args)) => args,
                        refused => {
                            again = reminder(hand_in, refused.and_then(Result::err).as_deref());
                            last = text;
                            continue;
                        }
                    }
                }
            };
            match read(&args) {
                Ok(value) => return Ok(RoleOutcome::HandedIn(value)),
                // It was accepted by an older shape of this program.
                Err(problem) => {
                    again = reminder(hand_in, Some(&problem));
                    last = problem;
                }
            }
        }
        Ok(RoleOutcome::Talked(last))
    }

    /// What a reminder asks for besides: servers that can hold a model to a shape do. Programs have their own
    /// rules for schemas, and fail where a server would be asked without one.
    fn shape(&self, hand_in: &HandIn) -> Option<AnswerShape> {
        (self.driver_type == DriverType::Api).then(|| hand_in.answer())
    }

    fn agent(&self, tools: Arc<dyn ToolBox>) -> Agent {
        Agent {
            name: self.name.clone(),
            driver: Arc::clone(&self.driver),
            tools,
            helpers: self.helpers.clone(),
            live: Arc::clone(&self.live),
            tape: Arc::clone(&self.tape),
            redactor: Arc::clone(&self.redactor),
            retry: self.retry,
        }
    }

    fn request(&self, system: String) -> AgentRequest {
        AgentRequest {
            agent: self.name.clone(),
            model: self.model.clone(),
            system,
            messages: Vec::new(),
            answer: None,
            options: self.options.clone(),
            max_turns: self.max_turns,
            session: None,
            is_heard: false,
            channel: Channel::default(),
            meter: UsageMeter::default(),
        }
    }
}

/// Asks again for a result, and says what was wrong with the last one: the agent would only repeat it.
fn reminder(hand_in: &HandIn, problem: Option<&str>) -> String {
    let why = match problem {
        Some(problem) => format!("Your result was not accepted: {problem}."),
        None => "You have not handed in a result.".to_owned(),
    };
    let name = hand_in.name();
    format!("{why} Call the tool `{name}` now, or answer with its arguments as JSON and nothing else.")
}

#[cfg(test)]
#[path = "roles_tests.rs"]
mod tests;
