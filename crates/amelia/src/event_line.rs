//! One event of a log on one line, for people.

use amelia_core::event::{AgentEvent, Event, EventKind, EventLevel, NodeEvent};
use amelia_core::message::{Message, Object, Part};

use crate::ui;
use crate::wrap::{fitted, wrapped};

/// Columns before the text: its number, its time and its mark.
const BEFORE_TEXT: usize = 21;

pub(crate) fn event_line(event: &Event) -> String {
    let kind = &event.draft.kind;
    let (mark, style) = match (kind, kind.level()) {
        (EventKind::Node(NodeEvent::Entered { .. }), _) => ("▶", ui::BUSY),
        (EventKind::Node(NodeEvent::Left { .. }), _) => ("✓", ui::GOOD),
        (EventKind::Human(_), _) => ("?", ui::WAITS),
        (_, EventLevel::Error) => ("✗", ui::BAD),
        (_, EventLevel::Warning) => ("!", ui::WAITS),
        (_, EventLevel::Info) => ("•", ui::BOLD),
        (_, EventLevel::Debug) => ("·", ui::DIM),
    };
    let number = ui::dim(format!("{:>5}", event.seq.0));
    let time = ui::dim(ui::clock_time(event.draft.at));
    let text = text(kind);
    let text = if kind.level() == EventLevel::Debug { ui::dim(text) } else { text };
    let columns = ui::columns();
    // What is piped stays as it was written.
    let text = if columns.is_some() { wrapped(&text, BEFORE_TEXT, columns) } else { text };
    let output = fitted(&ui::failed_output(kind, BEFORE_TEXT - ui::HANG), ui::HANG, columns);
    format!("{number} {time} {} {text}{output}", ui::painted(style, mark))
}

/// What happened, also where an agent said nothing, or something for a program.
fn text(kind: &EventKind) -> String {
    match kind {
        // The name of a file may hold line breaks.
        EventKind::Artifact(_) => ui::one_line(&kind.summary()),
        EventKind::Agent(AgentEvent::Said(message)) => match message.text().trim() {
            "" => without_words(message),
            text if is_document(text) => "submits a result".to_owned(),
            _ => ui::clean(&kind.summary()),
        },
        EventKind::Agent(AgentEvent::Finished { text, is_error: false, .. })
            if text.trim().is_empty() || is_document(text) =>
        {
            "done".to_owned()
        }
        _ => ui::clean(&kind.summary()),
    }
}

fn without_words(message: &Message) -> String {
    let done = message.parts.iter().filter_map(|part| match part {
        Part::ToolCall(call) => Some(format!("calls {}", call.tool)),
        Part::ToolResult(result) => Some(format!("result of {}", result.tool)),
        Part::Thinking(_) => Some("thinks".to_owned()),
        _ => None,
    });
    let done: Vec<String> = done.collect();
    if done.is_empty() { "says nothing".to_owned() } else { ui::one_line(&done.join(", ")) }
}

/// A result for a program, such as a review.
fn is_document(text: &str) -> bool {
    text.trim_start().starts_with('{') && serde_json::from_str::<Object>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn what_an_agent_does_is_told_in_words_even_if_it_says_none() {
        let said = |parts: Value| {
            let message = json!({"id": uuid::Uuid::nil(), "at": "2026-01-01T00:00:00Z", "role": "assistant",
                "agent": "developer", "parts": parts});
            text(&EventKind::Agent(AgentEvent::Said(serde_json::from_value(message).unwrap())))
        };
        let words = |text: &str| json!([{"text": {"text": text}}]);
        assert_eq!(said(words("I fix it.\nThen I test.")), "I fix it.");
        assert_eq!(said(json!([{"tool_call": {"id": "1", "tool": "Edit", "args": {}}}])), "calls Edit");
        assert_eq!(said(json!([])), "says nothing");
        assert_eq!(said(words(r#"{"approved": true}"#)), "submits a result");
        let done = |words: &str| {
            let finished = json!({"text": words, "is_error": false});
            text(&EventKind::Agent(serde_json::from_value(json!({"finished": finished})).unwrap()))
        };
        assert_eq!(done(r#"{"approved": true}"#), "done");
        assert_eq!(done("It adds."), "done: It adds.");
    }
}
