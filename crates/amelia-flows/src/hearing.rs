//! What an agent reads of what was said before, and what its turn has cost.

use amelia_core::event::{AgentEvent, Event, EventKind};
use amelia_core::message::Role;
use amelia_core::store::StoreError;
use amelia_core::tag::{UNTRUSTED, tagged};
use amelia_graph::node::NodeCx;

use crate::chat::{Chat, ChatMessage, ChatRole, Used};

/// What others said since the last turn of `speaker`; empty when that is nothing.
pub(crate) fn messages_since(state: &Chat, speaker: &str) -> String {
    let seen = state.visits.get(speaker).map_or(0, |visits| visits.seen);
    let new = state.messages.iter().skip(seen);
    joined(new.filter(|message| message.node.as_deref() != Some(speaker)))
}

/// What others of the team with this path said since the last turn of `speaker`: not what is said in teams inside it, and not
/// what was said outside.
pub(crate) fn team_messages_since(state: &Chat, speaker: &str, path: &str) -> String {
    messages_of(state, speaker, path, |_| true)
}

/// The same, without what agents said: the words of people, and of Amelia itself.
pub(crate) fn people_since(state: &Chat, speaker: &str, path: &str) -> String {
    messages_of(state, speaker, path, |message| message.role == ChatRole::User)
}

fn messages_of(state: &Chat, speaker: &str, path: &str, is_heard: fn(&ChatMessage) -> bool) -> String {
    let seen = state.visits.get(speaker).map_or(0, |visits| visits.seen);
    let new = state.messages.iter().skip(seen).filter(|message| is_at(message, path) && is_heard(message));
    joined(new.filter(|message| message.node.as_deref() != Some(speaker)))
}

/// Whether a message was said in the team with this path.
pub(crate) fn is_at(message: &ChatMessage, path: &str) -> bool {
    let node = message.node.as_deref().unwrap_or_default();
    node.strip_prefix(path).is_some_and(|rest| !rest.contains('/'))
}

/// The newest messages, for someone who has heard none of them.
pub(crate) fn all_messages(state: &Chat) -> String {
    joined(state.visible().iter())
}

fn joined<'a>(messages: impl Iterator<Item = &'a ChatMessage>) -> String {
    messages.map(quoted).collect::<Vec<_>>().join("\n\n")
}

/// A person's words as they are; those of agents and tools as what they are.
fn quoted(message: &ChatMessage) -> String {
    match (message.role, &message.agent) {
        (ChatRole::User, _) => message.text.clone(),
        (ChatRole::Assistant | ChatRole::Tool, who) => {
            let who = who.as_deref().or(message.node.as_deref()).unwrap_or("tool");
            tagged(UNTRUSTED, &message.text, who)
        }
    }
}

/// What this visit has recorded of one conversation.
pub(crate) async fn recorded_in(cx: &NodeCx, talk: &NodeCx) -> Result<Vec<Event>, StoreError> {
    let mut events = cx.recorded().await?;
    events.retain(|event| event.draft.session == talk.session());
    Ok(events)
}

pub(crate) fn used_in(events: &[Event]) -> Used {
    let mut used = Used::default();
    for event in events {
        match &event.draft.kind {
            EventKind::Agent(AgentEvent::Said(said)) if said.role == Role::Assistant => used.steps += 1,
            EventKind::Agent(AgentEvent::Used(usage)) => {
                used.tokens = used.tokens.saturating_add(usage.tokens());
                used.add_cost(usage.cost_usd);
            }
            _ => {}
        }
    }
    used
}
