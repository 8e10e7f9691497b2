//! What a program says, as messages of ours.

use std::sync::Arc;

use amelia_core::clock::Clock;
use amelia_core::driver::AgentMessage;
use amelia_core::id::{AgentName, CallId, MessageId};
use amelia_core::message::{ExecutionMode, Message, Object, Part, Role, TextPart};
use amelia_core::text::capped;
use amelia_core::tool::{CallOptions, ToolCall, ToolName, ToolResult};
use serde_json::Value;

/// As much of a tool's output as is kept. The program has the whole.
const OUTPUT: usize = 30_000;

/// Speaks for an agent.
#[derive(Clone)]
pub struct MessageFactory {
    pub agent: AgentName,
    pub clock: Arc<dyn Clock>,
}

impl MessageFactory {
    /// A turn of the agent.
    #[must_use]
    pub fn said(&self, text: impl Into<String>) -> AgentMessage {
        AgentMessage::Said(Box::new(Message {
            id: MessageId(self.clock.new_id()),
            at: self.clock.now(),
            role: Role::Assistant,
            agent: self.agent.clone(),
            task: None,
            parent: None,
            mode: ExecutionMode::default(),
            memory: Object::new(),
            parts: vec![Part::Text(TextPart::new(text))],
            metadata: Object::new(),
        }))
    }

    /// A call of a tool; one without a usable name of its own gets one.
    #[must_use]
    pub fn call(&self, id: &str, tool: &str, args: Value) -> ToolCall {
        let args = match args {
            Value::Object(args) => args,
            Value::Null => Object::new(),
            other => Object::from_iter([("value".to_owned(), other)]),
        };
        let tool = ToolName::repaired(tool);
        ToolCall { id: CallId::repaired(id), tool, args, at: None, options: CallOptions::default() }
    }

    /// What came of a call.
    #[must_use]
    pub fn result(&self, call: &ToolCall, output: &str, is_error: bool) -> ToolResult {
        let output = capped(output, OUTPUT);
        let (output, error) = if is_error { (String::new(), Some(output)) } else { (output, None) };
        ToolResult { output, error, ..ToolResult::interrupted(call) }
    }
}
