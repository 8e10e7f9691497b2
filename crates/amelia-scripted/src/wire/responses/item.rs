//! The items of an output: reasoning, a message, calls. Each as it begins and as it ends.

use serde_json::{Value, json};

use crate::answer::{Call, ScriptedAnswer};
use crate::fingerprint;

pub(super) fn reasoning_id(answer: &ScriptedAnswer) -> String {
    format!("rs_{}", answer.id)
}

pub(super) fn message_id(answer: &ScriptedAnswer) -> String {
    format!("msg_{}", answer.id)
}

pub(super) fn call_id(answer: &ScriptedAnswer, index: usize) -> String {
    format!("fc_{}_{index}", answer.id)
}

pub(super) fn reasoning(answer: &ScriptedAnswer, summary: &[&str]) -> Value {
    let parts: Vec<Value> = summary.iter().map(|text| summary_part(text)).collect();
    let mut item = json!({"id": reasoning_id(answer), "type": "reasoning", "summary": parts});
    if let (true, Some(thinking), Some(item)) =
        (answer.wants.encrypted_reasoning, &answer.thinking, item.as_object_mut())
    {
        item.insert("encrypted_content".to_owned(), fingerprint::signature(thinking).into());
    }
    item
}

pub(super) fn summary_part(text: &str) -> Value {
    json!({"type": "summary_text", "text": text})
}

pub(super) fn message(answer: &ScriptedAnswer, status: &str, texts: &[&str]) -> Value {
    let content: Vec<Value> = texts.iter().map(|text| text_part(text)).collect();
    json!({
        "id": message_id(answer),
        "type": "message",
        "status": status,
        "role": "assistant",
        "content": content,
    })
}

pub(super) fn text_part(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
}

pub(super) fn call(
    answer: &ScriptedAnswer,
    index: usize,
    call: &Call,
    status: &str,
    arguments: &str,
) -> Value {
    json!({
        "id": call_id(answer, index),
        "type": "function_call",
        "status": status,
        "call_id": call.id,
        "name": call.name,
        "arguments": arguments,
    })
}
