//! What needs no rule: the list of models, embeddings, counting tokens.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::{Value, json};

use super::body::json;
use crate::conversation::{ScriptedApi, estimate};
use crate::embedding;
use crate::player::ScriptPlayer;
use crate::wire;

const MAX_DIMENSIONS: u64 = 8192;

/// One list in the shapes of both vendors: each reads its own keys.
pub(super) async fn models(State(stage): State<Arc<ScriptPlayer>>) -> Response {
    let models = &stage.script.models;
    let data: Vec<Value> = models.iter().map(|id| described(id)).collect();
    let list = json!({
        "object": "list",
        "data": data,
        "has_more": false,
        "first_id": models.first(),
        "last_id": models.last(),
    });
    json(StatusCode::OK, &list)
}

pub(super) async fn model(State(stage): State<Arc<ScriptPlayer>>, Path(id): Path<String>) -> Response {
    if stage.script.models.contains(&id) {
        return json(StatusCode::OK, &described(&id));
    }
    let message = format!("the model `{id}` does not exist");
    json(StatusCode::NOT_FOUND, &wire::error(ScriptedApi::Chat, 404, &message))
}

fn described(id: &str) -> Value {
    json!({
        "id": id,
        "object": "model",
        "created": wire::CREATED,
        "owned_by": "scripted",
        "type": "model",
        "display_name": format!("{id} (scripted)"),
        "created_at": "2023-11-14T22:13:20Z",
    })
}

pub(super) async fn count_tokens(body: Bytes) -> Response {
    match serde_json::from_slice::<Value>(&body) {
        Ok(_) => json(StatusCode::OK, &json!({"input_tokens": estimate(body.len())})),
        Err(error) => {
            let message = format!("the body is not JSON: {error}");
            json(StatusCode::BAD_REQUEST, &wire::error(ScriptedApi::Messages, 400, &message))
        }
    }
}

pub(super) async fn embeddings(body: Bytes) -> Response {
    match embedded(&body) {
        Ok(answer) => json(StatusCode::OK, &answer),
        Err(message) => json(StatusCode::BAD_REQUEST, &wire::error(ScriptedApi::Chat, 400, &message)),
    }
}

fn embedded(body: &[u8]) -> Result<Value, String> {
    let body: Value =
        serde_json::from_slice(body).map_err(|error| format!("the body is not JSON: {error}"))?;
    let model = body.get("model").and_then(Value::as_str).ok_or("you must provide a model parameter")?;
    let texts = texts(body.get("input")).ok_or("`input` must be text, or a list of texts or of tokens")?;
    let dimensions = match body.get("dimensions").filter(|given| !given.is_null()) {
        None => embedding::DEFAULT_DIMENSIONS,
        Some(given) => {
            let given = given.as_u64().filter(|given| (1..=MAX_DIMENSIONS).contains(given));
            let given = given.and_then(|given| usize::try_from(given).ok());
            given.ok_or_else(|| format!("`dimensions` must be between 1 and {MAX_DIMENSIONS}"))?
        }
    };
    let as_base64 = body.get("encoding_format").is_some_and(|format| format == "base64");
    let data = texts.iter().enumerate().map(|(index, text)| {
        let vector = embedding::vector(text, dimensions);
        let vector = if as_base64 { json!(encoded(&vector)) } else { json!(vector) };
        json!({"object": "embedding", "index": index, "embedding": vector})
    });
    let data: Vec<Value> = data.collect();
    let tokens = estimate(texts.iter().map(String::len).sum());
    let usage = json!({"prompt_tokens": tokens, "total_tokens": tokens});
    Ok(json!({"object": "list", "data": data, "model": model, "usage": usage}))
}

/// A text, several, tokens, or several lists of tokens.
fn texts(input: Option<&Value>) -> Option<Vec<String>> {
    match input? {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(items) if items.is_empty() => None,
        Value::Array(items) if items.iter().all(Value::is_u64) => Some(vec![tokens(items)]),
        Value::Array(items) => items
            .iter()
            .map(|item| match item {
                Value::String(text) => Some(text.clone()),
                Value::Array(inner) if inner.iter().all(Value::is_u64) => Some(tokens(inner)),
                _ => None,
            })
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

fn tokens(items: &[Value]) -> String {
    items.iter().map(Value::to_string).collect::<Vec<_>>().join(" ")
}

fn encoded(vector: &[f32]) -> String {
    let bytes: Vec<u8> = vector.iter().flat_map(|value| value.to_le_bytes()).collect();
    STANDARD.encode(bytes)
}
