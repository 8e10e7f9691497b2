//! What was asked, so that an answer is told in the words of its question. Pure.

use std::collections::BTreeMap;

use amelia_core::event::HumanEvent;
use amelia_core::human::{HumanAction, HumanKind, HumanReply, HumanRequest};
use amelia_core::id::RequestId;

/// How the words for a yes begin.
const APPROVED: &str = "approved";

/// The questions of a log so far.
#[derive(Debug, Default)]
pub(crate) struct AskedQuestions(BTreeMap<RequestId, HumanKind>);

impl AskedQuestions {
    pub(crate) fn note(&mut self, request: &HumanRequest) {
        self.0.insert(request.id, request.kind);
    }

    /// What happened in these words, with an answer told as what it was.
    pub(crate) fn told(&mut self, event: &HumanEvent, words: String) -> String {
        match event {
            HumanEvent::Requested(request) => {
                self.note(request);
                words
            }
            HumanEvent::Replied(reply) if self.resumes(reply) => match words.strip_prefix(APPROVED) {
                Some(message) => format!("resumed{message}"),
                None => words,
            },
            HumanEvent::Replied(_) | HumanEvent::Intervened(_) => words,
        }
    }

    /// Who lets a run continue that the engine stopped has approved nothing.
    fn resumes(&mut self, reply: &HumanReply) -> bool {
        let is_stop = self.0.remove(&reply.request).is_some_and(|kind| !kind.is_asked_by_node());
        is_stop && reply.action == HumanAction::Approve && !reply.is_automatic()
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::event::EventKind;
    use serde_json::json;

    use super::*;

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
    }
}
