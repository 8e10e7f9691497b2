//! A person decides: at a node of the file, and before nodes that are checkpoints.

use amelia_core::event::{Event, EventKind, SystemEvent};
use amelia_core::human::{AnsweredRequest, HumanAction, HumanKind, HumanRequest, MODIFY};
use amelia_core::id::AgentName;
use amelia_core::message::Role;
use amelia_core::object::Object;
use amelia_core::state_updates::{AddedMessage, added_messages, check};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::chat::{Chat, ChatMessage, ChatRole, ChatUpdate};
use crate::template;

/// Messages that a person is shown with a question.
const SHOWN: usize = 5;
/// Marks a rejection, so that a run that continues after it asks again.
const REJECTED: &str = "rejected";

pub(super) struct HumanNode {
    pub(super) name: String,
    pub(super) prompt: Option<String>,
    /// Whether its edges have a label for a change.
    pub(super) can_change: bool,
}

impl HumanNode {
    /// The question tells where a change is no answer.
    fn marked(&self, mut request: HumanRequest) -> HumanRequest {
        if let (false, Value::Object(context)) = (self.can_change, &mut request.context) {
            context.insert(MODIFY.to_owned(), Value::Bool(false));
        }
        request
    }
}

#[async_trait]
impl Node<Chat> for HumanNode {
    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        let Some(answered) = cx.answered() else {
            let prompt = match &self.prompt {
                None => format!("`{}`: approve, reject or change?", self.name),
                Some(template) => template::render(template, state).map_err(|error| {
                    let message = format!("the prompt of `{}` cannot be filled in: {error}", self.name);
                    NodeError::new("bad_template", message)
                })?,
            };
            return Ok(Outcome::ask(self.marked(question(cx, state, prompt))));
        };
        let updates = match given_updates(cx, answered, state, &self.name) {
            Ok(updates) => updates,
            Err(problem) => {
                return Ok(Outcome::ask(self.marked(again(cx, state, &answered.request, &problem))));
            }
        };
        let key = match answered.reply.action {
            HumanAction::Modify => "modify",
            _ if answered.is_approval() => "approve",
            _ => "reject",
        };
        let mut all = vec![ChatUpdate::Set { key: "routing_key".to_owned(), value: json!(key) }];
        all.extend(words(cx, answered, &self.name));
        all.extend(updates);
        all.push(ChatUpdate::Visited { node: self.name.clone(), seen: state.messages.len() });
        Ok(Outcome::Done(all))
    }
}

/// Asks before a node that is a checkpoint.
pub(super) struct Gate {
    pub(super) node: String,
}

#[async_trait]
impl Node<Chat> for Gate {
    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        let ask = || question(cx, state, format!("run `{}` now?", self.node));
        let Some(answered) = cx.answered() else { return Ok(Outcome::ask(ask())) };
        if !answered.is_approval() {
            if was_rejected(&cx.recorded().await?, answered) {
                return Ok(Outcome::ask(ask()));
            }
            let message = format!("a person rejected the checkpoint before `{}`", self.node);
            let details = Object::from_iter([(REJECTED.to_owned(), json!(answered.request.id))]);
            let warned = SystemEvent::Warned { message: message.clone(), details };
            cx.record(vec![cx.draft(&AgentName::system(), EventKind::System(warned))]).await?;
            return Err(NodeError::new("rejected", message));
        }
        match given_updates(cx, answered, state, &self.node) {
            Ok(updates) => {
                Ok(Outcome::Done(words(cx, answered, &self.node).into_iter().chain(updates).collect()))
            }
            Err(problem) => Ok(Outcome::ask(again(cx, state, &answered.request, &problem))),
        }
    }
}

/// Whether this very answer has failed the run before.
fn was_rejected(events: &[Event], answered: &AnsweredRequest) -> bool {
    events.iter().any(|event| match &event.draft.kind {
        EventKind::System(SystemEvent::Warned { details, .. }) => {
            details.get(REJECTED).is_some_and(|request| *request == json!(answered.request.id))
        }
        _ => false,
    })
}

/// A question with the state as its context.
fn question(cx: &NodeCx, state: &Chat, prompt: String) -> HumanRequest {
    let hidden = state.messages.len().saturating_sub(SHOWN);
    let messages: Vec<Value> = state
        .messages
        .iter()
        .skip(hidden)
        .map(|message| json!({"agent": message.agent, "role": message.role, "text": message.text}))
        .collect();
    let context = json!({
        "state": {
            "messages": messages,
            "next_action": state.next_action,
            "current_agent": state.current_agent,
            "routing_key": state.routing_key,
            "metadata": state.metadata,
        }
    });
    HumanRequest { context, ..cx.request(HumanKind::Approval, prompt) }
}

/// The same question, after an answer that cannot be used.
fn again(cx: &NodeCx, state: &Chat, asked: &HumanRequest, problem: &str) -> HumanRequest {
    let before = asked.prompt.split_once("\n\n").map_or(asked.prompt.as_str(), |(first, _)| first);
    question(cx, state, format!("{before}\n\nThe changes in the last answer cannot be applied: {problem}"))
}

/// What the person said, as a message for the agents.
pub(super) fn words(cx: &NodeCx, answered: &AnsweredRequest, node: &str) -> Option<ChatUpdate> {
    let text = answered.reply.message.as_deref().map(str::trim).filter(|text| !text.is_empty())?;
    let (role, node, text) = (ChatRole::User, Some(node.to_owned()), text.to_owned());
    Some(ChatUpdate::Said(ChatMessage { role, agent: None, node, text, at: cx.now() }))
}

/// Changes of the state that come with an answer; or why they cannot be made. Messages are only added.
fn given_updates(
    cx: &NodeCx,
    answered: &AnsweredRequest,
    state: &Chat,
    node: &str,
) -> Result<Vec<ChatUpdate>, String> {
    if answered.reply.action != HumanAction::Modify {
        return Ok(Vec::new());
    }
    let Some(given) = answered.reply.updates.as_ref().filter(|given| !given.is_null()) else {
        return Ok(Vec::new());
    };
    let mut updates = Vec::new();
    for (key, value) in check(given, &state.metadata)? {
        match (key.as_str(), value) {
            ("current_agent", Value::String(agent)) => {
                updates.push(ChatUpdate::Current { agent: agent.clone() });
            }
            ("messages", value) => {
                let added = added_messages(value)?.into_iter();
                updates.extend(added.map(|message| ChatUpdate::Said(said(cx, message, node))));
            }
            ("metadata", Value::Object(fields)) => {
                updates.extend(
                    fields
                        .iter()
                        .map(|(key, value)| ChatUpdate::Set { key: key.clone(), value: value.clone() }),
                );
            }
            (key, value) => updates.push(ChatUpdate::Set { key: key.to_owned(), value: value.clone() }),
        }
    }
    Ok(updates)
}

/// A message as it is added at a node.
fn said(cx: &NodeCx, message: AddedMessage, node: &str) -> ChatMessage {
    let AddedMessage { role, agent, text } = message;
    let role = match role {
        Role::Assistant => ChatRole::Assistant,
        Role::Tool => ChatRole::Tool,
        Role::User | Role::System => ChatRole::User,
    };
    ChatMessage { role, agent, node: Some(node.to_owned()), text, at: cx.now() }
}
