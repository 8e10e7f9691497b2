//! Server-sent events, and the lazy lists of them that the APIs are built from.

use std::sync::Arc;

use serde_json::Value;

use crate::answer::pieces;

pub(super) type Events = Box<dyn Iterator<Item = Value> + Send>;

/// With data alone, as Chat Completions does it.
pub(super) fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// With the type of the data as its name, as the other two do it.
pub(super) fn named(value: &Value) -> String {
    let name = value.get("type").and_then(Value::as_str).unwrap_or("message");
    format!("event: {name}\ndata: {value}\n\n")
}

pub(super) fn all(events: Vec<Value>) -> Events {
    Box::new(events.into_iter())
}

/// Made when it is its turn: some hold the whole text.
pub(super) fn later(make: impl FnOnce() -> Vec<Value> + Send + 'static) -> Events {
    Box::new(std::iter::once_with(make).flatten())
}

pub(super) fn per_piece(
    text: &Arc<str>,
    chunk: usize,
    make: impl FnMut(String) -> Value + Send + 'static,
) -> Events {
    Box::new(pieces(text, chunk).map(make))
}
