//! Messages, calls and the shared state of agents.

use amelia_core::message::{self as core, Object, Part, Role};
use amelia_core::tool::{self, ToolName};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The server of tools that belong to none.
pub(crate) const BUILTIN: &str = "builtin";

/// What agents of a run share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    pub messages: Vec<Message>,
    pub next_action: Option<String>,
    pub current_agent: String,
    pub routing_key: Option<String>,
    #[serde(default)]
    pub metadata: Object,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    pub role: Role,
    pub content: String,
    #[serde(default)]
    pub tool_calls: Vec<ToolCall>,
    pub timestamp: Timestamp,
}

impl From<&core::Message> for Message {
    /// Results of tools are the content of the message that brings them.
    fn from(message: &core::Message) -> Self {
        let mut contents: Vec<&str> = Vec::new();
        let mut tool_calls = Vec::new();
        for part in &message.parts {
            match part {
                Part::Text(text) => contents.push(&text.text),
                Part::ToolResult(result) => contents.push(result.error.as_ref().unwrap_or(&result.output)),
                Part::ToolCall(call) => tool_calls.push(call.into()),
                Part::Thinking(_)
                | Part::Artifact(_)
                | Part::Image(_)
                | Part::Audio(_)
                | Part::Memory(_)
                | Part::Guardrail(_) => {}
            }
        }
        Self { role: message.role, content: contents.join("\n\n"), tool_calls, timestamp: message.at }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    pub id: String,
    pub server: String,
    pub tool: String,
    pub arguments: Object,
}

impl From<&tool::ToolCall> for ToolCall {
    fn from(call: &tool::ToolCall) -> Self {
        let (server, tool) = server_and_tool(&call.tool);
        Self { id: call.id.to_string(), server, tool, arguments: call.args.clone() }
    }
}

pub(crate) fn server_and_tool(tool: &ToolName) -> (String, String) {
    (tool.server.clone().unwrap_or_else(|| BUILTIN.to_owned()), tool.name.clone())
}
