//! The 30 notifications about a task's life. Facts for which AgentX has no word are not sent.

pub mod shape;

mod agent;
mod human;
mod run;
mod system;
mod team;

use amelia_core::event::{Event, EventKind};

use crate::facts::Facts;
pub use shape::ExecutionEvent;

/// The event in AgentX's words; `None` when it has no word for it.
#[must_use]
pub fn execution_event(event: &Event, facts: &Facts) -> Option<ExecutionEvent> {
    let draft = &event.draft;
    match &draft.kind {
        // A sub-agent is no task here; its turns and calls are said by themselves.
        EventKind::Run(_) if draft.session.is_some() => None,
        EventKind::Run(kind) => run::event(kind, event, facts),
        EventKind::Human(kind) => human::event(kind, draft, facts),
        EventKind::Agent(kind) => agent::event(kind, draft, facts),
        EventKind::Team(kind) => Some(team::event(kind, draft.at)),
        EventKind::Artifact(kind) => agent::artifact(kind, draft),
        EventKind::Memory(kind) => Some(agent::memory(kind, draft)),
        EventKind::Guardrail(kind) => Some(system::guardrail(kind, draft)),
        EventKind::System(kind) => system::event(kind, draft),
        EventKind::Node(kind) => system::visit(kind, draft.at),
        EventKind::Plan(_)
        | EventKind::Task(_)
        | EventKind::Review(_)
        | EventKind::Ingest(_)
        | EventKind::Effect(_)
        | EventKind::Delivery(_) => None,
    }
}
