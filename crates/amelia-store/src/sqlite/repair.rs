//! A row of a run that is damaged is made again from the log, which says everything that the row does. Reads only: the
//! next commit of the run writes the row. An event that is damaged can only be named.

use amelia_core::event::{EventKind, RunEvent};
use amelia_core::id::{RunId, RunNumber, Seq};
use amelia_core::run::Run;
use amelia_core::store::StoreError;
use amelia_core::view::{RunRow, RunView};
use rusqlite::Connection;

use super::error::damaged_row;
use super::events;

/// Events read at once.
const PAGE: usize = 1000;

/// The row as the log tells it.
pub(super) fn refold(db: &Connection, id: RunId) -> Result<RunRow, StoreError> {
    let mut run = None;
    let mut view = RunView::default();
    loop {
        let page = events::read(db, id, view.seq, PAGE)?;
        if page.is_empty() {
            break;
        }
        for event in &page {
            if let EventKind::Run(RunEvent::Created { spec }) = &event.draft.kind
                && event.seq == Seq(1)
            {
                run = Some(Run {
                    id,
                    number: RunNumber::default(),
                    created_at: event.draft.at,
                    spec: (**spec).clone(),
                });
            }
            view.apply(event);
        }
    }
    match run {
        Some(run) => Ok(RunRow { run, view }),
        None => Err(damaged_row(format!("run {id}"), "its log does not begin with its creation")),
    }
}
