//! The text in which tools are described, called and answered. Pure.

use std::fmt::Write;
use std::sync::Arc;

use amelia_core::message::{Message, Object, Part, Role, TextPart, ThinkingPart};
use amelia_core::tag::without_tags;
use amelia_core::tool::{ToolCall, ToolResult, ToolSpec};
use serde_json::{Value, json};

use super::super::ModelRequest;
use super::super::codec::{arguments_text, call_part, tool_text};
use super::super::lenient;

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
        "# Tools\nYou have the tools below. To call a tool, write a block like this one:\n{OPEN}\n\
         {{\"name\": \"TOOL\", \"arguments\": {{…}}}}\n{CLOSE}\nYou may write several blocks, one after the other, and \
         then nothing more: the results come in the next message, between {RESULT}> tags. Never write a result \
         yourself. Write plain text without a block only when your instructions say that your turn ends with a message.\n"
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
    // A result that holds the end of a result does not end, nor does it teach calls that were never made.
    let text = without_tags(&tool_text(result), &["tool_result", "tool_call"]);
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
/// what was wrong with it. Tags in the strings of a call are part of it: a file may speak of them.
pub(crate) fn read(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let (thought, text) = thought(text);
    if !thought.trim().is_empty() {
        parts.push(Part::Thinking(ThinkingPart { text: thought.trim().to_owned(), signature: None }));
    }
    let said = until(text, &[OPEN, RESULT]);
    let mut rest = text.get(said.len()..).unwrap_or_default();
    if !said.trim().is_empty() {
        parts.push(Part::Text(TextPart::new(said.trim())));
    }
    // What follows a result is made up.
    for index in 0.. {
        let Some(body) = rest.strip_prefix(OPEN) else { break };
        let (call, after) = call(index, body);
        parts.push(Part::ToolCall(call));
        let between = until(after, &[OPEN, RESULT]);
        rest = after.get(between.len()..).unwrap_or_default();
    }
    parts
}

/// What a text begins with between the tags of a thought, and the rest. What a model only thinks of calling is not called.
fn thought(text: &str) -> (&str, &str) {
    let Some(inner) = text.trim_start().strip_prefix("<think>") else { return ("", text) };
    // One without an end is nothing but a thought.
    inner.split_once("</think>").unwrap_or((inner, ""))
}

/// What stands before the first of these tags.
fn until<'a>(text: &'a str, tags: &[&str]) -> &'a str {
    let end = tags.iter().filter_map(|tag| text.find(tag)).min();
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// The call with which `text` begins, and what comes after it.
fn call(index: usize, text: &str) -> (ToolCall, &str) {
    let id = format!("call_{index}");
    let inner = text.trim_start();
    let inner =
        inner.strip_prefix("```json").or_else(|| inner.strip_prefix("```")).unwrap_or(inner).trim_start();
    let Some(opening) = lenient::object(inner) else {
        let body = until(text, &[CLOSE, OPEN, RESULT]);
        let bare = body.trim().trim_matches('`').trim();
        let call = call_part(&id, "tool_call", if bare.is_empty() { "nothing" } else { bare });
        return (call, text.get(body.len()..).unwrap_or_default());
    };
    let after = inner.get(opening.length..).unwrap_or_default();
    let Ok(Value::Object(fields)) = serde_json::from_str(&opening.json) else {
        return (call_part(&id, "tool_call", opening.json.trim_end()), after);
    };
    (named_call(&id, &fields), after)
}

fn named_call(id: &str, fields: &Object) -> ToolCall {
    let name =
        fields.get("name").and_then(Value::as_str).filter(|name| !name.is_empty()).unwrap_or("tool_call");
    let arguments = ["arguments", "args", "parameters", "input"].iter().find_map(|key| fields.get(*key));
    match arguments {
        // Some models write the arguments as a string with JSON in it.
        Some(Value::String(text)) => call_part(id, name, text),
        Some(arguments) => call_part(id, name, &arguments.to_string()),
        None => call_part(id, name, ""),
    }
}
