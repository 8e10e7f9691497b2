//! What a commit does to a run's row: pure, and the same for every store.

use amelia_core::event::{Draft, Event, EventKind, RunEvent};
use amelia_core::id::{RunId, Seq};
use amelia_core::run::{Run, RunStatus};
use amelia_core::store::{Commit, StoreError, trace_of};
use amelia_core::view::{RunRow, RunView};

/// The row of a run that is about to begin, if the commit begins one.
pub(crate) fn begin(run: RunId, commit: &Commit) -> Result<RunRow, StoreError> {
    match commit.drafts.first() {
        Some(Draft { at, kind: EventKind::Run(RunEvent::Created { spec }), .. }) => Ok(RunRow {
            run: Run { id: run, created_at: *at, spec: (**spec).clone() },
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
    if matches!(found.status, RunStatus::Completed | RunStatus::Cancelled) {
        return Err(StoreError::Ended(run));
    }
    if commit.drafts.is_empty() && commit.checkpoint.is_none() {
        return Err(StoreError::Invalid("it is empty".to_owned()));
    }
    let created = |draft: &Draft| matches!(draft.kind, EventKind::Run(RunEvent::Created { .. }));
    let begun = usize::from(after == Seq::START);
    if commit.drafts.iter().skip(begun).any(created) {
        return Err(StoreError::Invalid("a run is created once, by its first event".to_owned()));
    }
    Ok(())
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
