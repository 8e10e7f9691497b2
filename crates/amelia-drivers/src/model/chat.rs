//! OpenAI Chat Completions, and everything compatible with it: our words in, its JSON out, and back. Pure.

use amelia_core::driver::{DeltaKind, Usage};
use amelia_core::message::{Message, Part, Role, TextPart, ThinkingPart};
use amelia_core::tool::ToolSpec;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::http::{Codec, arguments_text, audio_data, call_part, set, tool_text};
use super::sse::SseEvent;
use super::{Echo, Failure, ModelRequest, Piece, Reply, StopReason, Thinking};

/// The wire format.
pub(super) struct Chat;

impl Codec for Chat {
    type Reading = Reading;

    fn path(&self) -> &'static str {
        "/chat/completions"
    }

    fn encode(&self, request: &ModelRequest) -> Value {
        let mut messages = vec![json!({"role": "system", "content": request.system})];
        let echo = request.traits.echo;
        messages.extend(request.messages.iter().flat_map(|message| encode_message(message, echo)));
        let mut body = json!({
            "model": request.model,
            "messages": messages,
            "stream": true,
            "stream_options": {"include_usage": true},
        });
        if !request.tools.is_empty() {
            set(&mut body, "tools", Some(request.tools.iter().map(encode_tool).collect()));
        }
        if let Some(shape) = request.answer.as_ref().filter(|_| request.traits.shapes) {
            set(
                &mut body,
                "response_format",
                Some(json!({
                    "type": "json_schema",
                    "json_schema": {"name": shape.name, "schema": shape.schema, "strict": false},
                })),
            );
        }
        let (options, traits) = (&request.options, &request.traits);
        let limit = if traits.completion_tokens { "max_completion_tokens" } else { "max_tokens" };
        let effort = match traits.thinking {
            _ if traits.effort_none && !request.tools.is_empty() => Some("none".to_owned()),
            Thinking::Effort => options.reasoning.clone(),
            Thinking::None | Thinking::Adaptive | Thinking::Budget => None,
        };
        for (name, value) in [
            ("temperature", options.temperature.filter(|_| traits.sampling).map(Value::from)),
            (limit, options.max_tokens.map(Value::from)),
            ("reasoning_effort", effort.map(Value::from)),
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
fn encode_message(message: &Message, echo: Echo) -> Vec<Value> {
    match message.role {
        Role::System => vec![json!({"role": "system", "content": message.text()})],
        Role::User => vec![json!({"role": "user", "content": content(message)})],
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
        Role::Assistant => vec![encode_assistant(message, echo)],
    }
}

/// Text alone, or with images and sound beside it.
fn content(message: &Message) -> Value {
    let other = message.parts.iter().filter_map(|part| match part {
        Part::Image(image) => Some(json!({"type": "image_url", "image_url": {"url": image.url}})),
        Part::Audio(audio) => {
            let (format, data) = audio_data(audio)?;
            Some(json!({"type": "input_audio", "input_audio": {"data": data, "format": format}}))
        }
        _ => None,
    });
    let other: Vec<Value> = other.collect();
    if other.is_empty() {
        return message.text().into();
    }
    let text = json!({"type": "text", "text": message.text()});
    std::iter::once(text).chain(other).collect()
}

fn encode_assistant(message: &Message, echo: Echo) -> Value {
    let kept = Kept::of(message);
    let calls = message.parts.iter().filter_map(|part| match part {
        Part::ToolCall(call) => Some(json!({
            "id": call.id, "type": "function",
            "function": {"name": call.tool.to_string(), "arguments": arguments_text(call)},
        })),
        _ => None,
    });
    let mut extras = kept.calls.into_iter();
    let with_extra = |mut call: Value| {
        set(&mut call, "extra_content", extras.next().filter(|extra| !extra.is_null()));
        call
    };
    let calls: Vec<Value> = calls.map(with_extra).collect();
    let text = message.text();
    let mut encoded = json!({"role": "assistant", "content": text});
    match echo {
        Echo::ReasoningContent if !calls.is_empty() => {
            set(&mut encoded, "reasoning_content", Some(thought(message).into()));
        }
        Echo::ReasoningDetails if !kept.details.is_empty() => {
            set(&mut encoded, "reasoning_details", Some(kept.details.into()));
        }
        Echo::Nothing | Echo::ReasoningContent | Echo::ReasoningDetails => {}
    }
    if !calls.is_empty() {
        set(&mut encoded, "tool_calls", Some(calls.into()));
        if text.is_empty() {
            set(&mut encoded, "content", Some(Value::Null));
        }
    }
    encoded
}

/// What the model thought in a turn.
fn thought(message: &Message) -> String {
    let thoughts = message.parts.iter().filter_map(|part| match part {
        Part::Thinking(thought) => Some(thought.text.as_str()),
        _ => None,
    });
    thoughts.collect()
}

/// What a server wants to see again as it came, kept as the signature of a thought.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    /// `reasoning_details`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    details: Vec<Value>,
    /// `extra_content` of each call, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    calls: Vec<Value>,
}

impl Kept {
    fn of(message: &Message) -> Self {
        let signature = message.parts.iter().find_map(|part| match part {
            Part::Thinking(ThinkingPart { signature, .. }) => signature.as_deref(),
            _ => None,
        });
        // A signature of another wire format is not ours.
        signature.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    fn signature(&self) -> Option<String> {
        if *self == Self::default() { None } else { serde_json::to_string(self).ok() }
    }

    /// Takes pieces of details: those of the same kind and index belong together.
    fn add(&mut self, piece: &Value) {
        let same = |name: &str, other: &Value| piece.get(name) == other.get(name);
        let last = self.details.last_mut().filter(|last| same("type", last) && same("index", last));
        let (Some(last), Some(fields)) = (last.and_then(Value::as_object_mut), piece.as_object()) else {
            self.details.push(piece.clone());
            return;
        };
        for (name, value) in fields {
            let is_text = ["text", "summary", "data"].contains(&name.as_str());
            match (last.get_mut(name), value) {
                (Some(Value::String(all)), Value::String(more)) if is_text => all.push_str(more),
                (Some(_), Value::Null) => {}
                _ => drop(last.insert(name.clone(), value.clone())),
            }
        }
    }
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
    refusal: String,
    details: Kept,
    calls: Vec<HalfCall>,
    usage: Usage,
    finish: Option<String>,
    is_done: bool,
}

#[derive(Debug, Default)]
struct HalfCall {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    extra: Value,
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
        let has_extra = self.calls.iter().any(|call| !call.extra.is_null());
        let extras = self.calls.iter().filter(|_| has_extra).map(|call| call.extra.clone()).collect();
        let signature = Kept { calls: extras, ..self.details }.signature();
        if !self.thinking.is_empty() || signature.is_some() {
            parts.push(Part::Thinking(ThinkingPart { text: self.thinking, signature }));
        }
        let is_refused = self.text.is_empty() && !self.refusal.is_empty();
        let text = if is_refused { self.refusal } else { self.text };
        if !text.is_empty() {
            parts.push(Part::Text(TextPart::new(text)));
        }
        let has_calls = !self.calls.is_empty();
        for (index, call) in self.calls.into_iter().enumerate() {
            let id = if call.id.is_empty() { format!("call_{index}") } else { call.id };
            parts.push(Part::ToolCall(call_part(&id, &call.name, &call.arguments)));
        }
        let stop = match self.finish.as_deref() {
            _ if has_calls => StopReason::Tools,
            _ if is_refused => StopReason::Refused,
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
        self.refusal.push_str(delta.get("refusal").and_then(Value::as_str).unwrap_or_default());
        let details = delta.get("reasoning_details").and_then(Value::as_array);
        details.into_iter().flatten().for_each(|piece| self.details.add(piece));
        let calls = delta.get("tool_calls").and_then(Value::as_array);
        calls.into_iter().flatten().for_each(|call| self.half_of(call).take(call));
        pieces
    }

    /// The call that a piece belongs to. Some servers leave the index out, or give all calls the same: an id that is
    /// not the one so far begins another call.
    fn half_of(&mut self, piece: &Value) -> &mut HalfCall {
        let index = piece.get("index").and_then(Value::as_u64);
        let id = piece.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
        let is_same = |half: &HalfCall| match (id, index) {
            (Some(id), _) if !half.id.is_empty() => half.id == id,
            (Some(_), None) => false,
            (_, Some(_)) => half.index == index,
            (None, None) => true,
        };
        let known = self.calls.iter().rposition(is_same).unwrap_or(self.calls.len());
        if known == self.calls.len() {
            self.calls.push(HalfCall { index, ..HalfCall::default() });
        }
        // It has just been found or pushed.
        #[expect(clippy::indexing_slicing, reason = "the place is inside")]
        &mut self.calls[known]
    }
}

impl HalfCall {
    fn take(&mut self, piece: &Value) {
        let text = |pointer: &str| piece.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        if self.id.is_empty() {
            self.id.push_str(text("/id"));
        }
        // Some say the whole name again with every piece.
        if self.name != text("/function/name") {
            self.name.push_str(text("/function/name"));
        }
        match piece.pointer("/function/arguments") {
            Some(Value::Object(whole)) => self.arguments = Value::Object(whole.clone()).to_string(),
            Some(Value::String(more)) => self.arguments.push_str(more),
            _ => {}
        }
        if let Some(extra) = piece.get("extra_content").filter(|extra| !extra.is_null()) {
            self.extra = extra.clone();
        }
    }
}

/// What was used, in our words.
pub(super) fn usage(usage: &Value) -> Usage {
    let number = |value: Option<&Value>| value.and_then(Value::as_u64);
    let written = number(usage.pointer("/prompt_tokens_details/cache_write_tokens"));
    Usage {
        // What was written to the cache is part of theirs, and not of ours.
        input_tokens: number(usage.get("prompt_tokens")).map(|all| all.saturating_sub(written.unwrap_or(0))),
        cache_creation_tokens: written,
        output_tokens: number(usage.get("completion_tokens")),
        cache_read_tokens: number(usage.pointer("/prompt_tokens_details/cached_tokens"))
            .or_else(|| number(usage.get("prompt_cache_hit_tokens"))),
        // Nobody pays us for asking.
        cost_usd: usage.get("cost").and_then(Value::as_f64).filter(|cost| *cost >= 0.0),
        ..Usage::default()
    }
}
