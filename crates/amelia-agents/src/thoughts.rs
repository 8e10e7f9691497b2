//! What a model thinks, as facts.

use amelia_core::event::{AgentEvent, Draft, EventKind};
use amelia_core::message::{Message, Part, ThinkingPart};

/// What a model thought in a turn, as far as it shows it.
pub(crate) fn thoughts(message: &Message) -> Vec<EventKind> {
    let thought = |part: &Part| match part {
        Part::Thinking(thought) if !thought.text.trim().is_empty() => {
            // The signature stays with the turn: it is of use to the provider alone.
            let thought = ThinkingPart { signature: None, ..thought.clone() };
            Some(EventKind::Agent(AgentEvent::Thought(thought)))
        }
        _ => None,
    };
    message.parts.iter().filter_map(thought).collect()
}

pub(crate) fn is_thought(draft: &Draft) -> bool {
    matches!(draft.kind, EventKind::Agent(AgentEvent::Thought(_)))
}
