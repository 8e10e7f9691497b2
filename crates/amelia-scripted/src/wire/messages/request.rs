//! Reads a request of Messages. Thinking must come back as it was signed.

use serde_json::Value;

use crate::conversation::{ScriptedApi, ScriptedRequest, Speaker, SpokenTurn, Wants};
use crate::fingerprint;
use crate::wire::{BadRequest, field};

pub(in crate::wire) fn read(body: &Value) -> Result<ScriptedRequest, BadRequest> {
    let model = field::model(body)?;
    if body.get("max_tokens").and_then(Value::as_u64).is_none() {
        return Err(BadRequest("max_tokens: Field required".to_owned()));
    }
    conversation(body, model)
}

fn conversation(body: &Value, model: String) -> Result<ScriptedRequest, BadRequest> {
    let mut system = vec![field::text(body.get("system"))];
    let mut said = Vec::new();
    for (index, message) in field::required_list(body, "messages")?.iter().enumerate() {
        match message.get("role").and_then(Value::as_str) {
            // `claude` passes on in this way what a person says while the model works.
            Some("system") if has_begun(&said) => {
                said.push(SpokenTurn::new(Speaker::User, field::text(message.get("content"))));
            }
            Some("system") => system.push(field::text(message.get("content"))),
            Some("user") => said.push(user(message)),
            Some("assistant") => said.push(assistant(message, index)?),
            other => {
                let role = other.unwrap_or("none");
                return Err(BadRequest(format!("messages.{index}.role: {role} is not a role")));
            }
        }
    }
    let wants = Wants { stream: field::flag(body, "stream"), ..Wants::default() };
    let tools = field::list(body, "tools").map(|tool| field::string(tool, "name")).collect();
    let system = field::lines(system.into_iter());
    Ok(ScriptedRequest { wire: ScriptedApi::Messages, model, system, said, tools, wants })
}

/// Whether the model has answered.
fn has_begun(said: &[SpokenTurn]) -> bool {
    said.iter().any(|said| said.by == Speaker::Assistant)
}

fn user(message: &Value) -> SpokenTurn {
    let text = field::text(message.get("content"));
    let blocks = field::list(message, "content").filter(|block| is(block, "tool_result"));
    let results: Vec<String> = blocks.map(|block| field::string(block, "tool_use_id")).collect();
    let by = if results.is_empty() { Speaker::User } else { Speaker::Tool };
    SpokenTurn { results, ..SpokenTurn::new(by, text) }
}

fn assistant(message: &Value, index: usize) -> Result<SpokenTurn, BadRequest> {
    let Some(Value::Array(blocks)) = message.get("content") else {
        return Ok(SpokenTurn::new(Speaker::Assistant, field::text(message.get("content"))));
    };
    let mut texts = Vec::new();
    let mut calls = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        if is(block, "tool_use") {
            calls.push(field::string(block, "id"));
            let args = block.get("input").map(Value::to_string).unwrap_or_default();
            texts.push(field::call_text(&field::string(block, "name"), &args));
        } else if is(block, "thinking") {
            let signature = fingerprint::signature(&field::string(block, "thinking"));
            if field::string(block, "signature") != signature {
                return Err(BadRequest(format!(
                    "messages.{index}.content.{at}: Invalid `signature` in `thinking` block"
                )));
            }
        } else {
            texts.push(field::text(Some(block)));
        }
    }
    Ok(SpokenTurn { calls, ..SpokenTurn::new(Speaker::Assistant, field::lines(texts.into_iter())) })
}

fn is(block: &Value, kind: &str) -> bool {
    block.get("type").is_some_and(|found| found == kind)
}
