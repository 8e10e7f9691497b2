//! Small commits for the checks.

use amelia_core::checkpoint::{Checkpoint, Position, SavedState};
use amelia_core::clock::{Clock, SystemClock};
use amelia_core::event::run::RunFailure;
use amelia_core::event::{AgentEvent, Draft, EventKind, NodeEvent, RunEvent};
use amelia_core::id::{GraphName, NodeId, RunId, Step};
use amelia_core::message::ThinkingPart;
use amelia_core::run::{Domain, RunSpec};
use amelia_core::store::Commit;
use serde_json::Value;
use serde_json::value::to_raw_value;

pub(super) fn new_run() -> RunId {
    RunId(SystemClock.new_id())
}

pub(super) fn draft(kind: EventKind) -> Draft {
    Draft::of_system(&SystemClock, Domain::default(), kind)
}

pub(super) fn facts(kinds: impl IntoIterator<Item = EventKind>) -> Commit {
    Commit { drafts: kinds.into_iter().map(draft).collect(), checkpoint: None, ..Commit::default() }
}

pub(super) fn spec() -> Result<RunSpec, String> {
    let graph = GraphName::new("sample").map_err(|error| error.to_string())?;
    Ok(RunSpec::new(graph, "a sample"))
}

pub(super) fn created(spec: RunSpec) -> EventKind {
    EventKind::Run(RunEvent::Created { spec: Box::new(spec) })
}

pub(super) fn begun() -> Result<Commit, String> {
    Ok(facts([created(spec()?), EventKind::Run(RunEvent::Started)]))
}

pub(super) fn completed() -> EventKind {
    EventKind::Run(RunEvent::Completed { summary: Some("done".to_owned()) })
}

pub(super) fn failed() -> EventKind {
    let failure = RunFailure { code: "sample".to_owned(), message: "it broke".to_owned(), node: None };
    EventKind::Run(RunEvent::Failed { failure })
}

pub(super) fn entered(step: u32) -> Result<EventKind, String> {
    let node = NodeId::new("work").map_err(|error| error.to_string())?;
    Ok(EventKind::Node(NodeEvent::Entered { node, step: Step(step) }))
}

pub(super) fn thought(text: &str) -> EventKind {
    EventKind::Agent(AgentEvent::Thought(ThinkingPart { text: text.to_owned(), signature: None }))
}

pub(super) enum State {
    Snapshot(Value),
    Updates(Value),
}

pub(super) fn checkpoint(steps: u32, state: &State) -> Result<Checkpoint, String> {
    let raw = |value: &Value| to_raw_value(value).map_err(|error| error.to_string());
    Ok(Checkpoint {
        graph: GraphName::new("sample").map_err(|error| error.to_string())?,
        version: 7,
        at: SystemClock.now(),
        position: Position { steps: Step(steps), ..Position::default() },
        state: match state {
            State::Snapshot(value) => SavedState::Snapshot(raw(value)?),
            State::Updates(value) => SavedState::Updates(raw(value)?),
        },
    })
}
