//! Writes an answer as typed, numbered events from `response.created` to `response.completed`.

use std::sync::Arc;

use serde_json::{Value, json};

use super::answer::{Status, begun, status, whole};
use super::item;
use crate::answer::{Call, ScriptedAnswer};
use crate::wire::event::{self, Events};

pub(in crate::wire) fn stream(
    answer: &Arc<ScriptedAnswer>,
    chunk: usize,
) -> impl Iterator<Item = String> + Send + use<> {
    let head = event::all(vec![
        json!({"type": "response.created", "response": begun(answer)}),
        json!({"type": "response.in_progress", "response": begun(answer)}),
    ]);
    let mut parts: Vec<Events> = vec![head];
    if let Some(thinking) = &answer.thinking {
        parts.push(reasoning(answer, thinking, parts.len() - 1, chunk));
    }
    if !answer.text.is_empty() {
        parts.push(message(answer, parts.len() - 1, chunk));
    }
    for (index, call) in answer.calls.iter().enumerate() {
        let place = Place { item: index, output: parts.len() - 1 };
        parts.push(function_call(answer, call, place, chunk));
    }
    let end = Arc::clone(answer);
    parts.push(event::later(move || vec![json!({"type": end_type(&end), "response": whole(&end)})]));
    parts.into_iter().flatten().enumerate().map(|(number, event)| event::named(&numbered(event, number)))
}

fn reasoning(answer: &Arc<ScriptedAnswer>, thinking: &Arc<str>, output: usize, chunk: usize) -> Events {
    let id = item::reasoning_id(answer);
    let at = move |kind: &str| json!({"type": format!("response.{kind}"), "item_id": id, "output_index": output, "summary_index": 0});
    let begin = event::all(vec![
        added(output, &item::reasoning(answer, &[])),
        with(at("reasoning_summary_part.added"), "part", item::summary_part("")),
    ]);
    let delta = at.clone();
    let deltas = event::per_piece(thinking, chunk, move |piece| {
        with(delta("reasoning_summary_text.delta"), "delta", piece.into())
    });
    let (answer, thinking) = (Arc::clone(answer), Arc::clone(thinking));
    let end = event::later(move || {
        vec![
            with(at("reasoning_summary_text.done"), "text", json!(*thinking)),
            with(at("reasoning_summary_part.done"), "part", item::summary_part(&thinking)),
            done(output, &item::reasoning(&answer, &[&thinking])),
        ]
    });
    Box::new(begin.chain(deltas).chain(end))
}

fn message(answer: &Arc<ScriptedAnswer>, output: usize, chunk: usize) -> Events {
    let id = item::message_id(answer);
    let at = move |kind: &str| json!({"type": format!("response.{kind}"), "item_id": id, "output_index": output, "content_index": 0});
    let begin = event::all(vec![
        added(output, &item::message(answer, "in_progress", &[])),
        with(at("content_part.added"), "part", item::text_part("")),
    ]);
    let delta = at.clone();
    let deltas = event::per_piece(&answer.text, chunk, move |piece| {
        with(with(delta("output_text.delta"), "delta", piece.into()), "logprobs", json!([]))
    });
    let answer = Arc::clone(answer);
    let end = event::later(move || {
        vec![
            with(with(at("output_text.done"), "text", json!(*answer.text)), "logprobs", json!([])),
            with(at("content_part.done"), "part", item::text_part(&answer.text)),
            done(output, &item::message(&answer, "completed", &[&answer.text])),
        ]
    });
    Box::new(begin.chain(deltas).chain(end))
}

/// Where a call is: among the calls, and in the output.
#[derive(Clone, Copy)]
struct Place {
    item: usize,
    output: usize,
}

fn function_call(answer: &Arc<ScriptedAnswer>, call: &Call, place: Place, chunk: usize) -> Events {
    let Place { item: index, output } = place;
    let id = item::call_id(answer, index);
    let at =
        move |kind: &str| json!({"type": format!("response.{kind}"), "item_id": id, "output_index": output});
    let begin = event::all(vec![added(output, &item::call(answer, index, call, "in_progress", ""))]);
    let delta = at.clone();
    let deltas = event::per_piece(&call.args, chunk, move |piece| {
        with(delta("function_call_arguments.delta"), "delta", piece.into())
    });
    let (answer, call) = (Arc::clone(answer), call.clone());
    let end = event::later(move || {
        let arguments = with(at("function_call_arguments.done"), "arguments", json!(*call.args));
        vec![
            with(arguments, "name", json!(call.name)),
            done(output, &item::call(&answer, index, &call, "completed", &call.args)),
        ]
    });
    Box::new(begin.chain(deltas).chain(end))
}

fn added(output: usize, item: &Value) -> Value {
    json!({"type": "response.output_item.added", "output_index": output, "item": item})
}

fn done(output: usize, item: &Value) -> Value {
    json!({"type": "response.output_item.done", "output_index": output, "item": item})
}

fn end_type(answer: &ScriptedAnswer) -> &'static str {
    match status(answer.stop) {
        Status::InProgress | Status::Completed => "response.completed",
        Status::Incomplete(_) => "response.incomplete",
    }
}

fn numbered(event: Value, number: usize) -> Value {
    with(event, "sequence_number", number.into())
}

fn with(mut event: Value, key: &str, value: Value) -> Value {
    if let Some(event) = event.as_object_mut() {
        event.insert(key.to_owned(), value);
    }
    event
}
