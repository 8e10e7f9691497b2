//! The text in which tools are described, called and answered. Pure.

use std::fmt::Write;
use std::sync::Arc;

use amelia_core::message::{Message, Part, Role, TextPart};
use amelia_core::tool::{ToolCall, ToolResult, ToolSpec};
use serde_json::{Value, json};

use super::super::ModelRequest;
use super::super::http::{arguments_text, call_part, tool_text};

/// Begins a call.
pub(super) const OPEN: &str = "<tool_call>";
/// Ends one.
const CLOSE: &str = "</tool_call>";
/// Begins a result. A model that writes one itself is making it up.
pub(super) const RESULT: &str = "<tool_result";

/// The same request for a model that knows only text.
pub(super) fn in_text(request: ModelRequest) -> ModelRequest {
    let system = format!("{}\n\n{}", request.system, described(&request.tools));
    let messages = Arc::new(request.messages.iter().map(as_text).collect());
    ModelRequest { system, messages, tools: Arc::default(), ..request }
}

pub(crate) fn described(tools: &[ToolSpec]) -> String {
    let mut text = format!(
        "# Tools\nYou have the tools below. To call one, write exactly this, and nothing after it:\n{OPEN}\n\
         {{\"name\": \"TOOL\", \"arguments\": {{…}}}}\n{CLOSE}\nSeveral calls may follow each other. Then stop: the \
         results come in the next message, between {RESULT}> tags. Never write a result yourself. When you need no \
         tool any more, answer in plain text.\n"
    );
    for tool in tools {
        // Writing to a string cannot fail.
        writeln!(
            text,
            "\n## {}\n{}\nArguments (JSON Schema): {}",
            tool.name, tool.description, tool.input_schema
        )
        .ok();
    }
    text
}

fn as_text(message: &Arc<Message>) -> Arc<Message> {
    let is_about_tools = |part: &Part| matches!(part, Part::ToolCall(_) | Part::ToolResult(_));
    if !message.parts.iter().any(is_about_tools) {
        return Arc::clone(message);
    }
    let role = if message.role == Role::Tool { Role::User } else { message.role };
    let parts = message.parts.iter().map(|part| match part {
        Part::ToolCall(call) => Part::Text(TextPart::new(written(call))),
        Part::ToolResult(result) => Part::Text(TextPart::new(returned(result))),
        other => other.clone(),
    });
    Arc::new(Message { role, parts: joined(parts), ..(**message).clone() })
}

/// What came of a call.
pub(crate) fn returned(result: &ToolResult) -> String {
    // A result that holds the end of a result does not end.
    let text = tool_text(result).replace("</tool_result", "<\\/tool_result");
    format!("{RESULT} name=\"{}\">\n{text}\n</tool_result>", result.tool)
}

/// One text part instead of many: some servers take only one.
fn joined(parts: impl Iterator<Item = Part>) -> Vec<Part> {
    let mut out: Vec<Part> = Vec::new();
    for part in parts {
        match (out.last_mut(), part) {
            (Some(Part::Text(before)), Part::Text(text)) => {
                before.text.push('\n');
                before.text.push_str(&text.text);
            }
            (_, part) => out.push(part),
        }
    }
    out
}

fn written(call: &ToolCall) -> String {
    let arguments: Value =
        serde_json::from_str(&arguments_text(call)).unwrap_or_else(|_| json!(arguments_text(call)));
    let body = json!({ "name": call.tool, "arguments": arguments });
    format!("{OPEN}\n{body}\n{CLOSE}")
}

/// The parts of a text: what is said, and the calls in it. A call that cannot be read is a call too: its result says
/// what was wrong with it.
pub(crate) fn read(text: &str) -> Vec<Part> {
    let text = text.split(RESULT).next().unwrap_or_default();
    let mut pieces = text.split(OPEN);
    let said = pieces.next().unwrap_or_default().trim();
    let mut parts = Vec::new();
    if !said.is_empty() {
        parts.push(Part::Text(TextPart::new(said)));
    }
    for (index, piece) in pieces.enumerate() {
        let body = piece.split(CLOSE).next().unwrap_or_default();
        parts.push(Part::ToolCall(call(index, body)));
    }
    parts
}

fn call(index: usize, body: &str) -> ToolCall {
    let bare = body.trim().trim_start_matches("```json").trim_matches('`').trim();
    let id = format!("call_{index}");
    let Ok(Value::Object(fields)) = serde_json::from_str(bare) else {
        return call_part(&id, "tool_call", if bare.is_empty() { "nothing" } else { bare });
    };
    let name =
        fields.get("name").and_then(Value::as_str).filter(|name| !name.is_empty()).unwrap_or("tool_call");
    let arguments = ["arguments", "args", "parameters", "input"].iter().find_map(|key| fields.get(*key));
    match arguments {
        // Some models write the arguments as a string with JSON in it.
        Some(Value::String(text)) => call_part(&id, name, text),
        Some(arguments) => call_part(&id, name, &arguments.to_string()),
        None => call_part(&id, name, ""),
    }
}
