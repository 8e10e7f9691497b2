//! Writes an answer as Chat Completions does: one object, or chunks that end with `[DONE]`.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::answer::{Call, ScriptedAnswer, TokenCounts};
use crate::script::ScriptedStop;
use crate::wire::CREATED;
use crate::wire::event::{self, Events};

pub(in crate::wire) fn whole(answer: &ScriptedAnswer) -> Value {
    let mut message = json!({"role": "assistant", "content": content(answer), "refusal": null});
    if let Some(thinking) = &answer.thinking {
        put(&mut message, "reasoning_content", json!(**thinking));
    }
    if !answer.calls.is_empty() {
        let calls = answer.calls.iter().map(|call| {
            let function = json!({"name": call.name, "arguments": *call.args});
            json!({"id": call.id, "type": "function", "function": function})
        });
        put(&mut message, "tool_calls", calls.collect());
    }
    let choice = json!({"index": 0, "message": message, "logprobs": null, "finish_reason": finish_reason(answer.stop)});
    let mut whole = envelope(answer, "chat.completion", &json!([choice]));
    if let Some(tokens) = answer.tokens {
        put(&mut whole, "usage", usage(tokens));
    }
    whole
}

pub(in crate::wire) fn stream(
    answer: &Arc<ScriptedAnswer>,
    chunk: usize,
) -> impl Iterator<Item = String> + Send + use<> {
    let mut deltas: Vec<Events> = vec![event::all(vec![json!({"role": "assistant", "content": ""})])];
    if let Some(thinking) = &answer.thinking {
        deltas.push(event::per_piece(thinking, chunk, |piece| json!({"reasoning_content": piece})));
    }
    deltas.push(event::per_piece(&answer.text, chunk, |piece| json!({"content": piece})));
    for (index, call) in answer.calls.iter().enumerate() {
        deltas.push(call_deltas(index, call, chunk));
    }
    let said = Arc::clone(answer);
    let said = deltas.into_iter().flatten().map(move |delta| delta_chunk(&said, &delta, None));
    let end = Arc::clone(answer);
    let end = event::later(move || last_chunks(&end));
    said.chain(end).map(|chunk| event::data(&chunk)).chain(["data: [DONE]\n\n".to_owned()])
}

fn call_deltas(index: usize, call: &Call, chunk: usize) -> Events {
    let function = json!({"name": call.name, "arguments": ""});
    let start =
        json!({"tool_calls": [{"index": index, "id": call.id, "type": "function", "function": function}]});
    let args = event::per_piece(
        &call.args,
        chunk,
        move |piece| json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}),
    );
    Box::new(std::iter::once(start).chain(args))
}

fn last_chunks(answer: &ScriptedAnswer) -> Vec<Value> {
    let mut chunks = vec![delta_chunk(answer, &json!({}), Some(finish_reason(answer.stop)))];
    if let Some(tokens) = answer.tokens.filter(|_| answer.wants.usage_in_stream) {
        let mut last = envelope(answer, "chat.completion.chunk", &json!([]));
        put(&mut last, "usage", usage(tokens));
        chunks.push(last);
    }
    chunks
}

fn delta_chunk(answer: &ScriptedAnswer, delta: &Value, finish_reason: Option<&str>) -> Value {
    let choice = json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish_reason});
    let mut chunk = envelope(answer, "chat.completion.chunk", &json!([choice]));
    if answer.wants.usage_in_stream {
        put(&mut chunk, "usage", Value::Null);
    }
    chunk
}

fn envelope(answer: &ScriptedAnswer, object: &str, choices: &Value) -> Value {
    json!({
        "id": format!("chatcmpl-{}", answer.id),
        "object": object,
        "created": CREATED,
        "model": answer.model,
        "system_fingerprint": "fp_scripted",
        "choices": choices,
    })
}

/// Null beside tool calls, as the real one does it.
fn content(answer: &ScriptedAnswer) -> Value {
    if answer.text.is_empty() && !answer.calls.is_empty() { Value::Null } else { json!(*answer.text) }
}

fn finish_reason(stop: ScriptedStop) -> &'static str {
    match stop {
        ScriptedStop::EndTurn | ScriptedStop::StopSequence | ScriptedStop::PauseTurn => "stop",
        ScriptedStop::ToolUse => "tool_calls",
        ScriptedStop::MaxTokens => "length",
        ScriptedStop::Refusal => "content_filter",
    }
}

fn usage(tokens: TokenCounts) -> Value {
    json!({
        "prompt_tokens": tokens.input,
        "completion_tokens": tokens.output,
        "total_tokens": tokens.input.saturating_add(tokens.output),
        "prompt_tokens_details": {"cached_tokens": tokens.cache_read, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": tokens.reasoning,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    })
}

fn put(value: &mut Value, key: &str, inner: Value) {
    if let Some(object) = value.as_object_mut() {
        object.insert(key.to_owned(), inner);
    }
}
