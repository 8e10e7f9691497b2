//! What a commit does to a run's row: pure, and the same for every store.

use amelia_core::event::{Draft, Event, EventKind, RunEvent};
use amelia_core::id::{RunId, RunNumber, Seq};
use amelia_core::run::{Run, RunStatus};
use amelia_core::store::{Commit, StoreError, trace_of};
use amelia_core::view::{RunRow, RunView};

/// The row of a run that is about to begin, if these events begin one.
pub(crate) fn begin(run: RunId, events: &[Event]) -> Result<RunRow, StoreError> {
    match events.first().map(|event| &event.draft) {
        Some(Draft { at, kind: EventKind::Run(RunEvent::Created { spec }), .. }) => Ok(RunRow {
            run: Run { id: run, number: RunNumber::default(), created_at: *at, spec: (**spec).clone() },
            view: RunView::default(),
        }),
        Some(_) | None => Err(StoreError::NotFound(run)),
    }
}

/// Refuses what can never be written, in any state.
pub(crate) fn check_shape(after: Seq, commit: &Commit) -> Result<(), StoreError> {
    if commit.drafts.is_empty() && commit.checkpoint.is_none() && commit.frames.is_empty() {
        return Err(StoreError::Invalid("it is empty".to_owned()));
    }
    // A sub-agent of it is created on its log, too.
    let created = |draft: &Draft| {
        draft.session.is_none() && matches!(draft.kind, EventKind::Run(RunEvent::Created { .. }))
    };
    let begun = usize::from(after == Seq::START);
    if commit.drafts.iter().skip(begun).any(created) {
        return Err(StoreError::Invalid("a run is created once, by its first event".to_owned()));
    }
    Ok(())
}

/// Refuses what must not follow `found` events of a run with this status. `may_follow_end`: nothing that changes
/// how the run has ended.
pub(crate) fn check(
    run: RunId,
    after: Seq,
    found: Seq,
    status: RunStatus,
    may_follow_end: bool,
) -> Result<(), StoreError> {
    if found != after {
        return Err(StoreError::Conflict { run, expected: after, found });
    }
    if matches!(status, RunStatus::Completed | RunStatus::Cancelled) && !may_follow_end {
        return Err(StoreError::Ended(run));
    }
    Ok(())
}

/// Whether these events say nothing but where the change of a run has gone, what became of its artifacts, and whether it is
/// in the archive.
pub(crate) fn may_follow_end(events: &[Event]) -> bool {
    let may = |event: &Event| {
        matches!(
            event.draft.kind,
            EventKind::Delivery(_) | EventKind::Artifact(_) | EventKind::Run(RunEvent::Archived { .. })
        )
    };
    !events.is_empty() && events.iter().all(may)
}

/// Levels that `serde_json` reads; deeper text could be written, and then never be read again.
const DEEPEST: usize = 127;

/// Refuses JSON text that is nested too deep to be read back.
pub(crate) fn check_depth(what: &str, text: &str) -> Result<(), StoreError> {
    // Most texts cannot be too deep, and are not looked at twice.
    if memchr::memchr2_iter(b'[', b'{', text.as_bytes()).nth(DEEPEST).is_none() {
        return Ok(());
    }
    let deepest = depth(text.as_bytes());
    if deepest <= DEEPEST {
        return Ok(());
    }
    Err(StoreError::Invalid(format!(
        "{what} is nested {deepest} levels deep, and at most {DEEPEST} can be read"
    )))
}

/// How deep JSON text is nested. Strings, which are most of a large state, are skipped and not read byte by byte.
fn depth(mut text: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    while let Some((byte, rest)) = text.split_first() {
        text = rest;
        match byte {
            b'"' => text = after_string(text),
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// What follows a string of which the opening quote has been read.
fn after_string(mut text: &[u8]) -> &[u8] {
    while let Some(at) = memchr::memchr2(b'"', b'\\', text) {
        let is_end = text.get(at) == Some(&b'"');
        text = text.get(at + if is_end { 1 } else { 2 }..).unwrap_or_default();
        if is_end {
            return text;
        }
    }
    &[]
}

/// Gives every draft its place in the log.
pub(crate) fn numbered(run: RunId, after: Seq, drafts: Vec<Draft>) -> Vec<Event> {
    let trace = trace_of(run);
    let places = (1..).map(|place| after.plus(place));
    places.zip(drafts).map(|(seq, draft)| Event { run, seq, trace, draft }).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn only_brackets_outside_of_strings_are_levels() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let quoted = serde_json::to_string(&vec![format!("\"\\{}", deep(200)); 200]).unwrap();
        for (text, levels) in [(deep(DEEPEST), DEEPEST), (deep(128), 128), (quoted, 1)] {
            assert_eq!(depth(text.as_bytes()), levels);
            assert_eq!(check_depth("it", &text).is_ok(), serde_json::from_str::<Value>(&text).is_ok());
        }
        assert_eq!(depth(br#"[{"a": "never closed [[["#), 2);
    }
}
