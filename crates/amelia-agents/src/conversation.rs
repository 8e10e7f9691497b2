//! A conversation is what the log says it is: a resumed agent goes on with it. Pure.

use std::collections::BTreeMap;

use amelia_core::event::{AgentEvent, Event, EventKind};
use amelia_core::id::{AgentName, CallId, MessageId};
use amelia_core::message::{ExecutionMode, Message, Object, Part, Role, TextPart};
use amelia_core::tool::ToolResult;
use amelia_graph::node::NodeCx;

use crate::asking;

/// What a person, or a node, says to an agent.
#[must_use]
pub fn from_user(cx: &NodeCx, agent: &AgentName, text: impl Into<String>) -> Message {
    Message {
        id: MessageId(cx.new_id()),
        at: cx.now(),
        role: Role::User,
        agent: agent.clone(),
        task: None,
        parent: None,
        mode: ExecutionMode::default(),
        memory: Object::new(),
        parts: vec![Part::Text(TextPart::new(text))],
        metadata: Object::new(),
    }
}

/// Marks a message as the words with which a person let an agent go on.
const ANSWER_TO: &str = "answer_to";

/// What a person said when they let the agent go on past a limit; `None` when nobody was asked, or the conversation
/// has it already.
#[must_use]
pub fn guidance(cx: &NodeCx, agent: &AgentName, messages: &[Message]) -> Option<Message> {
    let answered = cx.answered().filter(|answered| !asking::is_question(answered))?;
    let request = answered.request.id.to_string();
    let is_there = |message: &Message| {
        message.metadata.get(ANSWER_TO).and_then(serde_json::Value::as_str) == Some(request.as_str())
    };
    if messages.iter().any(is_there) {
        return None;
    }
    let words = answered.reply.message.clone();
    let text = words.unwrap_or_else(|| "Go on. If something failed repeatedly, try another way.".to_owned());
    let mut message = from_user(cx, agent, text);
    message.metadata.insert(ANSWER_TO.to_owned(), request.into());
    Some(message)
}

/// Turns that were taken before a person last let the agent go on: they do not count any more.
#[must_use]
pub fn turns_before_guidance(messages: &[Message]) -> u32 {
    let last = messages.iter().rposition(|message| message.metadata.contains_key(ANSWER_TO));
    let before = messages.iter().take(last.unwrap_or(0));
    u32::try_from(before.filter(|message| message.role == Role::Assistant).count()).unwrap_or(u32::MAX)
}

/// The conversation of `agent` in the events of one node visit: every turn, and after each turn the results of its
/// calls. A last turn whose calls have not all returned stands at the end without results: its calls are taken up
/// again one by one, each by its own rule.
#[must_use]
pub fn rebuild(past: &[Event], agent: &AgentName) -> Vec<Message> {
    let mut results: BTreeMap<&CallId, &ToolResult> = BTreeMap::new();
    for event in past {
        if let EventKind::Agent(AgentEvent::Returned(result)) = &event.draft.kind {
            results.insert(&result.call, result);
        }
    }
    let mut messages: Vec<Message> = Vec::new();
    for event in past.iter().filter(|event| event.draft.agent == *agent) {
        let EventKind::Agent(AgentEvent::Said(said)) = &event.draft.kind else { continue };
        messages.push((**said).clone());
        let calls: Vec<&CallId> = said
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::ToolCall(call) => Some(&call.id),
                _ => None,
            })
            .collect();
        let returned: Option<Vec<Part>> = calls
            .iter()
            .map(|id| results.get(id).map(|result| Part::ToolResult((*result).clone())))
            .collect();
        if let Some(parts) = returned.filter(|parts| !parts.is_empty()) {
            let id = said.id;
            messages.push(Message {
                id,
                role: Role::Tool,
                parts,
                metadata: Object::new(),
                ..(**said).clone()
            });
        }
    }
    messages
}

#[cfg(test)]
#[path = "conversation_tests.rs"]
mod tests;
