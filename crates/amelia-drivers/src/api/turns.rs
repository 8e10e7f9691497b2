//! The agent loop as a state machine without I/O: a conversation, and what is to be done next. It follows from the
//! messages alone, so a conversation that is read back from a log continues where it was.

use std::collections::BTreeSet;
use std::sync::Arc;

use amelia_core::clock::Clock;
use amelia_core::driver::{AgentRequest, AnswerShape, DriverError};
use amelia_core::failing_calls::FailingCalls;
use amelia_core::id::{AgentName, CallId, MessageId};
use amelia_core::message::{ExecutionMode, GuardrailPart, Message, Object, Part, Role, TextPart};
use amelia_core::tool::{ToolCall, ToolResult};

use super::fit::{self, Conversation};
use super::nudges::{ALL_THOUGHT, CUT, MISFIT, PAUSED, SILENT, WINDOW_FULL, is_continuation, is_nudge};
use crate::model::StopReason;

/// This many empty answers in a row are silence.
const SILENCE: u32 = 3;
/// Answers that may miss the schema before it is given up.
const BAD_ANSWERS: u32 = 3;
/// How often in a row an answer is continued that was cut off.
const CONTINUED: u32 = 5;

/// Marks a turn in which the model, or its provider, declined.
const REFUSED: &str = "refused";

/// How often in a row an answer is taken back before a person decides.
const TAKEN_BACK: u32 = 3;

/// Marks the word by which an answer is taken back.
const GUARDRAIL: &str = "guardrail";

/// Names who said a turn, when that is not the agent's first model.
const MODEL: &str = "model";

/// A conversation under way.
pub struct Turns {
    agent: AgentName,
    clock: Arc<dyn Clock>,
    messages: Conversation,
    answer: Option<AnswerShape>,
    max_turns: u32,
    bad_answers: u32,
    /// Kept along, so that a turn costs the same however long the conversation is.
    seen: BTreeSet<CallId>,
    taken: u32,
    tokens: u64,
    failing: FailingCalls,
    /// Which models have answered so far.
    speakers: Vec<Option<String>>,
    /// Who continues the conversation, when that is not who began it.
    model: Option<String>,
}

/// The model that gave an answer, when that is not the one that began.
fn speaker(message: &Message) -> Option<&str> {
    message.metadata.get(MODEL).and_then(serde_json::Value::as_str)
}

/// What is to be done next.
#[derive(Debug, PartialEq)]
pub enum NextAction {
    /// Ask the model.
    Ask,
    /// Run these calls; all of them have no result yet.
    Call(Vec<ToolCall>),
    /// Say this to the model, and ask again.
    Say(Box<Message>),
    /// The agent is done.
    Done(String),
}

impl Turns {
    /// Continues the conversation of `request`.
    #[must_use]
    pub fn new(request: &AgentRequest, clock: Arc<dyn Clock>) -> Self {
        let mut turns = Self {
            agent: request.agent.clone(),
            clock,
            messages: Arc::new(Vec::with_capacity(request.messages.len())),
            answer: request.answer.clone(),
            max_turns: request.max_turns,
            bad_answers: 0,
            seen: BTreeSet::new(),
            taken: 0,
            tokens: 0,
            failing: FailingCalls::default(),
            speakers: Vec::new(),
            model: None,
        };
        request.messages.iter().cloned().for_each(|message| turns.add(message));
        turns
    }

    /// About how many tokens the conversation has.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    /// The conversation so far.
    #[must_use]
    pub fn messages(&self) -> &Conversation {
        &self.messages
    }

    /// Decides. `Err` when the agent cannot continue without help.
    pub fn decide(&mut self) -> Result<NextAction, DriverError> {
        let Some(last) = self.messages.last().cloned() else {
            return Err(DriverError::Setup("there is nothing to ask".to_owned()));
        };
        if last.role != Role::Assistant {
            self.check_limits()?;
            return Ok(NextAction::Ask);
        }
        let calls = calls_of(&last);
        if !calls.is_empty() {
            return Ok(NextAction::Call(calls));
        }
        if last.text().trim().is_empty() {
            return self.nudge_silence();
        }
        self.finish()
    }

    /// The model answered. Returns what is to be written down: its turn.
    pub fn said(&mut self, mut parts: Vec<Part>, stop: StopReason) -> Vec<Box<Message>> {
        self.make_unique(&mut parts);
        let has_calls = parts.iter().any(|part| matches!(part, Part::ToolCall(_)));
        if stop == StopReason::Refused {
            return vec![self.refused(parts)];
        }
        let said = self.push(Role::Assistant, parts);
        let is_empty = said.text().trim().is_empty();
        let mut written = vec![said];
        let again = match stop {
            _ if has_calls => None,
            StopReason::Length if is_empty => Some(ALL_THOUGHT),
            StopReason::Length => Some(CUT),
            StopReason::WindowFull => Some(WINDOW_FULL),
            StopReason::Paused => Some(PAUSED),
            StopReason::Done | StopReason::Tools | StopReason::Refused => None,
        };
        written.extend(again.map(|text| self.push(Role::User, vec![Part::Text(TextPart::new(text))])));
        written
    }

    /// What a model said before it, or its provider, declined. It is written down and marked; neither the model nor a
    /// resumed run takes it for an answer, and calls in it are not made.
    fn refused(&mut self, parts: Vec<Part>) -> Box<Message> {
        let parts = parts.into_iter().filter(|part| !matches!(part, Part::ToolCall(_))).collect();
        let mut message = self.message(Role::Assistant, parts);
        message.metadata.insert(REFUSED.to_owned(), true.into());
        self.add(Arc::new(message.clone()));
        Box::new(message)
    }

    /// A guardrail has taken the last answer back. It is no part of the conversation; returns what the model gets in its
    /// place. Fails when that has happened too often.
    pub fn taken_back(
        &mut self,
        policy: String,
        message: String,
        part: GuardrailPart,
    ) -> Result<Box<Message>, DriverError> {
        let is_ours = |message: &&Arc<Message>| message.metadata.contains_key(GUARDRAIL);
        let before = self.messages.iter().rev().take_while(is_ours).count();
        let times = u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1);
        if times > TAKEN_BACK {
            return Err(DriverError::Guardrail { policy, message, times });
        }
        let text = format!("Your last answer was not accepted and was not shown: {message}. Answer again.");
        let parts = vec![Part::Text(TextPart::new(text)), Part::Guardrail(part)];
        let mut word = self.message(Role::User, parts);
        word.metadata.insert(GUARDRAIL.to_owned(), policy.into());
        self.add(Arc::new(word.clone()));
        Ok(Box::new(word))
    }

    /// A person has said something.
    pub fn heard(&mut self, message: Message) {
        self.add(Arc::new(message));
    }

    /// The calls were made. Their results are written down by their caller.
    pub fn returned(&mut self, results: Vec<ToolResult>) {
        self.push(Role::Tool, results.into_iter().map(Part::ToolResult).collect());
    }

    fn check_limits(&self) -> Result<(), DriverError> {
        if self.taken >= self.max_turns {
            return Err(DriverError::Turns { turns: self.max_turns });
        }
        let times = self.silent_turns();
        if times >= SILENCE {
            return Err(DriverError::Silent { times });
        }
        let times = u32::try_from(self.unfinished().count()).unwrap_or(u32::MAX);
        if times > CONTINUED && self.messages.last().is_some_and(|last| is_continuation(last)) {
            return Err(DriverError::Endless { times });
        }
        self.failing.looped().map_or(Ok(()), Err)
    }

    /// Counts turns at the end of the conversation that made the same calls and all of them failed in the same way. Words
    /// in between break it.
    fn count_failing(&mut self, message: &Message) {
        match message.role {
            Role::Assistant => {}
            Role::Tool => {
                let calls = self.messages.last().map(|said| calls_of(said)).unwrap_or_default();
                let results = message.parts.iter().filter_map(|part| match part {
                    Part::ToolResult(result) => Some(result),
                    _ => None,
                });
                self.failing.count(&calls, results);
            }
            Role::User | Role::System => self.failing.forget(),
        }
    }

    fn nudge_silence(&mut self) -> Result<NextAction, DriverError> {
        let times = self.silent_turns();
        if times >= SILENCE {
            return Err(DriverError::Silent { times });
        }
        Ok(NextAction::Say(self.push(Role::User, vec![Part::Text(TextPart::new(SILENT))])))
    }

    /// How many answers in a row, at the end of the conversation, had nothing in them. A person's word breaks it.
    fn silent_turns(&self) -> u32 {
        let is_silent = |message: &Message| match message.role {
            Role::Assistant => calls_of(message).is_empty() && message.text().trim().is_empty(),
            Role::User => is_nudge(message),
            Role::System | Role::Tool => false,
        };
        let turns = self.messages.iter().rev().take_while(|message| is_silent(message));
        let answers = turns.filter(|message| message.role == Role::Assistant).count();
        u32::try_from(answers).unwrap_or(u32::MAX)
    }

    /// The pieces of the answer at the end of the conversation, the last one first: it may have been cut off and continued.
    fn unfinished(&self) -> impl Iterator<Item = &Message> {
        let mut turns = self.messages.iter().rev().map(|message| &**message).peekable();
        if turns.peek().is_some_and(|message| is_continuation(message)) {
            turns.next();
        }
        let mut is_over = false;
        std::iter::from_fn(move || {
            let is_answer =
                |message: &&&Message| message.role == Role::Assistant && calls_of(message).is_empty();
            let piece = turns.next().filter(|message| !is_over && is_answer(&message))?;
            is_over = turns.next_if(|message| is_continuation(message)).is_none();
            Some(piece)
        })
    }

    /// The last message is the answer, with what was said of it before it was cut off, if it has the shape that was asked
    /// for.
    fn finish(&mut self) -> Result<NextAction, DriverError> {
        let mut pieces: Vec<String> = self.unfinished().map(Message::text).collect();
        pieces.reverse();
        let text = pieces.concat();
        let Some(shape) = self.answer.as_ref().filter(|shape| shape.is_binding) else {
            return Ok(NextAction::Done(text));
        };
        match fits(shape, &text) {
            Ok(answer) => Ok(NextAction::Done(answer)),
            Err(problem) => {
                self.bad_answers += 1;
                if self.bad_answers >= BAD_ANSWERS {
                    return Err(DriverError::BadAnswer(problem));
                }
                let text = format!("{MISFIT}{problem}. Answer with JSON only.");
                Ok(NextAction::Say(self.push(Role::User, vec![Part::Text(TextPart::new(text))])))
            }
        }
    }

    /// Some servers use the same call ids again in every turn; ours name a call for ever.
    fn make_unique(&self, parts: &mut [Part]) {
        let mut here = BTreeSet::new();
        for part in parts {
            let Part::ToolCall(call) = part else { continue };
            let stem: String = call.id.as_str().chars().take(100).collect();
            let mut number = 2;
            while self.seen.contains(&call.id) || !here.insert(call.id.clone()) {
                if let Ok(id) = CallId::new(format!("{stem}_{number}")) {
                    call.id = id;
                }
                number += 1;
            }
        }
    }

    fn push(&mut self, role: Role, parts: Vec<Part>) -> Box<Message> {
        let message = self.message(role, parts);
        self.add(Arc::new(message.clone()));
        Box::new(message)
    }

    fn message(&self, role: Role, parts: Vec<Part>) -> Message {
        Message {
            id: MessageId(self.clock.new_id()),
            at: self.clock.now(),
            role,
            agent: self.agent.clone(),
            task: None,
            parent: None,
            mode: ExecutionMode::default(),
            memory: Object::new(),
            parts,
            metadata: self.model.iter().map(|model| (MODEL.to_owned(), model.as_str().into())).collect(),
        }
    }

    /// Another model continues.
    pub fn continued_by(&mut self, model: &str) {
        self.model = Some(model.to_owned());
    }

    /// The conversation as the model may see it: what another one thought is signed by that one, and is refused.
    #[must_use]
    pub fn own_thoughts(&self, messages: Conversation) -> Conversation {
        let is_foreign =
            |message: &Message| message.role == Role::Assistant && speaker(message) != self.model.as_deref();
        if self.speakers.iter().all(|speaker| *speaker == self.model) {
            return messages;
        }
        let shown = |message: &Arc<Message>| match is_foreign(message) {
            false => Arc::clone(message),
            true => Arc::new(unsigned(message)),
        };
        Arc::new(messages.iter().map(shown).collect())
    }

    fn add(&mut self, message: Arc<Message>) {
        let calls = message.parts.iter().filter_map(|part| match part {
            Part::ToolCall(call) => Some(call.id.clone()),
            _ => None,
        });
        self.seen.extend(calls);
        self.taken += u32::from(message.role == Role::Assistant);
        if message.metadata.contains_key(REFUSED) {
            return;
        }
        if message.role == Role::Assistant {
            let speaker = speaker(&message);
            if !self.speakers.iter().any(|known| known.as_deref() == speaker) {
                self.speakers.push(speaker.map(str::to_owned));
            }
        }
        self.count_failing(&message);
        self.tokens = self.tokens.saturating_add(fit::tokens(std::slice::from_ref(&message)));
        // Nothing else holds it between two requests, so nothing is copied.
        Arc::make_mut(&mut self.messages).push(message);
    }
}

fn unsigned(message: &Message) -> Message {
    let mut message = message.clone();
    for part in &mut message.parts {
        if let Part::Thinking(thought) = part {
            thought.signature = None;
        }
    }
    message
}

/// The tool calls of a turn, in order.
#[must_use]
pub fn calls_of(message: &Message) -> Vec<ToolCall> {
    let calls = message.parts.iter().filter_map(|part| match part {
        Part::ToolCall(call) => Some(call.clone()),
        _ => None,
    });
    calls.collect()
}

/// The JSON in an answer, checked against its schema. Fences around it are forgiven.
fn fits(shape: &AnswerShape, text: &str) -> Result<String, String> {
    let bare =
        text.trim().trim_start_matches("```json").trim_start_matches("```").trim_end_matches("```").trim();
    let value: serde_json::Value = serde_json::from_str(bare).map_err(|error| error.to_string())?;
    let validator = jsonschema::validator_for(&shape.schema).map_err(|error| error.to_string())?;
    let problems: Vec<String> = validator
        .iter_errors(&value)
        .take(5)
        .map(|error| format!("{} at `{}`", error, error.instance_path()))
        .collect();
    if problems.is_empty() { Ok(bare.to_owned()) } else { Err(problems.join("; ")) }
}

#[cfg(test)]
#[path = "turns_tests.rs"]
mod tests;
