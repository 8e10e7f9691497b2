//! Reads a request of Responses. The conversation must be in it: nothing is kept on the server.

use serde_json::Value;

use crate::conversation::{ScriptedApi, ScriptedRequest, Speaker, SpokenTurn, Wants};
use crate::fingerprint;
use crate::wire::{BadRequest, field};

pub(in crate::wire) fn read(body: &Value) -> Result<ScriptedRequest, BadRequest> {
    let model = field::model(body)?;
    if body.get("previous_response_id").is_some_and(|id| !id.is_null()) {
        return Err(BadRequest(
            "the scripted model keeps no responses: send the whole conversation in `input`".to_owned(),
        ));
    }
    let mut system = vec![field::string(body, "instructions")];
    let mut said = Vec::new();
    match body.get("input") {
        Some(Value::String(text)) => said.push(SpokenTurn::new(Speaker::User, text.clone())),
        Some(Value::Array(items)) => {
            for item in items {
                match role(item) {
                    Some("system" | "developer") => system.push(field::text(item.get("content"))),
                    _ => said.extend(item_said(item)?),
                }
            }
        }
        _ => return Err(BadRequest("`input` must be text or a list of items".to_owned())),
    }
    let includes = field::list(body, "include").any(|wanted| wanted == "reasoning.encrypted_content");
    let wants =
        Wants { stream: field::flag(body, "stream"), usage_in_stream: true, encrypted_reasoning: includes };
    let tools = field::list(body, "tools").flat_map(tool_names).collect();
    let system = field::lines(system.into_iter());
    Ok(ScriptedRequest { wire: ScriptedApi::Responses, model, system, said, tools, wants })
}

fn role(item: &Value) -> Option<&str> {
    item.get("role").and_then(Value::as_str)
}

/// Items of kinds that are not known here say nothing.
fn item_said(item: &Value) -> Result<Option<SpokenTurn>, BadRequest> {
    let kind = item.get("type").and_then(Value::as_str).unwrap_or("message");
    if kind == "message" {
        let by = if role(item) == Some("assistant") { Speaker::Assistant } else { Speaker::User };
        return Ok(Some(SpokenTurn::new(by, field::text(item.get("content")))));
    }
    if kind == "reasoning" {
        return reasoning(item).map(Some);
    }
    let id = vec![field::string(item, "call_id")];
    if kind == "function_call_output" || kind == "custom_tool_call_output" {
        return Ok(Some(SpokenTurn {
            results: id,
            ..SpokenTurn::new(Speaker::Tool, field::text(item.get("output")))
        }));
    }
    if kind == "function_call" || kind == "custom_tool_call" {
        let args = field::string(item, "arguments") + &field::string(item, "input");
        let text = field::call_text(&field::string(item, "name"), &args);
        return Ok(Some(SpokenTurn { calls: id, ..SpokenTurn::new(Speaker::Assistant, text) }));
    }
    Ok(None)
}

/// What was encrypted must come back with the summary it belongs to.
fn reasoning(item: &Value) -> Result<SpokenTurn, BadRequest> {
    let summary = field::text(item.get("summary"));
    let encrypted = item.get("encrypted_content").and_then(Value::as_str);
    if encrypted.is_some_and(|encrypted| encrypted != fingerprint::signature(&summary)) {
        return Err(BadRequest("The encrypted content could not be verified.".to_owned()));
    }
    Ok(SpokenTurn::new(Speaker::Assistant, String::new()))
}

/// A namespace holds tools; the built-in ones have a type and no name.
fn tool_names(tool: &Value) -> Vec<String> {
    let inner: Vec<String> = field::list(tool, "tools").flat_map(tool_names).collect();
    if !inner.is_empty() {
        return inner;
    }
    let name = tool.get("name").or_else(|| tool.get("type")).and_then(Value::as_str);
    name.map(str::to_owned).into_iter().collect()
}
