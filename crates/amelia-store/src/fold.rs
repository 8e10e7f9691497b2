//! What a commit does to a run's row: pure, and the same for every store.

use amelia_core::event::{Draft, Event, EventKind, RunEvent};
use amelia_core::id::{RunId, RunNumber, Seq};
use amelia_core::run::{Run, RunStatus};
use amelia_core::store::{Commit, StoreError, trace_of};
use amelia_core::view::{RunRow, RunView};

/// The row of a run that is about to begin, if the commit begins one.
pub(crate) fn begin(run: RunId, commit: &Commit) -> Result<RunRow, StoreError> {
    match commit.drafts.first() {
        Some(Draft { at, kind: EventKind::Run(RunEvent::Created { spec }), .. }) => Ok(RunRow {
            run: Run { id: run, number: RunNumber::default(), created_at: *at, spec: (**spec).clone() },
            view: RunView::default(),
        }),
        Some(_) | None => Err(StoreError::NotFound(run)),
    }
}

/// Refuses what must never be written, before anything is.
pub(crate) fn check(run: RunId, after: Seq, found: &RunView, commit: &Commit) -> Result<(), StoreError> {
    if found.seq != after {
        return Err(StoreError::Conflict { run, expected: after, found: found.seq });
    }
    if matches!(found.status, RunStatus::Completed | RunStatus::Cancelled) && !is_delivery(commit) {
        return Err(StoreError::Ended(run));
    }
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

/// What may still be said of a run that has ended: where its change has gone.
fn is_delivery(commit: &Commit) -> bool {
    let Commit { drafts, checkpoint, frames, claims } = commit;
    checkpoint.is_none()
        && frames.is_empty()
        && claims.is_empty()
        && !drafts.is_empty()
        && drafts.iter().all(|draft| matches!(draft.kind, EventKind::Delivery(_)))
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

/// Gives every draft its place in the log and folds it into the view.
pub(crate) fn append(run: RunId, view: &mut RunView, drafts: Vec<Draft>) -> Vec<Event> {
    let trace = trace_of(run);
    drafts
        .into_iter()
        .map(|draft| {
            let event = Event { run, seq: view.seq.plus(1), trace, draft };
            view.apply(&event);
            event
        })
        .collect()
}
