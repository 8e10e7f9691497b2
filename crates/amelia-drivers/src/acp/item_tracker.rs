//! What an agent says and does in a turn, piece by piece, as messages of ours. Pure.

use std::collections::BTreeMap;
use std::path::Path;

use amelia_core::driver::{AgentMessage, DeltaKind};
use amelia_core::message::Part;
use amelia_core::tool::{Risk, ToolCall, ToolSpec};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::model::textual::protocol;
use crate::program::MessageFactory;
use crate::program::rpc::text;

/// A call of a tool of its own, as far as it has told.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ToolCallUpdate {
    pub(super) tool_call_id: String,
    title: Option<String>,
    kind: Option<String>,
    status: Option<String>,
    raw_input: Option<Value>,
    raw_output: Option<Value>,
    content: Option<Vec<Value>>,
    locations: Option<Vec<Value>>,
}

impl ToolCallUpdate {
    /// With what is reported now put on top.
    fn updated(self, now: Self) -> Self {
        Self {
            tool_call_id: now.tool_call_id,
            title: now.title.or(self.title),
            kind: now.kind.or(self.kind),
            status: now.status.or(self.status),
            raw_input: now.raw_input.or(self.raw_input),
            raw_output: now.raw_output.or(self.raw_output),
            content: now.content.or(self.content),
            locations: now.locations.or(self.locations),
        }
    }

    fn kind(&self) -> &str {
        self.kind.as_deref().unwrap_or("other")
    }

    /// It changes files, with any name.
    pub(super) fn is_change(&self) -> bool {
        matches!(self.kind(), "edit" | "delete" | "move")
    }

    pub(super) fn is_command(&self) -> bool {
        self.kind() == "execute"
    }

    /// It gets something from the network.
    pub(super) fn is_fetch(&self) -> bool {
        self.kind() == "fetch"
    }

    /// The files that it is about.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.locations.iter().flatten().filter_map(|location| location.get("path")?.as_str())
    }

    /// What it can do to the world.
    pub(super) fn risk(&self, work_area: &Path) -> Risk {
        let is_inside = |path: &str| {
            let path = Path::new(path);
            let is_plain = path.components().all(|part| part != std::path::Component::ParentDir);
            is_plain && work_area.join(path).starts_with(work_area)
        };
        match self.kind() {
            "read" | "search" | "think" => Risk::Read,
            "execute" => Risk::Execute,
            // One that does not say which file it is about may be about any.
            _ if self.is_change() && self.paths().next().is_some() && self.paths().all(is_inside) => {
                Risk::Write
            }
            _ => Risk::External,
        }
    }

    /// As a call of ours: commands under the name of our own tool for them, so that one rule allows both.
    pub(super) fn call(&self, factory: &MessageFactory) -> ToolCall {
        let given = self.raw_input.as_ref().and_then(Value::as_object).filter(|given| !given.is_empty());
        let title = self.title.as_deref().unwrap_or_default();
        let (tool, args) = match (self.kind(), given) {
            ("execute", given) => {
                let command = given.and_then(|given| given.get("command")?.as_str()).unwrap_or(title);
                ("shell", json!({"command": command}))
            }
            (kind, Some(given)) => (kind, Value::Object(given.clone())),
            (kind, None) => (kind, json!({"title": title, "paths": self.paths().collect::<Vec<_>>()})),
        };
        factory.call(&self.tool_call_id, tool, args)
    }

    fn output(&self) -> String {
        let raw = self.raw_output.as_ref();
        let plain = raw.and_then(|raw| raw.as_str().or_else(|| raw.get("output")?.as_str()));
        let shown = self.content.iter().flatten().filter_map(|part| part.pointer("/content/text")?.as_str());
        plain.map_or_else(|| shown.collect::<Vec<_>>().join("\n"), str::to_owned)
    }
}

/// What is under way in a turn.
#[derive(Debug, Default)]
pub(super) struct ItemTracker {
    /// By its id; with the call, once it was shown.
    doing: BTreeMap<String, (ToolCallUpdate, Option<ToolCall>)>,
    message: Option<String>,
    words: String,
    thoughts: String,
    /// All that was said in this turn's last message, calls of our tools included.
    pub(super) last_words: String,
}

/// What an update comes to.
#[derive(Debug, Default)]
pub(super) struct UpdateResult {
    pub(super) messages: Vec<AgentMessage>,
    /// Something that it has just done.
    pub(super) done: Option<ToolCallUpdate>,
}

impl ItemTracker {
    /// One update.
    pub(super) fn updated(&mut self, update: &Value, factory: &MessageFactory) -> UpdateResult {
        let words = text(update, &["content", "text"]).unwrap_or_default();
        let messages = match text(update, &["sessionUpdate"]).unwrap_or_default() {
            "agent_message_chunk" => {
                let mut messages = self.interrupted(text(update, &["messageId"]), factory);
                messages.extend(self.thought());
                self.words.push_str(words);
                messages.extend(delta(DeltaKind::Text, words));
                messages
            }
            "agent_thought_chunk" => {
                let mut messages = self.interrupted(text(update, &["messageId"]), factory);
                self.thoughts.push_str(words);
                messages.extend(delta(DeltaKind::Thinking, words));
                messages
            }
            kind @ ("tool_call" | "tool_call_update") => {
                let mut messages = self.flush(factory);
                let Ok(now) = ToolCallUpdate::deserialize(update) else {
                    return UpdateResult { messages, done: None };
                };
                let (told, done) = self.acted(now, kind == "tool_call_update", factory);
                messages.extend(told);
                return UpdateResult { messages, done };
            }
            _ => Vec::new(),
        };
        UpdateResult { messages, done: None }
    }

    /// A call, with what is asked about it put on top; it is shown at the latest now.
    pub(super) fn asked(
        &mut self,
        now: ToolCallUpdate,
        factory: &MessageFactory,
    ) -> (ToolCallUpdate, Vec<AgentMessage>) {
        let known = self.doing.get(&now.tool_call_id).map(|(doing, _)| doing.clone()).unwrap_or_default();
        let asked = known.updated(ToolCallUpdate { status: None, ..now.clone() });
        let mut messages = self.flush(factory);
        // What it wants to do is what it asks about; what it told before may say it in other words.
        let keep = ToolCallUpdate { raw_input: None, title: None, ..now };
        messages.extend(self.acted(keep, true, factory).0);
        (asked, messages)
    }

    /// What was said and thought, as far as it has not been reported.
    pub(super) fn flush(&mut self, factory: &MessageFactory) -> Vec<AgentMessage> {
        let mut messages = self.thought();
        let words = std::mem::take(&mut self.words);
        self.message = None;
        if !words.trim().is_empty() {
            let said = protocol::read(&words).into_iter().find_map(|part| match part {
                Part::Text(text) => Some(text.text),
                _ => None,
            });
            messages.extend(said.map(|said| factory.said(said)));
            self.last_words = words;
        }
        messages
    }

    fn thought(&mut self) -> Vec<AgentMessage> {
        let text = std::mem::take(&mut self.thoughts);
        if text.trim().is_empty() { Vec::new() } else { vec![AgentMessage::Thinking { text }] }
    }

    /// Another message begins.
    fn interrupted(&mut self, message: Option<&str>, factory: &MessageFactory) -> Vec<AgentMessage> {
        let is_other = self.message.is_some() && message.is_some() && self.message.as_deref() != message;
        let messages = if is_other { self.flush(factory) } else { Vec::new() };
        self.message = message.map(str::to_owned);
        messages
    }

    /// A call that is only announced has no arguments yet: it is shown when there is more to it.
    fn acted(
        &mut self,
        now: ToolCallUpdate,
        is_more: bool,
        factory: &MessageFactory,
    ) -> (Vec<AgentMessage>, Option<ToolCallUpdate>) {
        let id = now.tool_call_id.clone();
        let (known, mut call) = self.doing.remove(&id).unwrap_or_default();
        let doing = known.updated(now);
        let mut messages = Vec::new();
        let status = doing.status.clone().unwrap_or_default();
        if call.is_none() && (is_more || status != "pending") {
            let told = doing.call(factory);
            messages.push(AgentMessage::ToolCall(told.clone()));
            call = Some(told);
        }
        if let ("completed" | "failed", Some(call)) = (status.as_str(), &call) {
            let result = factory.result(call, &doing.output(), status == "failed");
            messages.push(AgentMessage::ToolResult(result));
            return (messages, (status == "completed").then_some(doing));
        }
        self.doing.insert(id, (doing, call));
        (messages, None)
    }
}

fn delta(kind: DeltaKind, text: &str) -> Option<AgentMessage> {
    (!text.is_empty()).then(|| AgentMessage::Delta { kind, text: text.to_owned() })
}

/// Calls of our tools in a text, each under a name of its own: the text has none that lasts.
pub(super) fn calls(
    words: &str,
    offered: &[ToolSpec],
    name: impl Fn(usize) -> String,
) -> Vec<(String, ToolCall)> {
    let calls = protocol::read(words).into_iter().filter_map(|part| match part {
        Part::ToolCall(call) => Some(ToolCall { tool: call.tool.clone().from_models(offered), ..call }),
        _ => None,
    });
    let is_offered = |call: &ToolCall| offered.iter().any(|spec| spec.name == call.tool);
    let known_ones = calls.filter(|call| is_offered(call) || call.unreadable().is_some());
    known_ones.enumerate().map(|(index, call)| (name(index), call)).collect()
}
