//! Writes an answer as one response object.

use serde_json::{Value, json};

use super::item;
use crate::answer::{ScriptedAnswer, TokenCounts};
use crate::script::ScriptedStop;
use crate::wire::CREATED;

pub(in crate::wire) fn whole(answer: &ScriptedAnswer) -> Value {
    let tokens = answer.tokens.map_or(Value::Null, usage);
    response(answer, status(answer.stop), &output(answer), &tokens)
}

/// As it is sent while it still comes.
pub(super) fn begun(answer: &ScriptedAnswer) -> Value {
    response(answer, Status::InProgress, &[], &Value::Null)
}

#[derive(Clone, Copy)]
pub(super) enum Status {
    InProgress,
    Completed,
    Incomplete(&'static str),
}

pub(super) fn status(stop: ScriptedStop) -> Status {
    match stop {
        ScriptedStop::EndTurn
        | ScriptedStop::ToolUse
        | ScriptedStop::StopSequence
        | ScriptedStop::PauseTurn => Status::Completed,
        ScriptedStop::MaxTokens => Status::Incomplete("max_output_tokens"),
        ScriptedStop::Refusal => Status::Incomplete("content_filter"),
    }
}

fn output(answer: &ScriptedAnswer) -> Vec<Value> {
    let mut items = Vec::new();
    if let Some(thinking) = &answer.thinking {
        items.push(item::reasoning(answer, &[thinking]));
    }
    if !answer.text.is_empty() {
        items.push(item::message(answer, "completed", &[&answer.text]));
    }
    for (index, call) in answer.calls.iter().enumerate() {
        items.push(item::call(answer, index, call, "completed", &call.args));
    }
    items
}

fn response(answer: &ScriptedAnswer, status: Status, output: &[Value], usage: &Value) -> Value {
    let (status, incomplete) = match status {
        Status::InProgress => ("in_progress", Value::Null),
        Status::Completed => ("completed", Value::Null),
        Status::Incomplete(reason) => ("incomplete", json!({"reason": reason})),
    };
    json!({
        "id": format!("resp_{}", answer.id),
        "object": "response",
        "created_at": CREATED,
        "status": status,
        "background": false,
        "error": null,
        "incomplete_details": incomplete,
        "instructions": null,
        "max_output_tokens": null,
        "metadata": {},
        "model": answer.model,
        "output": output,
        "parallel_tool_calls": true,
        "previous_response_id": null,
        "reasoning": {"effort": null, "summary": null},
        "store": false,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": usage,
        "user": null,
    })
}

fn usage(tokens: TokenCounts) -> Value {
    json!({
        "input_tokens": tokens.input,
        "input_tokens_details": {"cached_tokens": tokens.cache_read, "cache_write_tokens": tokens.cache_write},
        "output_tokens": tokens.output,
        "output_tokens_details": {"reasoning_tokens": tokens.reasoning},
        "total_tokens": tokens.input.saturating_add(tokens.output),
    })
}
