//! OpenAI Chat Completions, and everything compatible with it: our words in, its JSON out, and back. Pure.

mod half_calls;

use amelia_core::driver::{DeltaKind, Usage};
use amelia_core::message::{Message, Part, Role, TextPart, ThinkingPart};
use amelia_core::tool::{ResultImage, ToolSpec};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::half_calls::HalfCalls;
use super::codec::{Codec, arguments_text, audio_data, call_part, set, tool_text};
use super::encoded::{EncodedMessages, RequestBody};
use super::refusal::reported;
use super::sse::SseEvent;
use super::{ModelFailure, ModelReply, ModelRequest, ReasoningEcho, ReplyChunk, StopReason, Thinking};

/// The wire format.
pub(super) struct Chat;

impl Codec for Chat {
    type Reader = ChatReader;

    fn path(&self) -> &'static str {
        "/chat/completions"
    }

    fn encode(&self, request: &ModelRequest, encoded: &EncodedMessages) -> RequestBody {
        let echo = request.traits.echo;
        let mut messages = encoded.all(&request.messages, echo, |message| encode_message(message, echo));
        let system = json!({"role": "system", "content": request.system});
        messages.insert(0, system.to_string().into());
        let mut body = json!({
            "model": request.model,
            "messages": null,
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
        RequestBody::with_list(body, "messages", messages)
    }

    fn reader(&self, request: &ModelRequest) -> ChatReader {
        ChatReader { model: request.model.clone(), ..ChatReader::default() }
    }
}

/// One of our messages is one of theirs, except that every tool result is its own.
fn encode_message(message: &Message, echo: ReasoningEcho) -> Vec<Value> {
    match message.role {
        Role::System => vec![json!({"role": "system", "content": message.text()})],
        Role::User => vec![json!({"role": "user", "content": content(message)})],
        Role::Tool => encode_results(message),
        Role::Assistant => vec![encode_assistant(message, echo)],
    }
}

/// Results are text alone here. Their images come behind all of them, as words of a person: nothing may come between the
/// results of one turn.
fn encode_results(message: &Message) -> Vec<Value> {
    let results = || {
        message.parts.iter().filter_map(|part| match part {
            Part::ToolResult(result) => Some(result),
            _ => None,
        })
    };
    let encoded = results()
        .map(|result| json!({"role": "tool", "tool_call_id": result.call, "content": tool_text(result)}));
    let images = results().filter(|result| !result.images.is_empty()).flat_map(|result| {
        let text = format!("What the tool {} returned:", result.tool.for_models());
        let image = |image: &ResultImage| json!({"type": "image_url", "image_url": {"url": image.url()}});
        std::iter::once(json!({"type": "text", "text": text})).chain(result.images.iter().map(image))
    });
    let images: Vec<Value> = images.collect();
    let images = (!images.is_empty()).then(|| json!({"role": "user", "content": images}));
    encoded.chain(images).collect()
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

fn encode_assistant(message: &Message, echo: ReasoningEcho) -> Value {
    let kept = ReplayedFields::of(message);
    let calls = message.parts.iter().filter_map(|part| match part {
        Part::ToolCall(call) => Some(json!({
            "id": call.id, "type": "function",
            "function": {"name": call.tool.for_models(), "arguments": arguments_text(call)},
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
        ReasoningEcho::ReasoningContent if !calls.is_empty() => {
            set(&mut encoded, "reasoning_content", Some(thought(message).into()));
        }
        ReasoningEcho::ReasoningDetails if !kept.details.is_empty() => {
            set(&mut encoded, "reasoning_details", Some(kept.details.into()));
        }
        ReasoningEcho::Nothing | ReasoningEcho::ReasoningContent | ReasoningEcho::ReasoningDetails => {}
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
struct ReplayedFields {
    /// `reasoning_details`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    details: Vec<Value>,
    /// `extra_content` of each call, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    calls: Vec<Value>,
}

impl ReplayedFields {
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
        "name": tool.name.for_models(), "description": tool.description, "parameters": tool.input_schema,
    }})
}

/// A reply in the making.
#[derive(Debug, Default)]
pub(super) struct ChatReader {
    model: String,
    text: String,
    thinking: String,
    refusal: String,
    details: ReplayedFields,
    calls: HalfCalls,
    usage: Usage,
    finish: Option<String>,
    is_done: bool,
}

impl super::codec::AnswerReader for ChatReader {
    fn read(&mut self, event: &SseEvent) -> Result<Vec<ReplyChunk>, ModelFailure> {
        if event.data.trim() == "[DONE]" {
            self.is_done = true;
            return Ok(Vec::new());
        }
        let chunk: Value =
            serde_json::from_str(&event.data).map_err(|error| ModelFailure::Garbage(error.to_string()))?;
        self.read_whole(&chunk)
    }

    /// A whole answer is like a single chunk of a stream.
    fn read_whole(&mut self, chunk: &Value) -> Result<Vec<ReplyChunk>, ModelFailure> {
        self.read_usage(chunk);
        let choice = chunk.get("choices").and_then(|choices| choices.get(0));
        let error = chunk.get("error").or_else(|| choice?.get("error"));
        if let Some(error) = error.filter(|error| !error.is_null()) {
            return Err(reported(error));
        }
        let Some(choice) = choice else { return Ok(Vec::new()) };
        let reason = choice.get("finish_reason").and_then(Value::as_str);
        // Some servers say nothing with an empty word.
        if let Some(reason) = reason.filter(|reason| !reason.is_empty()) {
            self.finish = Some(reason.to_lowercase());
        }
        let delta = choice.get("delta").or_else(|| choice.get("message"));
        Ok(delta.map(|delta| self.read_delta(delta)).unwrap_or_default())
    }

    fn told(&self) -> Usage {
        self.usage.clone()
    }

    fn is_complete(&self) -> bool {
        self.is_done
    }

    /// The usage comes after the reason to stop; not every server says that it is done.
    fn is_enough(&self) -> bool {
        self.is_done || self.finish.is_some()
    }

    fn finish(self) -> Result<ModelReply, ModelFailure> {
        let mut parts = Vec::new();
        let has_extra = self.calls.iter().any(|call| !call.extra.is_null());
        let extras = self.calls.iter().filter(|_| has_extra).map(|call| call.extra.clone()).collect();
        let signature = ReplayedFields { calls: extras, ..self.details }.signature();
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
        let stop = match stop(self.finish.as_deref())? {
            // What a refused answer began to do is not done.
            StopReason::Refused => StopReason::Refused,
            _ if is_refused => StopReason::Refused,
            _ if has_calls => StopReason::Tools,
            other => other,
        };
        let usage = Usage { model: Some(self.model), num_turns: Some(1), ..self.usage };
        Ok(ModelReply { parts, usage, stop })
    }
}

/// What a reason to stop means. One that is not known is no end of an answer: the server broke off.
fn stop(reason: Option<&str>) -> Result<StopReason, ModelFailure> {
    match reason {
        None => Ok(StopReason::Done),
        Some("stop" | "end_turn" | "stop_sequence" | "eos" | "eos_token" | "end" | "complete") => {
            Ok(StopReason::Done)
        }
        Some("tool_calls" | "tool_call" | "tool_use" | "function_call") => Ok(StopReason::Done),
        // Mistral says so of a window that is full.
        Some("length" | "max_tokens" | "model_length") => Ok(StopReason::Length),
        // OpenAI and Azure; GLM; Gemini.
        Some(
            "content_filter" | "sensitive" | "safety" | "recitation" | "blocklist" | "prohibited_content",
        ) => Ok(StopReason::Refused),
        Some(other) => Err(ModelFailure::Stopped(other.to_owned())),
    }
}

impl ChatReader {
    fn read_usage(&mut self, chunk: &Value) {
        let Some(told) = chunk.get("usage").filter(|usage| !usage.is_null()) else { return };
        self.usage = usage(told);
    }

    fn read_delta(&mut self, delta: &Value) -> Vec<ReplyChunk> {
        let mut pieces = Vec::new();
        let said = delta.get("content").map(Content::of).unwrap_or_default();
        let thought = delta.get("reasoning_content").or_else(|| delta.get("reasoning"));
        let thought = thought.and_then(Value::as_str).unwrap_or_default().to_owned() + &said.thinking;
        if !thought.is_empty() {
            self.thinking.push_str(&thought);
            pieces.push(ReplyChunk::Delta(DeltaKind::Thinking, thought));
        }
        if !said.text.is_empty() {
            self.text.push_str(&said.text);
            pieces.push(ReplyChunk::Delta(DeltaKind::Text, said.text));
        }
        self.refusal.push_str(delta.get("refusal").and_then(Value::as_str).unwrap_or_default());
        let details = delta.get("reasoning_details").and_then(Value::as_array);
        details.into_iter().flatten().for_each(|piece| self.details.add(piece));
        if let Some(calls) = delta.get("tool_calls").and_then(Value::as_array) {
            pieces.push(ReplyChunk::Arguments(self.calls.take_all(calls)));
        }
        pieces
    }
}

/// What is said in one piece: a text, or a list of parts (Mistral).
#[derive(Default)]
struct Content {
    thinking: String,
    text: String,
}

impl Content {
    fn of(content: &Value) -> Self {
        let mut said = Self::default();
        match content {
            Value::String(text) => said.text.clone_from(text),
            Value::Array(parts) => parts.iter().for_each(|part| said.add(part)),
            _ => {}
        }
        said
    }

    fn add(&mut self, part: &Value) {
        let text = part.get("text").and_then(Value::as_str).or_else(|| part.as_str());
        self.text.push_str(text.unwrap_or_default());
        if let Some(thought) = part.get("thinking") {
            self.thinking.push_str(&Self::of(thought).text);
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
        // No one pays us for asking.
        cost_usd: usage.get("cost").and_then(Value::as_f64).filter(|cost| *cost >= 0.0),
        ..Usage::default()
    }
}
