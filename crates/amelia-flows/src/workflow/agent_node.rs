//! An agent takes its turn: it reads what was said since its last one, or its inputs, and its answer is a message and,
//! where the file says so, values of the state.

use std::sync::Arc;

use amelia_agents::agent::{AgentAnswer, AgentStop, Question};
use amelia_agents::conversation;
use amelia_agents::pipeline::limits;
use amelia_core::config::workflow::NodeDef;
use amelia_core::event::Event;
use amelia_core::object::Object;
use amelia_core::tag::{UNTRUSTED, tagged};
use amelia_core::tool::ToolBox;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use serde_json::Value;

use super::state_tools::{StateTools, set_in};
use super::visit_limit::{VisitLimit, visit_limit};
use super::{FlowAgent, FlowParts, agent_of};
use crate::chat::{Chat, ChatMessage, ChatUpdate, Used};
use crate::hearing::{messages_since, recorded_in, used_in};

/// What an agent may set besides the outputs of its node.
const ROUTING: [&str; 2] = ["routing_key", "next_action"];
/// How often an agent is asked for outputs that are missing.
const TRIES: u32 = 3;

pub(super) struct AgentNode {
    pub(super) name: String,
    pub(super) agent: String,
    pub(super) def: NodeDef,
    pub(super) parts: Option<Arc<FlowParts>>,
}

#[async_trait]
impl Node<Chat> for AgentNode {
    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        limits::check_answer(cx)?;
        let granted = match visit_limit(cx, &self.name, &self.def, state).await? {
            VisitLimit::Within(granted) => granted.map(|granted| *granted),
            VisitLimit::Asks(request) => return Ok(Outcome::ask(*request)),
        };
        let agent = agent_of(self.parts.as_ref(), &self.agent)?;
        match self.turn(cx, state, agent).await {
            Ok(mut updates) => {
                updates.extend(granted);
                Ok(Outcome::Done(updates))
            }
            Err(stop) => limits::stopped(cx, stop),
        }
    }
}

impl AgentNode {
    async fn turn(&self, cx: &NodeCx, state: &Chat, agent: &FlowAgent) -> Result<Vec<ChatUpdate>, AgentStop> {
        // An agent that sees the messages remembers them; one that sees its inputs alone starts anew each time.
        let talk = match self.def.inputs.is_empty() {
            true => cx.thread(&self.name),
            false => cx.helper(&self.name).with_answer_to(cx),
        };
        let allowed: Vec<String> =
            self.def.outputs.iter().cloned().chain(ROUTING.map(str::to_owned)).collect();
        let tools: Arc<dyn ToolBox> = Arc::new(StateTools { inner: Arc::clone(&agent.tools), allowed });
        let mut said = self.opening(state);
        for number in 1..=TRIES {
            let opening = conversation::word(&talk, &agent.agent.name, number, said);
            let (system, tools) = (self.system(agent), Arc::clone(&tools));
            let question = Question { system, opening, tools, hand_ins: &[], shape: None };
            let talk = if number == 1 { talk.clone() } else { talk.up_to_date() };
            let AgentAnswer::Text(answer) = agent.agent.ask(&talk, &question).await? else {
                return Err(
                    NodeError::new("handed_in", "a result was submitted, but none was expected").into()
                );
            };
            let of_talk = recorded_in(cx, &talk).await?;
            let mut set = set_in(&of_talk);
            let missing = self.take_outputs(&answer, &mut set);
            if missing.is_empty() {
                return Ok(self.updates(cx, state, answer, set, &of_talk));
            }
            said = format!(
                "Your answer does not set {}. Answer with a JSON object that has these keys, and nothing else.",
                missing.join(", ")
            );
        }
        let message = format!("`{}` has not set its outputs ({})", self.agent, self.def.outputs.join(", "));
        Err(NodeError::new("missing_outputs", message).into())
    }

    /// Values that the answer itself sets. Returns the outputs that are still missing.
    fn take_outputs(&self, answer: &str, set: &mut Object) -> Vec<String> {
        let missing = |set: &Object| -> Vec<String> {
            self.def.outputs.iter().filter(|key| !set.contains_key(*key)).cloned().collect()
        };
        let wanted = missing(set);
        if wanted.is_empty() {
            return wanted;
        }
        if let Some(object) = object_in(answer) {
            for key in self.def.outputs.iter().map(String::as_str).chain(ROUTING) {
                if let Some(value) = object.get(key) {
                    set.entry(key).or_insert_with(|| value.clone());
                }
            }
        }
        match missing(set).as_slice() {
            // One output takes the answer as it is.
            [only] if self.def.outputs.len() == 1 => {
                set.insert(only.clone(), Value::String(answer.to_owned()));
                Vec::new()
            }
            still => still.to_vec(),
        }
    }

    fn system(&self, agent: &FlowAgent) -> String {
        let system = &agent.system;
        match self.def.outputs.as_slice() {
            [] => system.clone(),
            [only] => format!(
                "{system}\n\nYour answer becomes the value `{only}`. To set it to something that is not text, call \
                 `update_state`."
            ),
            several => format!(
                "{system}\n\nSet {} before you finish: call `update_state`, or answer with a JSON object that has \
                 these keys, and nothing else.",
                several.join(", ")
            ),
        }
    }

    /// What the agent reads: its inputs, or what was said since its last turn.
    fn opening(&self, state: &Chat) -> String {
        if !self.def.inputs.is_empty() {
            let seen = state.seen();
            let input = |key: &String| {
                let value = seen.get(key).cloned().unwrap_or(Value::Null);
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                format!("{key}:\n{}", tagged(UNTRUSTED, &text, key))
            };
            return self.def.inputs.iter().map(input).collect::<Vec<_>>().join("\n\n");
        }
        match messages_since(state, &self.name) {
            text if text.is_empty() => "It is your turn.".to_owned(),
            text => text,
        }
    }

    fn updates(
        &self,
        cx: &NodeCx,
        state: &Chat,
        answer: String,
        set: Object,
        events: &[Event],
    ) -> Vec<ChatUpdate> {
        let at = cx.now();
        let message = ChatMessage::of_agent(&self.agent, &self.name, answer, at);
        let set = set.into_iter().map(|(key, value)| ChatUpdate::Set { key, value });
        let used = Used { turns: 1, at: Some(at), ..used_in(events) };
        [
            ChatUpdate::Current { agent: self.agent.clone() },
            ChatUpdate::Said(message),
            ChatUpdate::Visited { node: self.name.clone(), seen: state.messages.len() },
            ChatUpdate::Used(used),
        ]
        .into_iter()
        .chain(set)
        .collect()
    }
}

/// The object that an answer is, also in a fenced block.
fn object_in(answer: &str) -> Option<Object> {
    let text = answer.trim();
    let inner = text.strip_prefix("```json").or_else(|| text.strip_prefix("```"));
    let text = inner.and_then(|inner| inner.trim().strip_suffix("```")).unwrap_or(text);
    serde_json::from_str(text.trim()).ok()
}

#[cfg(test)]
#[path = "agent_node_tests.rs"]
mod tests;
