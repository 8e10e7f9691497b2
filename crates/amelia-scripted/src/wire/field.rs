//! Looking into request bodies that clients write in several ways.

use serde_json::Value;

use super::BadRequest;

pub(super) fn model(body: &Value) -> Result<String, BadRequest> {
    let model = body.get("model").and_then(Value::as_str).filter(|model| !model.is_empty());
    model.map(str::to_owned).ok_or_else(|| BadRequest("you must provide a model parameter".to_owned()))
}

pub(super) fn flag(body: &Value, key: &str) -> bool {
    body.get(key).and_then(Value::as_bool).unwrap_or(false)
}

pub(super) fn string(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

pub(super) fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// A list that a request must have.
pub(super) fn required_list<'a>(body: &'a Value, key: &str) -> Result<&'a Vec<Value>, BadRequest> {
    let list = body.get(key).and_then(Value::as_array).filter(|list| !list.is_empty());
    list.ok_or_else(|| BadRequest(format!("`{key}` must be a list with at least one entry")))
}

/// The text of a content: a string, or parts of which some hold text. Others are named, not dumped.
pub(super) fn text(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => lines(parts.iter().map(part)),
        Some(part_alone @ Value::Object(_)) => part(part_alone),
        Some(Value::Null | Value::Bool(_) | Value::Number(_)) | None => String::new(),
    }
}

fn part(part: &Value) -> String {
    if let Some(text) = part.get("text").and_then(Value::as_str) {
        return text.to_owned();
    }
    if let Some(inner) = part.get("content") {
        return text(Some(inner));
    }
    part.get("type").and_then(Value::as_str).map(|kind| format!("[{kind}]")).unwrap_or_default()
}

/// A call as text, so that rules can look for its name and its arguments.
pub(super) fn call_text(name: &str, args: &str) -> String {
    format!("{name}({args})")
}

pub(super) fn lines(texts: impl Iterator<Item = String>) -> String {
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}
