//! What was asked, so that an answer is shown in the words of its question. Pure.

use std::collections::BTreeMap;

use amelia_core::event::HumanEvent;
use amelia_core::human::{HumanAction, HumanKind, HumanReply, HumanRequest};
use amelia_core::id::RequestId;

/// How the words for a yes begin.
const APPROVED: &str = "approved";

/// The questions of a log so far.
#[derive(Debug, Default)]
pub(crate) struct AskedQuestions {
    open: BTreeMap<RequestId, OpenQuestion>,
    /// What an agent said last.
    said: String,
}

/// A question without an answer so far.
#[derive(Debug)]
struct OpenQuestion {
    kind: HumanKind,
    topic: String,
}

impl AskedQuestions {
    pub(crate) fn note(&mut self, request: &HumanRequest) {
        let HumanRequest { id, kind, .. } = request;
        self.open.insert(*id, OpenQuestion { kind: *kind, topic: request.topic() });
    }

    /// What a run waits for, in the words of its last question of this kind.
    pub(crate) fn waits_for(&self, kind: HumanKind) -> String {
        let asked = self.open.values().rev().find(|question| question.kind == kind);
        asked.map_or_else(|| kind.to_string(), |question| question.topic.clone())
    }

    /// An agent has said this.
    pub(crate) fn heard(&mut self, text: &str) {
        text.trim().clone_into(&mut self.said);
    }

    /// A question without the words at its end that an agent said just before: they stand above it.
    pub(crate) fn unsaid<'a>(&self, prompt: &'a str) -> &'a str {
        let rest = prompt.trim_end().strip_suffix(&self.said).map(str::trim_end);
        rest.filter(|rest| !self.said.is_empty() && !rest.is_empty()).unwrap_or(prompt)
    }

    /// What happened in these words, with an answer told as what it was.
    pub(crate) fn told(&mut self, event: &HumanEvent, words: String) -> String {
        match event {
            HumanEvent::Requested(request) => {
                self.note(request);
                words
            }
            HumanEvent::Replied(reply) => match (self.word_for(reply), words.strip_prefix(APPROVED)) {
                (Some(word), Some(message)) => format!("{word}{message}"),
                (None, _) | (_, None) => words,
            },
            HumanEvent::Intervened(_) => words,
        }
    }

    /// What a yes is called. Who lets a run continue that the engine stopped has approved nothing, and neither has who
    /// answers a question.
    fn word_for(&mut self, reply: &HumanReply) -> Option<&'static str> {
        let OpenQuestion { kind, .. } = self.open.remove(&reply.request)?;
        if reply.action != HumanAction::Approve || reply.is_automatic() {
            return None;
        }
        match kind {
            HumanKind::Question => Some("answered"),
            kind if kind.is_asked_by_node() => None,
            _ => Some("resumed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::event::EventKind;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_question_does_not_repeat_what_stands_above_it() {
        let mut asked = AskedQuestions::default();
        assert_eq!(asked.unsaid("Publish this?"), "Publish this?");
        asked.heard("Rivers are long.\nThey end in the sea.\n");
        let question = "Publish this?\n\nRivers are long.\nThey end in the sea.";
        assert_eq!(asked.unsaid(question), "Publish this?");
        let whole = "Rivers are long.\nThey end in the sea.";
        assert_eq!(asked.unsaid(whole), whole, "there is nothing else");
        assert_eq!(asked.unsaid("Publish it?"), "Publish it?");
    }

    #[test]
    fn who_resumes_a_paused_run_has_approved_nothing() {
        let told = |kind: &str, action: &str, message: Option<&str>| {
            let mut asked = AskedQuestions::default();
            let request = json!({"requested": {
                "id": uuid::Uuid::nil(), "kind": kind, "by": "engine", "at": "2026-01-01T00:00:00Z", "prompt": "?",
            }});
            asked.told(&serde_json::from_value(request).unwrap(), String::new());
            let reply = json!({"replied": {
                "request": uuid::Uuid::nil(), "action": action, "at": "2026-01-01T00:00:00Z", "message": message,
            }});
            let reply = EventKind::Human(serde_json::from_value(reply).unwrap());
            let EventKind::Human(human) = &reply else { unreachable!() };
            asked.told(human, reply.summary())
        };
        assert_eq!(told("pause", "approve", None), "resumed");
        assert_eq!(told("pause", "approve", Some("use tabs")), "resumed: use tabs");
        assert_eq!(told("pause", "reject", None), "rejected");
        assert_eq!(told("approval", "approve", None), "approved");
        assert_eq!(told("question", "approve", Some("tabs")), "answered: tabs");
        assert_eq!(told("question", "reject", Some("I do not know")), "rejected: I do not know");
    }
}
