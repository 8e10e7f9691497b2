//! Anthropic Messages: our words in, its JSON out, and back. Pure.

use amelia_core::driver::{DeltaKind, Usage};
use amelia_core::id::CallId;
use amelia_core::message::{Message, Object, Part, Role, TextPart, ThinkingPart};
use amelia_core::tool::{ToolResult, ToolSpec};
use serde_json::{Value, json};

use super::codec::{Codec, call_part, set, tool_text};
use super::encoded::{EncodedMessages, RequestBody};
use super::refusal::reported;
use super::sse::SseEvent;
use super::traits::SMALLEST_BUDGET;
use super::{ModelFailure, ModelReply, ModelRequest, ReplyChunk, StopReason, Thinking};
use crate::media;

/// Before the data of thinking that the provider has hidden, in the place of a signature.
const REDACTED: &str = "redacted_thinking:";

/// The wire format.
pub(super) struct Messages;

impl Codec for Messages {
    type Reader = MessagesReader;

    fn path(&self) -> &'static str {
        "/messages"
    }

    /// What neighbouring messages say is joined, and the last one marked: they are encoded as a whole.
    fn encode(&self, request: &ModelRequest, _: &EncodedMessages) -> RequestBody {
        let mut messages: Vec<Value> = Vec::new();
        for message in request.messages.iter() {
            push_message(&mut messages, message);
        }
        mark_for_cache(&mut messages);
        let (options, traits) = (&request.options, &request.traits);
        let max_tokens = options.max_tokens.unwrap_or(traits.output);
        let mut body = json!({
            "model": request.model,
            "system": [{"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}],
            "messages": messages,
            "max_tokens": max_tokens,
            "stream": true,
        });
        let mut tools: Vec<Value> = request.tools.iter().map(encode_tool).collect();
        if let Some(shape) = &request.answer {
            let description = "Call this once, with your final answer.";
            tools.push(json!({"name": shape.name, "description": description, "input_schema": shape.schema}));
        }
        if !tools.is_empty() {
            set(&mut body, "tools", Some(tools.into()));
        }
        let (thinking, effort) = match options.reasoning.as_deref() {
            Some(word) => thinking(traits.thinking, word, max_tokens),
            None => (None, None),
        };
        // A model that thinks takes no temperature.
        let temperature = options.temperature.filter(|_| thinking.is_none() && traits.sampling);
        set(&mut body, "temperature", temperature.map(Value::from));
        set(&mut body, "thinking", thinking);
        set(&mut body, "output_config", effort.map(|effort| json!({"effort": effort})));
        RequestBody::whole(body)
    }

    fn reader(&self, request: &ModelRequest) -> MessagesReader {
        let answer = request.answer.as_ref().map(|shape| shape.name.clone());
        MessagesReader { model: request.model.clone(), answer, ..MessagesReader::default() }
    }

    fn authorise(&self, http: reqwest::RequestBuilder, key: &str) -> reqwest::RequestBuilder {
        http.header("x-api-key", key)
    }

    fn headers(&self, http: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        http.header("anthropic-version", "2023-06-01")
    }
}

/// How much it is to think, as this generation of models takes it: `thinking` and `output_config.effort`.
fn thinking(style: Thinking, word: &str, max_tokens: u64) -> (Option<Value>, Option<String>) {
    match (style, word) {
        (Thinking::None, _) | (Thinking::Budget | Thinking::Effort, "none") => (None, None),
        (Thinking::Adaptive, "none") => (Some(json!({"type": "disabled"})), None),
        (Thinking::Adaptive, word) => (Some(json!({"type": "adaptive"})), Some(word.to_owned())),
        (Thinking::Budget | Thinking::Effort, word) => {
            let share = match word {
                "low" | "minimal" => max_tokens / 8,
                "medium" => max_tokens / 4,
                "xhigh" => max_tokens / 8 * 5,
                "max" => max_tokens / 4 * 3,
                _ => max_tokens / 2,
            };
            let budget = Some(share.max(SMALLEST_BUDGET)).filter(|budget| *budget < max_tokens);
            (budget.map(|budget| json!({"type": "enabled", "budget_tokens": budget})), None)
        }
    }
}

/// Their roles alternate: what comes from people and tools is one message.
fn push_message(messages: &mut Vec<Value>, message: &Message) {
    let role = match message.role {
        Role::Assistant => "assistant",
        Role::System | Role::User | Role::Tool => "user",
    };
    let blocks: Vec<Value> = message.parts.iter().filter_map(encode_part).collect();
    if blocks.is_empty() {
        return;
    }
    match messages.last_mut() {
        Some(last) if last.get("role").and_then(Value::as_str) == Some(role) => {
            if let Some(content) = last.get_mut("content").and_then(Value::as_array_mut) {
                content.extend(blocks);
            }
        }
        _ => messages.push(json!({"role": role, "content": blocks})),
    }
}

fn encode_part(part: &Part) -> Option<Value> {
    match part {
        Part::Text(text) if text.text.is_empty() => None,
        Part::Text(text) => Some(json!({"type": "text", "text": text.text})),
        // Only what the provider has signed may be sent back.
        Part::Thinking(ThinkingPart { text, signature: Some(signature) }) => {
            Some(match signature.strip_prefix(REDACTED) {
                Some(data) => json!({"type": "redacted_thinking", "data": data}),
                // Theirs are no JSON: one that is was made by another wire format.
                None if signature.starts_with('{') => return None,
                None => json!({"type": "thinking", "thinking": text, "signature": signature}),
            })
        }
        Part::ToolCall(call) => Some(json!({
            "type": "tool_use", "id": id(&call.id), "name": call.tool.for_models(), "input": call.args,
        })),
        Part::ToolResult(result) => Some(json!({
            "type": "tool_result", "tool_use_id": id(&result.call), "content": result_content(result),
            "is_error": !result.is_success(),
        })),
        Part::Image(image) => Some(image_block(&image.url)),
        // There is no sound on this wire.
        Part::Audio(_) => media::in_words(part).map(|text| json!({"type": "text", "text": text})),
        Part::Thinking(ThinkingPart { signature: None, .. })
        | Part::Artifact(_)
        | Part::Memory(_)
        | Part::Guardrail(_) => None,
    }
}

/// Text alone, or with images behind it.
fn result_content(result: &ToolResult) -> Value {
    if result.images.is_empty() {
        return tool_text(result).into();
    }
    let text = json!({"type": "text", "text": tool_text(result)});
    std::iter::once(text).chain(result.images.iter().map(|image| image_block(&image.url()))).collect()
}

/// Other providers use characters in their ids that are refused here.
fn id(call: &CallId) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    call.as_str().chars().map(allowed).collect()
}

/// An image as this wire, and the `claude` program, take it.
pub(crate) fn image_block(url: &str) -> Value {
    let source = match media::data_url(url) {
        Some((kind, data)) => json!({"type": "base64", "media_type": kind, "data": data}),
        None => json!({"type": "url", "url": url}),
    };
    json!({"type": "image", "source": source})
}

/// The conversation up to its last block is read from the cache by the next turn.
fn mark_for_cache(messages: &mut [Value]) {
    let blocks = messages.last_mut().and_then(|last| last.get_mut("content")).and_then(Value::as_array_mut);
    if let Some(block) = blocks.and_then(|blocks| blocks.last_mut())
        && !matches!(block.get("type").and_then(Value::as_str), Some("thinking" | "redacted_thinking"))
    {
        set(block, "cache_control", Some(json!({"type": "ephemeral"})));
    }
}

fn encode_tool(tool: &ToolSpec) -> Value {
    json!({"name": tool.name.for_models(), "description": tool.description, "input_schema": tool.input_schema})
}

/// A reply in the making: blocks come one after the other.
#[derive(Debug, Default)]
pub(super) struct MessagesReader {
    model: String,
    answer: Option<String>,
    blocks: Vec<Block>,
    usage: Object,
    stop: Option<String>,
    is_done: bool,
}

#[derive(Debug)]
enum Block {
    Text(String),
    Thinking {
        text: String,
        signature: String,
    },
    Redacted(String),
    /// What is given with its beginning counts when nothing follows.
    Call {
        id: String,
        name: String,
        input: String,
        given: String,
    },
    Other,
}

impl super::codec::AnswerReader for MessagesReader {
    fn read(&mut self, event: &SseEvent) -> Result<Vec<ReplyChunk>, ModelFailure> {
        let value: Value =
            serde_json::from_str(&event.data).map_err(|error| ModelFailure::Garbage(error.to_string()))?;
        match value.get("type").and_then(Value::as_str).unwrap_or_default() {
            "error" => return Err(reported(value.get("error").unwrap_or(&Value::Null))),
            "message_start" => self.take_usage(value.pointer("/message/usage")),
            "content_block_start" => self.blocks.push(begin(value.get("content_block"))),
            "content_block_delta" => return Ok(self.read_delta(value.get("delta")).into_iter().collect()),
            "message_delta" => {
                self.take_usage(value.get("usage"));
                if let Some(reason) = value.pointer("/delta/stop_reason").and_then(Value::as_str) {
                    self.stop = Some(reason.to_owned());
                }
            }
            "message_stop" => self.is_done = true,
            // Pings, ends of blocks, and what may come in future.
            _ => {}
        }
        Ok(Vec::new())
    }

    fn read_whole(&mut self, answer: &Value) -> Result<Vec<ReplyChunk>, ModelFailure> {
        if let Some(blocks) = answer.get("content").and_then(Value::as_array) {
            self.blocks = blocks.iter().map(|block| begin(Some(block))).collect();
            self.take_usage(answer.get("usage"));
            self.stop = answer.get("stop_reason").and_then(Value::as_str).map(str::to_owned);
            self.is_done = true;
        }
        Ok(Vec::new())
    }

    fn told(&self) -> Usage {
        usage(&self.usage)
    }

    fn is_complete(&self) -> bool {
        self.is_done
    }

    fn finish(self) -> Result<ModelReply, ModelFailure> {
        let mut parts = Vec::new();
        for block in self.blocks {
            match block {
                Block::Text(text) => parts.push(Part::Text(TextPart::new(text))),
                Block::Thinking { text, signature } => {
                    let signature = Some(signature).filter(|signature| !signature.is_empty());
                    parts.push(Part::Thinking(ThinkingPart { text, signature }));
                }
                Block::Redacted(data) => {
                    let signature = Some(format!("{REDACTED}{data}"));
                    parts.push(Part::Thinking(ThinkingPart { text: String::new(), signature }));
                }
                Block::Call { name, input, given, .. } if Some(&name) == self.answer.as_ref() => {
                    // The call is the whole answer: a sentence before it would make it unreadable.
                    parts.retain(|part| !matches!(part, Part::Text(_)));
                    parts.push(Part::Text(TextPart::new(if input.is_empty() { given } else { input })));
                }
                Block::Call { id, name, input, given } => {
                    let input = if input.is_empty() { given } else { input };
                    parts.push(Part::ToolCall(call_part(&id, &name, &input)));
                }
                Block::Other => {}
            }
        }
        let has_calls = parts.iter().any(|part| matches!(part, Part::ToolCall(_)));
        let stop = match self.stop.as_deref() {
            // What a refused answer began to do is not done.
            Some("refusal") => StopReason::Refused,
            None | Some("end_turn" | "stop_sequence" | "tool_use" | "max_tokens") if has_calls => {
                StopReason::Tools
            }
            Some("model_context_window_exceeded" | "pause_turn") if has_calls => StopReason::Tools,
            Some("max_tokens") => StopReason::Length,
            Some("model_context_window_exceeded") => StopReason::WindowFull,
            Some("pause_turn") => StopReason::Paused,
            None | Some("end_turn" | "stop_sequence" | "tool_use") => StopReason::Done,
            Some(other) => return Err(ModelFailure::Stopped(other.to_owned())),
        };
        let usage = Usage { num_turns: Some(1), model: Some(self.model), ..usage(&self.usage) };
        Ok(ModelReply { parts, usage, stop })
    }
}

impl MessagesReader {
    fn take_usage(&mut self, usage: Option<&Value>) {
        take_usage(&mut self.usage, usage);
    }

    fn read_delta(&mut self, delta: Option<&Value>) -> Option<ReplyChunk> {
        let delta = delta?;
        let text = |name: &str| delta.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        match self.blocks.last_mut()? {
            Block::Text(all) => {
                let piece = text("text");
                all.push_str(&piece);
                Some(ReplyChunk::Delta(DeltaKind::Text, piece))
            }
            Block::Thinking { text: all, signature } => {
                signature.push_str(&text("signature"));
                let piece = text("thinking");
                all.push_str(&piece);
                (!piece.is_empty()).then_some(ReplyChunk::Delta(DeltaKind::Thinking, piece))
            }
            Block::Call { input, .. } => {
                let piece = text("partial_json");
                input.push_str(&piece);
                Some(ReplyChunk::Arguments(piece.len()))
            }
            Block::Redacted(_) | Block::Other => None,
        }
    }
}

fn begin(block: Option<&Value>) -> Block {
    let text = |name: &str| {
        block.and_then(|block| block.get(name)).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    match text("type").as_str() {
        "text" => Block::Text(text("text")),
        "thinking" => Block::Thinking { text: text("thinking"), signature: text("signature") },
        "redacted_thinking" => Block::Redacted(text("data")),
        "tool_use" => {
            let given =
                block.and_then(|block| block.get("input")?.as_object()).filter(|input| !input.is_empty());
            let given = given.and_then(|input| serde_json::to_string(input).ok()).unwrap_or_default();
            Block::Call { id: text("id"), name: text("name"), input: String::new(), given }
        }
        _ => Block::Other,
    }
}

/// Later numbers complete and replace earlier ones.
pub(super) fn take_usage(taken: &mut Object, usage: Option<&Value>) {
    let Some(Value::Object(fields)) = usage else { return };
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
        taken.insert(name.clone(), value.clone());
    }
}

/// Their input count leaves out what the cache served or took; ours includes what it served.
pub(super) fn usage(usage: &Object) -> Usage {
    let number = |name: &str| usage.get(name).and_then(Value::as_u64);
    let cache_read = number("cache_read_input_tokens");
    let input = number("input_tokens").map(|input| input.saturating_add(cache_read.unwrap_or(0)));
    Usage {
        input_tokens: input,
        output_tokens: number("output_tokens"),
        cache_read_tokens: cache_read,
        cache_creation_tokens: number("cache_creation_input_tokens"),
        cache_creation_1h_tokens: usage
            .get("cache_creation")
            .and_then(|split| split.get("ephemeral_1h_input_tokens")?.as_u64())
            .filter(|tokens| *tokens > 0),
        ..Usage::default()
    }
}
