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

/// Refuses what can never be written, whatever is there.
pub(crate) fn check_shape(after: Seq, commit: &Commit) -> Result<(), StoreError> {
    if commit.drafts.is_empty() && commit.checkpoint.is_none() && commit.frames.is_empty() {
        return Err(StoreError::Invalid("it is empty".to_owned()));
    }
    let created = |draft: &Draft| matches!(draft.kind, EventKind::Run(RunEvent::Created { .. }));
    let begun = usize::from(after == Seq::START);
    if commit.drafts.iter().skip(begun).any(created) {
        return Err(StoreError::Invalid("a run is created once, by its first event".to_owned()));
    }
    Ok(())
}

/// Refuses what must not follow `found` events of a run with this status. `is_delivery`: nothing but where the change of
/// the run has gone, which may still be said when it has ended.
pub(crate) fn check(
    run: RunId,
    after: Seq,
    found: Seq,
    status: RunStatus,
    is_delivery: bool,
) -> Result<(), StoreError> {
    if found != after {
        return Err(StoreError::Conflict { run, expected: after, found });
    }
    if matches!(status, RunStatus::Completed | RunStatus::Cancelled) && !is_delivery {
        return Err(StoreError::Ended(run));
    }
    Ok(())
}

/// Whether these events say nothing but where the change of a run has gone.
pub(crate) fn is_delivery(events: &[Event]) -> bool {
    !events.is_empty() && events.iter().all(|event| matches!(event.draft.kind, EventKind::Delivery(_)))
}

/// Levels that `serde_json` reads; deeper text could be written, and then never be read again.
const DEEPEST: usize = 127;

/// Refuses JSON text that is nested too deep to be read back.
pub(crate) fn check_depth(what: &str, text: &str) -> Result<(), StoreError> {
    let opens = |byte: &u8| matches!(byte, b'[' | b'{');
    if text.as_bytes().iter().filter(|byte| opens(byte)).count() <= DEEPEST {
        return Ok(());
    }
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_string, mut is_escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    if deepest <= DEEPEST {
        return Ok(());
    }
    Err(StoreError::Invalid(format!(
        "{what} is nested {deepest} levels deep, and at most {DEEPEST} can be read"
    )))
}

/// Gives every draft its place in the log.
pub(crate) fn numbered(run: RunId, after: Seq, drafts: Vec<Draft>) -> Vec<Event> {
    let trace = trace_of(run);
    let places = (1..).map(|place| after.plus(place));
    places.zip(drafts).map(|(seq, draft)| Event { run, seq, trace, draft }).collect()
}
