//! What stands in for a run or an event that cannot be read: it is named, and hides nothing else.

use amelia_core::event::run::RunFailure;
use amelia_core::event::{Draft, Event, EventKind, SystemEvent};
use amelia_core::id::{AgentName, EventId, GraphName, RunId, RunNumber, Seq};
use amelia_core::message::Object;
use amelia_core::problem::Problem;
use amelia_core::run::{Domain, Run, RunSpec, RunStatus};
use amelia_core::store::{StoreError, trace_of};
use amelia_core::view::{RunRow, RunView};
use jiff::Timestamp;
use rusqlite::Row;

use super::rows::{moment, unsigned};

/// What stands in a list for a run that cannot be read: it hides neither itself nor the others.
pub(super) fn stand_in(id: RunId, error: &StoreError) -> RunRow {
    let created_at = created_at(id);
    let spec = RunSpec::new(GraphName::unknown(), "(damaged run)");
    let failure = RunFailure::new("damaged", error);
    let view = RunView {
        status: RunStatus::Failed,
        updated_at: Some(created_at),
        ended_at: Some(created_at),
        failure: Some(failure),
        ..RunView::default()
    };
    RunRow { run: Run { id, number: RunNumber::default(), created_at, spec }, view }
}

/// What stands in a log for an event that cannot be read: a warning in its place, at its time as far as that is known.
pub(super) fn event_stand_in(run: RunId, row: &Row<'_>, error: &StoreError) -> Event {
    let seq = Seq(row.get(0).map_or(0, unsigned));
    let at = row.get(2).map_or_else(|_| created_at(run), moment);
    let draft = Draft {
        id: EventId(row.get(1).unwrap_or_default()),
        at,
        agent: AgentName::system(),
        domain: Domain::default(),
        session: None,
        step: None,
        cause: None,
        kind: EventKind::System(SystemEvent::Warned {
            message: Problem::from(error).to_text(),
            details: Object::new(),
        }),
    };
    Event { run, seq, trace: trace_of(run), draft }
}

/// Ids are ordered by time, and say it.
fn created_at(id: RunId) -> Timestamp {
    let seconds =
        id.0.get_timestamp().map(|at| at.to_unix().0).and_then(|seconds| i64::try_from(seconds).ok());
    seconds.and_then(|seconds| Timestamp::from_second(seconds).ok()).unwrap_or(Timestamp::UNIX_EPOCH)
}
