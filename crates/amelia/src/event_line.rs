//! Events of a log, one after the other, for people: when, who, and what is done, in the words of the live view.

use std::collections::{BTreeMap, BTreeSet};

use amelia_core::event::{AgentEvent, Event, EventKind, EventLevel, NodeEvent, RunEvent, SystemEvent};
use amelia_core::id::CallId;
use amelia_core::message::{Message, Object, Part, Role};
use amelia_core::text::squeezed;
use amelia_core::tool::ToolResult;

use crate::terminal::{AMELIA, AskedQuestions, NAMES, in_words, label_of, painted_name, speaker_of};
use crate::ui;
use crate::wrap::{fitted, wrapped};

/// Columns before the name: its number, its time and its mark.
const BEFORE_NAME: usize = 21;
/// As much of a call as is shown.
const LONGEST_CALL: usize = 100;
/// As much of a prompt as is shown.
const LONGEST_PROMPT: usize = 120;
/// As much of an event as is shown on a line of its own.
const LONGEST_PLAIN: usize = 300;
/// As much of an error as is shown on the line of its call.
const LONGEST_ERROR: usize = 200;

/// Renders events. Remembers calls: their results are shown in the same words.
#[derive(Default)]
pub(crate) struct EventLines {
    calls: BTreeMap<CallId, String>,
    asked: AskedQuestions,
    warned: BTreeSet<String>,
}

impl EventLines {
    pub(crate) fn line(&mut self, event: &Event) -> String {
        let kind = &event.draft.kind;
        let (mark, style) = match (kind, kind.level()) {
            (EventKind::Node(NodeEvent::Entered { .. }), _) => ("▶", ui::BUSY),
            (EventKind::Node(NodeEvent::Left { .. }), _) => ("✓", ui::GOOD),
            (EventKind::Human(_), _) => ("?", ui::WAITS),
            (EventKind::Agent(AgentEvent::Returned(result)), _) if result.is_success() => ("✓", ui::GOOD),
            (EventKind::Agent(AgentEvent::Returned(_)), _) => ("✗", ui::BAD),
            (_, EventLevel::Error) => ("✗", ui::BAD),
            (_, EventLevel::Warning) => ("!", ui::WAITS),
            (_, EventLevel::Info) => ("•", ui::BOLD),
            (_, EventLevel::Debug) => ("·", ui::DIM),
        };
        let number = ui::dim(format!("{:>5}", event.seq.0));
        let time = ui::dim(ui::clock_time(event.draft.at));
        let text = self.text(event);
        let is_result = matches!(kind, EventKind::Agent(AgentEvent::Returned(_)));
        let text = if kind.level() == EventLevel::Debug && !is_result { ui::dim(text) } else { text };
        let columns = ui::columns();
        let text = wrapped(&text, BEFORE_NAME + NAMES, columns);
        let output = fitted(&ui::lines_below(kind, BEFORE_NAME + NAMES - ui::HANG), ui::HANG, columns);
        let who = painted_name(&speaker_of(event));
        format!("{number} {time} {} {who}{text}{output}", ui::painted(style, mark))
    }

    /// Who does what, on one line without numbers and colours; nothing for what is only of interest in a log.
    pub(crate) fn plain(&mut self, event: &Event) -> Option<String> {
        let is_shown = match &event.draft.kind {
            EventKind::Agent(AgentEvent::Called(_)) => true,
            EventKind::Agent(AgentEvent::Returned(result)) => !result.is_success(),
            EventKind::Agent(AgentEvent::Said(message)) => message.role == Role::Assistant,
            // Calls say which files change.
            EventKind::Node(_) | EventKind::Artifact(_) => false,
            // What is true all the time is said once.
            EventKind::System(SystemEvent::Warned { message, .. }) => self.warned.insert(message.clone()),
            kind => kind.level() != EventLevel::Debug,
        };
        let (who, text) = (speaker_of(event), self.text(event));
        let line = if who == AMELIA { text } else { format!("{who}: {text}") };
        is_shown.then(|| ui::cut(&ui::one_line(&line), LONGEST_PLAIN))
    }

    fn text(&mut self, event: &Event) -> String {
        match &event.draft.kind {
            EventKind::Agent(AgentEvent::Called(call)) => {
                let words = in_words(call, LONGEST_CALL);
                self.calls.insert(call.id.clone(), words.clone());
                words
            }
            EventKind::Agent(AgentEvent::Returned(result)) => self.returned(result),
            EventKind::Agent(AgentEvent::Said(message)) if message.role != Role::Assistant => {
                format!("to {}: {}", label_of(&event.draft.agent), text(&event.draft.kind))
            }
            EventKind::Human(human) => self.asked.told(human, text(&event.draft.kind)),
            EventKind::Run(RunEvent::Paused { reason }) if event.draft.session.is_none() => {
                format!("waits: {}", self.asked.waits_for(*reason))
            }
            kind => text(kind),
        }
    }

    fn returned(&mut self, result: &ToolResult) -> String {
        let words = self.calls.remove(&result.call).unwrap_or_else(|| ui::one_line(&result.tool.to_string()));
        match &result.error {
            None => words,
            Some(error) => {
                let first: String = squeezed(error).chars().take(LONGEST_ERROR).collect();
                format!("{words}: {}", ui::clean(&first))
            }
        }
    }
}

/// What happened, also where an agent said nothing, or something for a program.
fn text(kind: &EventKind) -> String {
    match kind {
        // The name of a file may hold line breaks.
        EventKind::Artifact(_) => ui::one_line(&ui::summary(kind)),
        EventKind::Agent(AgentEvent::Said(message)) => match message.text().trim() {
            "" => without_words(message),
            text if is_document(text) => "submits a result".to_owned(),
            text if message.role == Role::Assistant => ui::clean(text),
            text => beginning(text),
        },
        EventKind::Agent(AgentEvent::Finished { text, is_error: false, .. })
            if text.trim().is_empty() || is_document(text) =>
        {
            "done".to_owned()
        }
        _ => ui::clean(&kind.summary()),
    }
}

/// A prompt may be long.
fn beginning(text: &str) -> String {
    let all = squeezed(text);
    let mut short: String = all.chars().take(LONGEST_PROMPT).collect();
    if short.len() < all.len() {
        short.push('…');
    }
    ui::clean(&short)
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
    fn what_a_review_found_stands_below_it() {
        let comments =
            json!([{"text": "It leaks.\nSee close().", "file": "src/a.rs", "line": 7}, {"text": "Nice."}]);
        let review =
            json!({"persona": "Reviewer", "approved": false, "comments": comments, "severity": "low"});
        let completed = json!({"completed": {"round": 1, "review": review}});
        let kind = EventKind::Review(serde_json::from_value(completed).unwrap());
        let lines = anstream::adapter::strip_str(&ui::lines_below(&kind, 2)).to_string();
        assert_eq!(lines, "\n  | src/a.rs:7: It leaks.\n  | See close().\n  | Nice.");
    }

    #[test]
    fn what_the_evaluator_decided_stands_below_it() {
        let item = |number: u32, title: &str, disposition: &str, reason: &str| {
            json!({"number": number, "title": title, "file": "a", "line": 1, "disposition": disposition,
                "reason": reason, "issue": "i", "suggestion": "s"})
        };
        let items = [item(1, "It leaks", "implement", "It does."), item(2, "Rename it", "defer", "")];
        let decided =
            json!({"revision_requested": {"round": 1, "evaluation": {"items": items, "summary": ""}}});
        let kind = EventKind::Review(serde_json::from_value(decided).unwrap());
        let lines = anstream::adapter::strip_str(&ui::lines_below(&kind, 2)).to_string();
        assert_eq!(lines, "\n  | to implement: It leaks (It does.)\n  | deferred: Rename it");
    }

    #[test]
    fn what_an_agent_does_is_told_in_words_even_if_it_says_none() {
        let said = |parts: Value| {
            let message = json!({"id": uuid::Uuid::nil(), "at": "2026-01-01T00:00:00Z", "role": "assistant",
                "agent": "developer", "parts": parts});
            text(&EventKind::Agent(AgentEvent::Said(serde_json::from_value(message).unwrap())))
        };
        let words = |text: &str| json!([{"text": {"text": text}}]);
        assert_eq!(said(words("I fix it.\nThen I test.")), "I fix it.\nThen I test.");
        assert_eq!(beginning("The issue:\n\nIt does not add"), "The issue: It does not add");
        assert_eq!(beginning(&"a ".repeat(100)).chars().count(), LONGEST_PROMPT + 1);
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
