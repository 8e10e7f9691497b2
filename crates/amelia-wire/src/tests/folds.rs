//! What the dashboard's folds must come to: it reads the same events, and these are our answers. `make types` writes them.

use std::fs;
use std::path::Path;

use amelia_core::event::{Event, EventLevel};
use amelia_core::view::RunView;
use serde::Serialize;
use serde_json::Value;

use crate::rest::live::LogEvent;
use crate::samples::{kinds, log};

const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../dashboard/src/test/folds");
/// The log that `amelia demo --replay` plays.
const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../amelia/demo/recording.jsonl");

/// A log, and what is to be seen of it.
#[derive(Serialize)]
struct Fold<'a> {
    /// Empty when the events are in a file of their own.
    events: Vec<LogEvent<'a>>,
    said: Vec<EventSummary>,
    /// Where the run stood after some of its events.
    views: Vec<RunView>,
}

#[derive(Serialize)]
struct EventSummary {
    seq: u64,
    name: &'static str,
    level: EventLevel,
    summary: String,
}

fn said(event: &Event) -> EventSummary {
    let kind = &event.draft.kind;
    EventSummary { seq: event.seq.0, name: kind.name(), level: kind.level(), summary: kind.summary() }
}

/// The view after every `nth` event, and after the last one.
fn views(events: &[Event], nth: usize) -> Vec<RunView> {
    let mut view = RunView::default();
    let mut views = Vec::new();
    for (index, event) in events.iter().enumerate() {
        view.apply(event);
        if index % nth == 0 || index + 1 == events.len() {
            views.push(view.clone());
        }
    }
    views
}

fn demo() -> Vec<Event> {
    let text = fs::read_to_string(DEMO).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter_map(|line| Some(serde_json::from_value(line.get("event")?.clone()).unwrap())).collect()
}

fn check(name: &str, fold: &Fold<'_>) {
    let path = Path::new(KEPT).join(name);
    let made = serde_json::to_string_pretty(fold).unwrap() + "\n";
    if std::env::var_os("AMELIA_WRITE_TYPES").is_some() {
        fs::create_dir_all(KEPT).unwrap();
        fs::write(&path, &made).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(made == kept, "{name} is old, run `make types`");
}

#[test]
fn the_dashboard_folds_one_event_of_every_kind_as_we_do() {
    let events = log(kinds());
    check(
        "every-kind.json",
        &Fold {
            events: events.iter().map(LogEvent::from).collect(),
            said: events.iter().map(said).collect(),
            views: views(&events, 7),
        },
    );
}

#[test]
fn the_dashboard_folds_the_demos_log_as_we_do() {
    let events = demo();
    check(
        "demo.json",
        &Fold { events: Vec::new(), said: events.iter().map(said).collect(), views: views(&events, 10) },
    );
}
