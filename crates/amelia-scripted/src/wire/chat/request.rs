//! Reads a request of Chat Completions.

use serde_json::Value;

use crate::conversation::{ScriptedApi, ScriptedRequest, Speaker, SpokenTurn, Wants};
use crate::wire::{BadRequest, field};

pub(in crate::wire) fn read(body: &Value) -> Result<ScriptedRequest, BadRequest> {
    let model = field::model(body)?;
    if body.get("n").and_then(Value::as_u64).is_some_and(|n| n > 1) {
        return Err(BadRequest("the scripted model gives one choice: `n` must be 1".to_owned()));
    }
    let mut system = Vec::new();
    let mut said = Vec::new();
    for (index, message) in field::required_list(body, "messages")?.iter().enumerate() {
        let text = field::text(message.get("content"));
        match message.get("role").and_then(Value::as_str) {
            Some("system" | "developer") => system.push(text),
            Some("user") => said.push(SpokenTurn::new(Speaker::User, text)),
            Some("assistant") => said.push(assistant(message, text)),
            Some("tool") => {
                let results = vec![field::string(message, "tool_call_id")];
                said.push(SpokenTurn { results, ..SpokenTurn::new(Speaker::Tool, text) });
            }
            other => {
                let role = other.unwrap_or("none");
                return Err(BadRequest(format!("messages[{index}].role: {role} is not a role")));
            }
        }
    }
    let wants = Wants {
        stream: field::flag(body, "stream"),
        usage_in_stream: body
            .get("stream_options")
            .is_some_and(|options| field::flag(options, "include_usage")),
        encrypted_reasoning: false,
    };
    let tools = field::list(body, "tools").filter_map(|tool| tool.get("function"));
    let tools = tools.map(|function| field::string(function, "name")).collect();
    Ok(ScriptedRequest { wire: ScriptedApi::Chat, model, system: system.join("\n"), said, tools, wants })
}

fn assistant(message: &Value, text: String) -> SpokenTurn {
    let mut texts = vec![text];
    let mut calls = Vec::new();
    for call in field::list(message, "tool_calls") {
        calls.push(field::string(call, "id"));
        if let Some(function) = call.get("function") {
            texts.push(field::call_text(
                &field::string(function, "name"),
                &field::string(function, "arguments"),
            ));
        }
    }
    SpokenTurn { calls, ..SpokenTurn::new(Speaker::Assistant, field::lines(texts.into_iter())) }
}
