//! A server asks a person in the middle of a tool call. Nothing waits inside a call: the call ends, the run rests with the
//! question, and the call is made again with the answer at hand. So the answer may take days, survives a crash, and a
//! server may have ended meanwhile. The protocol of 2026-07-28 works in the same way. A server that does something before it
//! asks does it again.

use std::sync::Arc;

use amelia_core::elicitation::{AnsweredElicitation, ELICITATION, Elicitation, ElicitationAnswer, Elicited};
use amelia_core::event::{AgentEvent, Event, EventKind};
use amelia_core::human::{AnsweredRequest, HumanKind, HumanRequest};
use amelia_core::id::AgentName;
use amelia_core::tool::{Elicit, ToolCall, ToolCx, ToolName};
use amelia_graph::node::NodeCx;
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::prompt::fence;

/// How often a person is asked in one call.
const MOST: usize = 10;

/// The questions of one call: those that were answered, and one that is to be.
pub(crate) struct Questions {
    answered: Vec<AnsweredElicitation>,
    state: Arc<Mutex<QuestionState>>,
}

#[derive(Default)]
struct QuestionState {
    /// How many were answered in this try.
    used: usize,
    open: Option<Elicitation>,
}

impl Questions {
    /// Of a call with what was answered to it before.
    pub(crate) fn new(answered: Vec<AnsweredElicitation>) -> Self {
        Self { answered, state: Arc::default() }
    }

    /// What a call is made with. A question that has no answer yet ends it.
    pub(crate) fn tool_cx(&self, cx: &ToolCx) -> ToolCx {
        let cancel = cx.cancel.child_token();
        let (state, answered, ends) = (Arc::clone(&self.state), self.answered.clone(), cancel.clone());
        let elicit: Elicit = Arc::new(move |asked| {
            let mut state = state.lock();
            if state.open.is_some() {
                return Elicited::Later;
            }
            // The words may have a time or a number in them; what is asked for is the same.
            let known = answered.get(state.used).filter(|known| known.asked.schema == asked.schema);
            if let Some(known) = known {
                state.used += 1;
                return Elicited::Answered(known.answer.clone());
            }
            if state.used >= MOST {
                return Elicited::Declined(format!("a person is asked at most {MOST} times in one call"));
            }
            state.open = Some(asked.clone());
            ends.cancel();
            Elicited::Later
        });
        ToolCx { cancel, elicit, ..cx.clone() }
    }

    /// The question that ended the call, if one did.
    pub(crate) fn open(&self, cx: &NodeCx, agent: &AgentName, call: &ToolCall) -> Option<HumanRequest> {
        let mut state = self.state.lock();
        let asked = state.open.take()?;
        let answered = self.answered.get(..state.used).unwrap_or_default();
        let request = cx.request(HumanKind::Question, asked.prompt());
        let context = json!({
            "call": call.id, "tool": call.tool, "args": call.args,
            ELICITATION: { "asked": asked, "answered": answered },
        });
        Some(HumanRequest { by: agent.clone(), context, ..request })
    }
}

/// What was answered to a call so far, when the last answer is to a question of its server. A program makes the call again
/// itself, with another id.
pub(crate) fn answered(cx: &NodeCx, call: &ToolCall, is_program: bool) -> Vec<AnsweredElicitation> {
    let answers = || {
        let given = cx.answered()?;
        let context = &given.request.context;
        let is_it = match is_program {
            false => context.get("call")? == &json!(call.id),
            true => context.get("tool")? == &json!(call.tool) && context.get("args")? == &json!(call.args),
        };
        let asked = Elicitation::of(&given.request).filter(|_| is_it)?;
        // It was checked when it was given; one that does not fit any more is none.
        let answer = asked.answer(&given.reply).unwrap_or(ElicitationAnswer::Cancel);
        let earlier = context.get(ELICITATION)?.get("answered")?.clone();
        let mut all: Vec<AnsweredElicitation> = serde_json::from_value(earlier).ok()?;
        all.push(AnsweredElicitation { asked, answer });
        Some(all)
    };
    answers().unwrap_or_default()
}

/// Whether a call that the log has begun ended with a question, and was not begun again since: every time it is made is in
/// the log.
pub(crate) fn is_to_be_repeated(answered: &[AnsweredElicitation], call: &ToolCall, past: &[Event]) -> bool {
    let is_begun = |event: &&Event| match &event.draft.kind {
        EventKind::Agent(AgentEvent::Called(made)) => made.id == call.id,
        _ => false,
    };
    !answered.is_empty() && past.iter().filter(is_begun).count() == answered.len()
}

/// The notice to a program: its call has ended, and it has to make it again.
pub(crate) fn words(answered: &AnsweredRequest) -> Option<String> {
    let asked = Elicitation::of(&answered.request)?;
    let tool = answered.request.context.get("tool").and_then(Value::as_str).unwrap_or_default();
    let tool = ToolName::repaired(tool).for_models();
    let question = fence::untrusted(&asked.message, "question");
    Some(format!(
        "The MCP server `{}` asked a person a question when you called `{tool}`:\n\n{question}\n\nThey have answered, and \
         your call has ended. Make exactly the same call again: the server gets the answer. Then continue.",
        asked.server
    ))
}

#[cfg(test)]
#[path = "eliciting_tests.rs"]
mod tests;
