//! Kinds of events, counted exhaustively: a new one must get a number here and a sample there.

use amelia_core::event::{
    AgentEvent, ArtifactEvent, EffectEvent, EventKind, GuardrailEvent, HumanEvent, IngestEvent, MemoryEvent,
    NodeEvent, PlanEvent, ReviewEvent, RunEvent, SystemEvent, TaskEvent, TeamEvent,
};

/// How many kinds there are.
pub(super) const KINDS: usize = 54;

/// The place of a kind among all.
pub(super) fn number(kind: &EventKind) -> usize {
    match kind {
        EventKind::Run(RunEvent::Created { .. }) => 0,
        EventKind::Run(RunEvent::Started) => 1,
        EventKind::Run(RunEvent::Paused { .. }) => 2,
        EventKind::Run(RunEvent::Resumed { .. }) => 3,
        EventKind::Run(RunEvent::Completed { .. }) => 4,
        EventKind::Run(RunEvent::Failed { .. }) => 5,
        EventKind::Run(RunEvent::Cancelled { .. }) => 6,
        EventKind::Node(NodeEvent::Entered { .. }) => 7,
        EventKind::Node(NodeEvent::Left { .. }) => 8,
        EventKind::Human(HumanEvent::Requested(_)) => 9,
        EventKind::Human(HumanEvent::Replied(_)) => 10,
        EventKind::Human(HumanEvent::Intervened(_)) => 11,
        EventKind::Plan(PlanEvent::Validated { .. }) => 12,
        EventKind::Plan(PlanEvent::Refused { .. }) => 13,
        EventKind::Task(TaskEvent::Started(_)) => 14,
        EventKind::Task(TaskEvent::Completed(_)) => 15,
        EventKind::Task(TaskEvent::Failed { .. }) => 16,
        EventKind::Review(ReviewEvent::Requested { .. }) => 17,
        EventKind::Review(ReviewEvent::Completed { .. }) => 18,
        EventKind::Review(ReviewEvent::RevisionRequested { .. }) => 19,
        EventKind::Agent(AgentEvent::Started { .. }) => 20,
        EventKind::Agent(AgentEvent::Thought(_)) => 21,
        EventKind::Agent(AgentEvent::Called(_)) => 22,
        EventKind::Agent(AgentEvent::Returned(_)) => 23,
        EventKind::Agent(AgentEvent::Said(_)) => 24,
        EventKind::Agent(AgentEvent::Used(_)) => 25,
        EventKind::Agent(AgentEvent::Finished { .. }) => 26,
        EventKind::Team(TeamEvent::HandedOff { .. }) => 27,
        EventKind::Team(TeamEvent::Forked { .. }) => 28,
        EventKind::Team(TeamEvent::Joined { .. }) => 29,
        EventKind::Team(TeamEvent::Proposed { .. }) => 30,
        EventKind::Team(TeamEvent::Voted { .. }) => 31,
        EventKind::Team(TeamEvent::Agreed { .. }) => 32,
        EventKind::Artifact(ArtifactEvent::Created(_)) => 33,
        EventKind::Artifact(ArtifactEvent::Modified { .. }) => 34,
        EventKind::Artifact(ArtifactEvent::Deleted { .. }) => 35,
        EventKind::Artifact(ArtifactEvent::Versioned { .. }) => 36,
        EventKind::Memory(MemoryEvent::Stored { .. }) => 37,
        EventKind::Memory(MemoryEvent::Retrieved { .. }) => 38,
        EventKind::Memory(MemoryEvent::Consolidated { .. }) => 39,
        EventKind::Guardrail(GuardrailEvent::Violated { .. }) => 40,
        EventKind::Guardrail(GuardrailEvent::PolicyChanged { .. }) => 41,
        EventKind::Ingest(IngestEvent::Progressed { .. }) => 42,
        EventKind::System(SystemEvent::Failed(_)) => 43,
        EventKind::System(SystemEvent::Recovered { .. }) => 44,
        EventKind::System(SystemEvent::Warned { .. }) => 45,
        EventKind::System(SystemEvent::Checked { .. }) => 46,
        EventKind::System(SystemEvent::Measured { .. }) => 47,
        EventKind::Effect(EffectEvent::Intended(_)) => 48,
        EventKind::Effect(EffectEvent::Done { .. }) => 49,
        EventKind::Effect(EffectEvent::Doubted { .. }) => 50,
        EventKind::Run(RunEvent::Queued) => 51,
        EventKind::Task(TaskEvent::Checked { .. }) => 52,
        EventKind::Task(TaskEvent::Committed { .. }) => 53,
    }
}
