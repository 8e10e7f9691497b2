//! Writes an answer as Messages does: one object, or events from `message_start` to `message_stop`.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::answer::{Call, ScriptedAnswer, TokenCounts};
use crate::fingerprint;
use crate::script::ScriptedStop;
use crate::wire::event::{self, Events};

pub(in crate::wire) fn whole(answer: &ScriptedAnswer) -> Value {
    let mut content = Vec::new();
    if let Some(thinking) = &answer.thinking {
        let signature = fingerprint::signature(thinking);
        content.push(json!({"type": "thinking", "thinking": **thinking, "signature": signature}));
    }
    if !answer.text.is_empty() {
        content.push(json!({"type": "text", "text": *answer.text, "citations": null}));
    }
    for call in &answer.calls {
        // What is not JSON can only be sent as a text here.
        let input = serde_json::from_str(&call.args).unwrap_or_else(|_| Value::from(&*call.args));
        content.push(json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input}));
    }
    message(answer, content, Some(stop_reason(answer.stop)), answer.tokens)
}

pub(in crate::wire) fn stream(
    answer: &Arc<ScriptedAnswer>,
    chunk: usize,
) -> impl Iterator<Item = String> + Send + use<> {
    // A stream opens before the model has said much, and says so.
    let opening = answer.tokens.map(|tokens| TokenCounts { output: tokens.output.min(1), ..tokens });
    let start = json!({"type": "message_start", "message": message(answer, Vec::new(), None, opening)});
    let mut blocks: Vec<Events> = Vec::new();
    if let Some(thinking) = &answer.thinking {
        blocks.push(thinking_block(blocks.len(), thinking, chunk));
    }
    if !answer.text.is_empty() {
        blocks.push(text_block(blocks.len(), &answer.text, chunk));
    }
    for call in &answer.calls {
        blocks.push(call_block(blocks.len(), call, chunk));
    }
    let ping = json!({"type": "ping"});
    let mut end = json!({
        "type": "message_delta",
        "delta": {"stop_reason": stop_reason(answer.stop), "stop_sequence": null},
    });
    if let (Some(tokens), Some(end)) = (answer.tokens, end.as_object_mut()) {
        end.insert("usage".to_owned(), usage(tokens));
    }
    let head = event::all(vec![start, ping]);
    let tail = event::all(vec![end, json!({"type": "message_stop"})]);
    head.chain(blocks.into_iter().flatten()).chain(tail).map(|event| event::named(&event))
}

fn thinking_block(index: usize, thinking: &Arc<str>, chunk: usize) -> Events {
    let deltas = event::per_piece(thinking, chunk, move |piece| {
        delta(index, &json!({"type": "thinking_delta", "thinking": piece}))
    });
    let signature = json!({"type": "signature_delta", "signature": fingerprint::signature(thinking)});
    let deltas = deltas.chain([delta(index, &signature)]);
    block(index, &json!({"type": "thinking", "thinking": "", "signature": ""}), Box::new(deltas))
}

fn text_block(index: usize, text: &Arc<str>, chunk: usize) -> Events {
    let deltas = event::per_piece(text, chunk, move |piece| {
        delta(index, &json!({"type": "text_delta", "text": piece}))
    });
    block(index, &json!({"type": "text", "text": ""}), deltas)
}

fn call_block(index: usize, call: &Call, chunk: usize) -> Events {
    let json_delta =
        move |piece: &str| delta(index, &json!({"type": "input_json_delta", "partial_json": piece}));
    let args = event::per_piece(&call.args, chunk, move |piece| json_delta(&piece));
    let deltas = std::iter::once(json_delta("")).chain(args);
    let start = json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}});
    block(index, &start, Box::new(deltas))
}

fn block(index: usize, start: &Value, deltas: Events) -> Events {
    let start = json!({"type": "content_block_start", "index": index, "content_block": start});
    let stop = json!({"type": "content_block_stop", "index": index});
    Box::new(std::iter::once(start).chain(deltas).chain([stop]))
}

fn delta(index: usize, delta: &Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn message(
    answer: &ScriptedAnswer,
    content: Vec<Value>,
    stop: Option<&str>,
    tokens: Option<TokenCounts>,
) -> Value {
    let mut message = Map::new();
    message.insert("id".to_owned(), format!("msg_{}", answer.id).into());
    message.insert("type".to_owned(), "message".into());
    message.insert("role".to_owned(), "assistant".into());
    message.insert("model".to_owned(), answer.model.clone().into());
    message.insert("content".to_owned(), content.into());
    message.insert("stop_reason".to_owned(), stop.into());
    message.insert("stop_sequence".to_owned(), Value::Null);
    if let Some(tokens) = tokens {
        message.insert("usage".to_owned(), usage(tokens));
    }
    Value::Object(message)
}

fn stop_reason(stop: ScriptedStop) -> &'static str {
    match stop {
        ScriptedStop::EndTurn => "end_turn",
        ScriptedStop::ToolUse => "tool_use",
        ScriptedStop::MaxTokens => "max_tokens",
        ScriptedStop::StopSequence => "stop_sequence",
        ScriptedStop::Refusal => "refusal",
        ScriptedStop::PauseTurn => "pause_turn",
    }
}

/// Here `input_tokens` leaves out what was read from or written to the cache.
fn usage(tokens: TokenCounts) -> Value {
    let cached = tokens.cache_read.saturating_add(tokens.cache_write);
    json!({
        "input_tokens": tokens.input.saturating_sub(cached),
        "cache_creation_input_tokens": tokens.cache_write,
        "cache_read_input_tokens": tokens.cache_read,
        "output_tokens": tokens.output,
    })
}
