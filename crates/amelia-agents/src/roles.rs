//! Who works on a run: the members of a crew, each with a driver and a model of its own.

use std::sync::Arc;

use amelia_core::config::agent::DriverType;
use amelia_core::driver::AnswerShape;
use amelia_core::id::AgentName;
use amelia_core::message::{ImagePart, Message, Part};
use amelia_core::tool::ToolBox;
use amelia_graph::node::NodeCx;
use serde::de::DeserializeOwned;

use crate::agent::{Agent, AgentAnswer, AgentStop, Question};
use crate::conversation;
use crate::handing_in::{HandIn, read, said};
use crate::remark::{PersonRemark, mark_passed_on};

/// How often an agent is asked again for a result that it has not handed in.
const NUDGES: u32 = 2;

/// Everybody.
#[derive(Clone)]
pub struct Roles {
    pub architect: Agent,
    pub developer: Agent,
    pub reviewer: Agent,
    pub evaluator: Agent,
}

/// The prompt of a member.
#[derive(Default)]
pub struct Brief {
    pub system: String,
    pub word: String,
    /// Shown with the word.
    pub images: Vec<ImagePart>,
}

impl Brief {
    fn opening(self, cx: &NodeCx, agent: &AgentName) -> (String, Message) {
        let mut opening = conversation::word(cx, agent, 1, self.word);
        opening.parts.extend(self.images.into_iter().map(Part::Image));
        (self.system, opening)
    }
}

/// What a member had to say where a result was wanted.
pub enum RoleOutcome<T> {
    HandedIn(T),
    /// It only talked, however often it was asked; this came last.
    Talked(String),
}

impl Agent {
    /// The same member under another name: a persona.
    #[must_use]
    pub fn called(&self, name: AgentName) -> Self {
        Self { name, ..self.clone() }
    }

    /// Asks for words. The prompt has these remarks of the person in it.
    pub async fn ask_for_text(
        &self,
        cx: &NodeCx,
        tools: Arc<dyn ToolBox>,
        brief: Brief,
        told: &[PersonRemark],
    ) -> Result<String, AgentStop> {
        let (system, mut opening) = brief.opening(cx, &self.name);
        mark_passed_on(&mut opening, told);
        let question = Question { system, opening, tools, hand_ins: &[], shape: None };
        match self.ask(cx, &question).await? {
            AgentAnswer::Text(text) => Ok(text),
            AgentAnswer::HandedIn { .. } => Ok(String::new()),
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
        let (system, opening) = brief.opening(cx, &self.name);
        let hand_ins = std::slice::from_ref(hand_in);
        let mut question = Question { system, opening, tools, hand_ins, shape: None };
        let (mut last, mut again) = (String::new(), reminder(hand_in, None));
        for number in 1..=1 + NUDGES {
            let answer = match number {
                1 => self.ask(cx, &question).await?,
                // In the same conversation, which has what was said in it so far.
                _ => {
                    question.opening = conversation::word(cx, &self.name, number, again);
                    question.shape = self.shape(hand_in);
                    self.ask(&cx.up_to_date(), &question).await?
                }
            };
            let args = match answer {
                AgentAnswer::HandedIn { args, .. } => args,
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
}

/// Asks again for a result, and says what was wrong with the last one: the agent would only repeat it.
fn reminder(hand_in: &HandIn, problem: Option<&str>) -> String {
    let why = match problem {
        Some(problem) => format!("Your result was not accepted: {problem}."),
        None => "You have not submitted a result.".to_owned(),
    };
    let name = hand_in.name();
    format!("{why} Call the tool `{name}` now, or answer with its arguments as JSON and nothing else.")
}

#[cfg(test)]
#[path = "roles_tests.rs"]
mod tests;
