//! OpenAI Responses: our words in, its JSON out, and back. Pure. Nothing is kept at the provider (`store: false`), so
//! reasoning items travel with the conversation, encrypted.

use amelia_core::driver::{DeltaKind, Usage};
use amelia_core::message::{Message, Part, Role, TextPart, ThinkingPart};
use amelia_core::tool::{ResultImage, ToolResult, ToolSpec};
use serde_json::{Value, json};

use super::codec::{Codec, arguments_text, audio_data, call_part, set, tool_text};
use super::encoded::{EncodedMessages, RequestBody};
use super::refusal::reported;
use super::sse::SseEvent;
use super::{ModelFailure, ModelReply, ModelRequest, ReasoningEcho, ReplyChunk, StopReason, Thinking};

/// The wire format.
pub(super) struct Responses;

impl Codec for Responses {
    type Reader = ResponsesReader;

    fn path(&self) -> &'static str {
        "/responses"
    }

    fn encode(&self, request: &ModelRequest, encoded: &EncodedMessages) -> RequestBody {
        let input = encoded.all(&request.messages, ReasoningEcho::Nothing, encode_message);
        let mut body = json!({
            "model": request.model,
            "instructions": request.system,
            "input": null,
            "stream": true,
            "store": false,
        });
        let (options, traits) = (&request.options, &request.traits);
        if traits.thinking == Thinking::Effort {
            set(&mut body, "include", Some(json!(["reasoning.encrypted_content"])));
        }
        if !request.tools.is_empty() {
            set(&mut body, "tools", Some(request.tools.iter().map(encode_tool).collect()));
            set(&mut body, "parallel_tool_calls", Some(true.into()));
        }
        if let Some(shape) = request.answer.as_ref().filter(|_| request.traits.shapes) {
            set(
                &mut body,
                "text",
                Some(json!({"format": {
                    "type": "json_schema", "name": shape.name, "schema": shape.schema, "strict": false,
                }})),
            );
        }
        let effort = options.reasoning.as_deref().filter(|_| traits.thinking == Thinking::Effort);
        for (name, value) in [
            ("temperature", options.temperature.filter(|_| traits.sampling).map(Value::from)),
            ("max_output_tokens", options.max_tokens.map(Value::from)),
            ("reasoning", effort.map(reasoning)),
        ] {
            set(&mut body, name, value);
        }
        RequestBody::with_list(body, "input", input)
    }

    fn reader(&self, request: &ModelRequest) -> ResponsesReader {
        ResponsesReader { model: request.model.clone(), ..ResponsesReader::default() }
    }
}

/// One that does not think has nothing to sum up.
fn reasoning(effort: &str) -> Value {
    match effort {
        "none" => json!({"effort": effort}),
        _ => json!({"effort": effort, "summary": "auto"}),
    }
}

fn encode_message(message: &Message) -> Vec<Value> {
    let text = |role: &str, kind: &str, text: &str| json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]});
    let items = message.parts.iter().filter_map(|part| match (part, message.role) {
        (Part::Text(part), Role::Assistant) => Some(text("assistant", "output_text", &part.text)),
        (Part::Text(part), Role::System) => Some(text("system", "input_text", &part.text)),
        (Part::Text(part), Role::User | Role::Tool) => Some(text("user", "input_text", &part.text)),
        (Part::Image(image), Role::User | Role::Tool) => Some(json!({
            "type": "message", "role": "user",
            "content": [{"type": "input_image", "image_url": image.url, "detail": "auto"}],
        })),
        (Part::Audio(audio), Role::User | Role::Tool) => audio_data(audio).map(|(format, data)| {
            json!({
                "type": "message", "role": "user",
                "content": [{"type": "input_audio", "input_audio": {"data": data, "format": format}}],
            })
        }),
        // The signature is the whole reasoning item, as it came; one of another wire format is not ours.
        (Part::Thinking(ThinkingPart { signature: Some(item), .. }), _) => {
            serde_json::from_str(item).ok().filter(is_reasoning)
        }
        (Part::ToolCall(call), _) => Some(json!({
            "type": "function_call", "call_id": call.id, "name": call.tool.for_models(),
            "arguments": arguments_text(call),
        })),
        (Part::ToolResult(result), _) => Some(json!({
            "type": "function_call_output", "call_id": result.call, "output": result_output(result),
        })),
        _ => None,
    });
    let mut items: Vec<Value> = items.collect();
    // A thought that nothing followed, because the answer was cut off, is refused.
    while items.last().is_some_and(is_reasoning) {
        items.pop();
    }
    items
}

/// Text alone, or with images behind it.
fn result_output(result: &ToolResult) -> Value {
    if result.images.is_empty() {
        return tool_text(result).into();
    }
    let image =
        |image: &ResultImage| json!({"type": "input_image", "image_url": image.url(), "detail": "auto"});
    let text = json!({"type": "input_text", "text": tool_text(result)});
    std::iter::once(text).chain(result.images.iter().map(image)).collect()
}

fn is_reasoning(item: &Value) -> bool {
    item.get("type").and_then(Value::as_str) == Some("reasoning")
}

fn encode_tool(tool: &ToolSpec) -> Value {
    json!({
        "type": "function", "name": tool.name.for_models(), "description": tool.description,
        "parameters": tool.input_schema, "strict": false,
    })
}

/// A reply in the making: whole items count, deltas are for people.
#[derive(Debug, Default)]
pub(super) struct ResponsesReader {
    model: String,
    items: Vec<Value>,
    usage: Usage,
    response: Option<Value>,
}

impl super::codec::AnswerReader for ResponsesReader {
    fn read(&mut self, event: &SseEvent) -> Result<Vec<ReplyChunk>, ModelFailure> {
        let value: Value =
            serde_json::from_str(&event.data).map_err(|error| ModelFailure::Garbage(error.to_string()))?;
        let delta = |kind| {
            let text = value.get("delta").and_then(Value::as_str).unwrap_or_default().to_owned();
            Ok(vec![ReplyChunk::Delta(kind, text)])
        };
        if let Some(told) = value.pointer("/response/usage").filter(|told| told.is_object()) {
            self.usage = usage(told);
        }
        match value.get("type").and_then(Value::as_str).unwrap_or_default() {
            "response.output_text.delta" | "response.refusal.delta" => return delta(DeltaKind::Text),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                return delta(DeltaKind::Thinking);
            }
            "response.function_call_arguments.delta" => {
                let bytes = value.get("delta").and_then(Value::as_str).map_or(0, str::len);
                return Ok(vec![ReplyChunk::Arguments(bytes)]);
            }
            "response.output_item.done" => self.items.extend(value.get("item").cloned()),
            "response.completed" | "response.incomplete" => {
                self.response = Some(value.get("response").cloned().unwrap_or(Value::Null));
            }
            "response.failed" => {
                let error = value.pointer("/response/error").unwrap_or(&Value::Null);
                return Err(reported(error));
            }
            "response.cancelled" => return Err(ModelFailure::Stopped("cancelled".to_owned())),
            "error" => return Err(reported(value.get("error").unwrap_or(&value))),
            // Beginnings and ends of parts, and what may come in future.
            _ => {}
        }
        Ok(Vec::new())
    }

    fn read_whole(&mut self, answer: &Value) -> Result<Vec<ReplyChunk>, ModelFailure> {
        if answer.get("output").is_some_and(Value::is_array) {
            self.usage = answer.get("usage").map(usage).unwrap_or_default();
            self.response = Some(answer.clone());
        }
        Ok(Vec::new())
    }

    fn told(&self) -> Usage {
        self.usage.clone()
    }

    fn is_complete(&self) -> bool {
        self.response.is_some()
    }

    fn finish(mut self) -> Result<ModelReply, ModelFailure> {
        let response = self.response.unwrap_or(Value::Null);
        if self.items.is_empty() {
            // Some servers send the items only here.
            self.items = response.get("output").and_then(Value::as_array).cloned().unwrap_or_default();
        }
        let parts: Vec<Part> = self.items.iter().filter_map(read_item).collect();
        let has_calls = parts.iter().any(|part| matches!(part, Part::ToolCall(_)));
        let reason = response.pointer("/incomplete_details/reason").and_then(Value::as_str);
        let is_refusal = |entry: &Value| entry.get("type").and_then(Value::as_str) == Some("refusal");
        let contents = self.items.iter().filter_map(|item| item.get("content")?.as_array());
        let is_refused = contents.flatten().any(is_refusal);
        let stop = match reason {
            // What a refused answer began to do is not done.
            Some("content_filter") => StopReason::Refused,
            _ if is_refused => StopReason::Refused,
            None | Some("max_output_tokens") if has_calls => StopReason::Tools,
            Some("max_output_tokens") => StopReason::Length,
            None => StopReason::Done,
            Some(other) => return Err(ModelFailure::Stopped(other.to_owned())),
        };
        let usage = Usage { num_turns: Some(1), model: Some(self.model), ..self.usage };
        Ok(ModelReply { parts, usage, stop })
    }
}

fn read_item(item: &Value) -> Option<Part> {
    let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default();
    let joined = |list: &str, name: &str| {
        let entries = item.get(list).and_then(Value::as_array).into_iter().flatten();
        entries.filter_map(|entry| entry.get(name).and_then(Value::as_str)).collect::<Vec<_>>().join("\n")
    };
    match text("type") {
        "message" => {
            let said = joined("content", "text");
            let said = if said.is_empty() { joined("content", "refusal") } else { said };
            Some(Part::Text(TextPart::new(said)))
        }
        "reasoning" => {
            let signature = Some(item.to_string());
            Some(Part::Thinking(ThinkingPart { text: joined("summary", "text"), signature }))
        }
        "function_call" => Some(Part::ToolCall(call_part(text("call_id"), text("name"), text("arguments")))),
        _ => None,
    }
}

/// What was used, in our words.
pub(super) fn usage(usage: &Value) -> Usage {
    let number = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
    let written = number("/input_tokens_details/cache_write_tokens");
    Usage {
        // What was written to the cache is part of theirs, and not of ours.
        input_tokens: number("/input_tokens").map(|all| all.saturating_sub(written.unwrap_or(0))),
        cache_creation_tokens: written,
        output_tokens: number("/output_tokens"),
        cache_read_tokens: number("/input_tokens_details/cached_tokens"),
        ..Usage::default()
    }
}
