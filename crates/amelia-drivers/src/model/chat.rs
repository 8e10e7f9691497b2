//! OpenAI Chat Completions, and everything compatible with it: our words in, its JSON out, and back. Pure.

use std::collections::BTreeMap;

use amelia_core::driver::{DeltaKind, Usage};
use amelia_core::message::{Message, Part, Role, TextPart, ThinkingPart};
use amelia_core::tool::ToolSpec;
use serde_json::{Value, json};

use super::http::{Codec, arguments_text, call_part, set, tool_text};
use super::sse::SseEvent;
use super::{Failure, ModelRequest, Piece, Reply, StopReason};

/// The wire format.
pub(super) struct Chat;

impl Codec for Chat {
    type Reading = Reading;

    fn path(&self) -> &'static str {
        "/chat/completions"
    }

    fn encode(&self, request: &ModelRequest) -> Value {
        let mut messages = vec![json!({"role": "system", "content": request.system})];
        messages.extend(request.messages.iter().flat_map(|message| encode_message(message)));
        let mut body = json!({
            "model": request.model,
            "messages": messages,
            "stream": true,
            "stream_options": {"include_usage": true},
        });
        if !request.tools.is_empty() {
            set(&mut body, "tools", Some(request.tools.iter().map(encode_tool).collect()));
        }
        if let Some(shape) = &request.answer {
            set(
                &mut body,
                "response_format",
                Some(json!({
                    "type": "json_schema",
                    "json_schema": {"name": shape.name, "schema": shape.schema, "strict": false},
                })),
            );
        }
        let options = &request.options;
        for (name, value) in [
            ("temperature", options.temperature.map(Value::from)),
            ("max_tokens", options.max_tokens.map(Value::from)),
            ("reasoning_effort", options.reasoning.clone().map(Value::from)),
        ] {
            set(&mut body, name, value);
        }
        body
    }

    fn reading(&self, request: &ModelRequest) -> Reading {
        Reading { model: request.model.clone(), ..Reading::default() }
    }
}

/// One of our messages is one of theirs, except that every tool result is its own.
fn encode_message(message: &Message) -> Vec<Value> {
    match message.role {
        Role::System => vec![json!({"role": "system", "content": message.text()})],
        Role::User => vec![json!({"role": "user", "content": message.text()})],
        Role::Tool => message
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::ToolResult(result) => Some(json!({
                    "role": "tool", "tool_call_id": result.call, "content": tool_text(result),
                })),
                _ => None,
            })
            .collect(),
        Role::Assistant => vec![encode_assistant(message)],
    }
}

fn encode_assistant(message: &Message) -> Value {
    let calls: Vec<Value> = message
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::ToolCall(call) => Some(json!({
                "id": call.id, "type": "function",
                "function": {"name": call.tool.to_string(), "arguments": arguments_text(call)},
            })),
            _ => None,
        })
        .collect();
    let text = message.text();
    let mut encoded = json!({"role": "assistant", "content": text});
    if !calls.is_empty() {
        set(&mut encoded, "tool_calls", Some(calls.into()));
        if text.is_empty() {
            set(&mut encoded, "content", Some(Value::Null));
        }
    }
    encoded
}

fn encode_tool(tool: &ToolSpec) -> Value {
    json!({"type": "function", "function": {
        "name": tool.name.to_string(), "description": tool.description, "parameters": tool.input_schema,
    }})
}

/// A reply in the making.
#[derive(Debug, Default)]
pub(super) struct Reading {
    model: String,
    text: String,
    thinking: String,
    calls: BTreeMap<u64, HalfCall>,
    usage: Usage,
    finish: Option<String>,
    is_done: bool,
}

#[derive(Debug, Default)]
struct HalfCall {
    id: String,
    name: String,
    arguments: String,
}

impl super::http::Reading for Reading {
    fn read(&mut self, event: &SseEvent) -> Result<Vec<Piece>, Failure> {
        if event.data.trim() == "[DONE]" {
            self.is_done = true;
            return Ok(Vec::new());
        }
        let chunk: Value =
            serde_json::from_str(&event.data).map_err(|error| Failure::Garbage(error.to_string()))?;
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            return Err(super::http::reported(error));
        }
        self.read_usage(&chunk);
        let choice = chunk.get("choices").and_then(|choices| choices.get(0));
        let Some(choice) = choice else { return Ok(Vec::new()) };
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            self.finish = Some(reason.to_owned());
        }
        Ok(choice.get("delta").map(|delta| self.read_delta(delta)).unwrap_or_default())
    }

    fn is_complete(&self) -> bool {
        self.is_done
    }

    /// The usage comes after the reason to stop; not every server says that it is done.
    fn is_enough(&self) -> bool {
        self.is_done || self.finish.is_some()
    }

    fn finish(self) -> Reply {
        let mut parts = Vec::new();
        if !self.thinking.is_empty() {
            parts.push(Part::Thinking(ThinkingPart { text: self.thinking, signature: None }));
        }
        if !self.text.is_empty() {
            parts.push(Part::Text(TextPart::new(self.text)));
        }
        let has_calls = !self.calls.is_empty();
        for (index, call) in self.calls {
            let id = if call.id.is_empty() { format!("call_{index}") } else { call.id };
            parts.push(Part::ToolCall(call_part(&id, &call.name, &call.arguments)));
        }
        let stop = match self.finish.as_deref() {
            _ if has_calls => StopReason::Tools,
            Some("length") => StopReason::Length,
            Some("content_filter") => StopReason::Refused,
            _ => StopReason::Done,
        };
        let usage = Usage { model: Some(self.model), num_turns: Some(1), ..self.usage };
        Reply { parts, usage, stop }
    }
}

impl Reading {
    fn read_usage(&mut self, chunk: &Value) {
        let Some(told) = chunk.get("usage").filter(|usage| !usage.is_null()) else { return };
        self.usage = usage(told);
    }

    fn read_delta(&mut self, delta: &Value) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let thought = delta.get("reasoning_content").or_else(|| delta.get("reasoning"));
        if let Some(text) = thought.and_then(Value::as_str).filter(|text| !text.is_empty()) {
            self.thinking.push_str(text);
            pieces.push(Piece::Delta(DeltaKind::Thinking, text.to_owned()));
        }
        if let Some(text) = delta.get("content").and_then(Value::as_str).filter(|text| !text.is_empty()) {
            self.text.push_str(text);
            pieces.push(Piece::Delta(DeltaKind::Text, text.to_owned()));
        }
        let calls = delta.get("tool_calls").and_then(Value::as_array);
        for (place, call) in (0..).zip(calls.into_iter().flatten()) {
            let index = call.get("index").and_then(Value::as_u64).unwrap_or(place);
            let half = self.calls.entry(index).or_default();
            let text = |pointer: &str| call.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
            if half.id.is_empty() {
                half.id.push_str(text("/id"));
            }
            half.name.push_str(text("/function/name"));
            half.arguments.push_str(text("/function/arguments"));
        }
        pieces
    }
}

/// What was used, in our words.
pub(super) fn usage(usage: &Value) -> Usage {
    let number = |value: Option<&Value>| value.and_then(Value::as_u64);
    Usage {
        input_tokens: number(usage.get("prompt_tokens")),
        output_tokens: number(usage.get("completion_tokens")),
        cache_read_tokens: number(usage.pointer("/prompt_tokens_details/cached_tokens"))
            .or_else(|| number(usage.get("prompt_cache_hit_tokens"))),
        // Nobody pays us for asking.
        cost_usd: usage.get("cost").and_then(Value::as_f64).filter(|cost| *cost >= 0.0),
        ..Usage::default()
    }
}
