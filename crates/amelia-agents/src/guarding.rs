//! What the texts and calls of an agent are checked against. A replay does not check again: what was found is kept with the
//! recording, because results of tools are in the log only as they were let through, and limits depend on the time.

use std::sync::Arc;

use amelia_core::event::EventKind;
use amelia_core::event::guardrail::{GuardPoint, GuardrailAction};
use amelia_core::guardrail::{CheckedCall, CheckedContent, Guardrails, Violation, first_block, part_of};
use amelia_core::id::AgentName;
use amelia_core::message::{Message, Part, TextPart};
use amelia_core::recording::{Channel, FrameSource, Playback, Tape};
use amelia_graph::node::NodeCx;
use serde_json::Value;

/// The guardrails of an agent.
#[derive(Clone)]
pub struct Guard {
    rules: Arc<dyn Guardrails>,
    played: Option<Arc<Playback>>,
}

impl Guard {
    /// Checks against these rules; with a recording, finds what was found then.
    #[must_use]
    pub fn new(rules: Arc<dyn Guardrails>, played: Option<Arc<Playback>>) -> Self {
        Self { rules, played }
    }

    /// Whether an answer must be checked before anyone sees a part of it.
    pub(crate) fn holds_back(&self) -> bool {
        self.rules.holds_back_answers()
    }

    /// The same in one conversation of a visit.
    pub(crate) fn of(&self, cx: &NodeCx, agent: &AgentName, tape: &Arc<dyn Tape>) -> AgentGuard {
        AgentGuard { guard: self.clone(), cx: cx.clone(), agent: agent.clone(), tape: Arc::clone(tape) }
    }
}

/// The guardrails of an agent in one conversation of a visit.
pub(crate) struct AgentGuard {
    guard: Guard,
    cx: NodeCx,
    agent: AgentName,
    tape: Arc<dyn Tape>,
}

impl AgentGuard {
    pub(crate) fn holds_at(&self, point: GuardPoint) -> bool {
        self.guard.rules.holds_at(point)
    }

    pub(crate) fn counts_calls(&self) -> bool {
        self.guard.rules.counts_calls()
    }

    pub(crate) fn is_played(&self) -> bool {
        self.guard.played.is_some()
    }

    pub(crate) fn replaced(&self, point: GuardPoint, text: &str) -> Option<String> {
        self.guard.rules.replaced(point, text)
    }

    /// What is wrong with a text or a call. `key` says which of its kind in this conversation it is.
    pub(crate) fn check(
        &self,
        point: GuardPoint,
        text: &str,
        call: Option<CheckedCall<'_>>,
        key: &str,
    ) -> Vec<Violation> {
        if !self.holds_at(point) {
            return Vec::new();
        }
        let session = self.cx.session().map(|session| session.to_string()).unwrap_or_default();
        let name = format!("{}/{session}/{}/guard/{point}/{key}", self.cx.step(), self.agent);
        if let Some(played) = &self.guard.played {
            let read = |body: &[u8]| serde_json::from_slice::<Vec<Violation>>(body).ok();
            let found = played.next_if(FrameSource::Model, &name, |body| read(body).is_some());
            return found.and_then(|found| read(&found.body)).unwrap_or_default();
        }
        let content = CheckedContent { point, agent: self.agent.as_str(), text, call, at: self.cx.now() };
        let state = |name: &str| self.cx.value(name);
        let mut found = self.guard.rules.check(&content, &state);
        for violation in &mut found {
            violation.id = self.cx.new_id().to_string();
        }
        if let (false, Ok(body)) = (found.is_empty(), serde_json::to_vec(&found)) {
            Channel::new(Arc::clone(&self.tape), name).add(FrameSource::Model, body);
        }
        found
    }

    /// The input of the agent, as it is let through, and what was found in it.
    pub(crate) fn word(&self, mut message: Message, place: usize) -> (Message, Vec<EventKind>) {
        let found = self.check(GuardPoint::Prompt, &message.text(), None, &place.to_string());
        match first_block(&found) {
            Some(block) => message.parts = vec![Part::Text(TextPart::new(in_its_place("message", block)))],
            None => self.replace_in(GuardPoint::Prompt, &mut message.parts),
        }
        message.parts.extend(part_of(&found).map(Part::Guardrail));
        (message, found.iter().map(|violation| violation.event(None)).collect())
    }

    /// Replaces what rules replace in texts.
    pub(crate) fn replace_in(&self, point: GuardPoint, parts: &mut [Part]) {
        for part in parts {
            if let Part::Text(text) = part
                && let Some(changed) = self.replaced(point, &text.text)
            {
                text.text = changed;
            }
        }
    }

    /// The same in every text of a value.
    pub(crate) fn replace_in_value(&self, point: GuardPoint, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Some(changed) = self.replaced(point, text) {
                    *text = changed;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.replace_in_value(point, item)),
            Value::Object(fields) => {
                fields.values_mut().for_each(|value| self.replace_in_value(point, value));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// What stands in the place of what was blocked.
pub(crate) fn in_its_place(what: &str, block: &Violation) -> String {
    format!("[This {what} was withheld by the guardrail policy `{}`: {}]", block.policy, block.message)
}

/// Why a call is not made.
pub(crate) fn refusal(block: &Violation) -> String {
    format!("the guardrail policy `{}` does not allow it: {}", block.policy, block.message)
}

/// Violations that are only warned of: what has happened already cannot be blocked.
pub(crate) fn only_warned(mut found: Vec<Violation>) -> Vec<Violation> {
    for violation in &mut found {
        if violation.action == GuardrailAction::Blocked {
            violation.action = GuardrailAction::Warned;
        }
    }
    found
}

#[cfg(test)]
#[path = "guarding_tests.rs"]
mod tests;
