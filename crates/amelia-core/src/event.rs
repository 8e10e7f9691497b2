//! One fact in a run's log: past tense, immutable, append-only for ever. A variant is never renamed
//! or removed, only added. Levels and summaries are derived, not stored.
//!
//! Two levels of enums, so that no `match` has eighty arms; each inner enum lives in `event/<name>.rs`.

pub mod agent;
pub mod artifact;
pub mod delivery;
pub mod effect;
pub mod guardrail;
pub mod human;
pub mod ingest;
pub mod memory;
pub mod names;
pub mod node;
pub mod plan;
pub mod review;
pub mod run;
pub mod system;
pub mod task;
pub mod team;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::id::{AgentName, EventId, RunId, Seq, Step, TraceId};
use crate::run::Domain;

pub use agent::AgentEvent;
pub use artifact::ArtifactEvent;
pub use delivery::DeliveryEvent;
pub use effect::EffectEvent;
pub use guardrail::GuardrailEvent;
pub use human::HumanEvent;
pub use ingest::IngestEvent;
pub use memory::MemoryEvent;
pub use node::NodeEvent;
pub use plan::PlanEvent;
pub use review::ReviewEvent;
pub use run::RunEvent;
pub use system::SystemEvent;
pub use task::TaskEvent;
pub use team::TeamEvent;

/// One fact, with its place in the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct Event {
    /// The root run: owner of the log.
    pub run: RunId,
    /// 1, 2, 3 … per log, without gaps; given by the store.
    pub seq: Seq,
    pub trace: TraceId,
    #[serde(flatten)]
    pub draft: Draft,
}

/// A fact that is not yet in the log. There is no `seq: 0`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct Draft {
    pub id: EventId,
    pub at: Timestamp,
    pub agent: AgentName,
    #[serde(default)]
    pub domain: Domain,
    /// The child run that spoke.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<RunId>,
    /// The node visit inside which this happened; its journal is all events that carry it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Step>,
    /// Result → call, reply → request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<EventId>,
    pub kind: EventKind,
}

impl Draft {
    /// A fact about the run itself, now.
    #[must_use]
    pub fn of_system(clock: &dyn Clock, domain: Domain, kind: EventKind) -> Self {
        Self {
            id: EventId(clock.new_id()),
            at: clock.now(),
            agent: AgentName::system(),
            domain,
            session: None,
            step: None,
            cause: None,
            kind,
        }
    }

    /// Whether it came from outside while the run may have moved: about something that the run has or uses, in the name of
    /// no visit. No engine writes it by itself, and no step depends on it.
    #[must_use]
    pub fn is_from_outside(&self) -> bool {
        self.step.is_none() && self.session.is_none() && self.kind.may_come_from_outside()
    }
}

impl EventKind {
    /// Whether such a fact can be written into a moving run by others than its engine and its nodes.
    #[must_use]
    pub fn may_come_from_outside(&self) -> bool {
        match self {
            Self::System(event) => matches!(event, SystemEvent::Warned { .. } | SystemEvent::Checked { .. }),
            Self::Plan(_)
            | Self::Team(_)
            | Self::Artifact(_)
            | Self::Memory(_)
            | Self::Guardrail(_)
            | Self::Ingest(_) => true,
            Self::Run(_)
            | Self::Node(_)
            | Self::Human(_)
            | Self::Task(_)
            | Self::Review(_)
            | Self::Agent(_)
            | Self::Effect(_)
            | Self::Delivery(_) => false,
        }
    }
}

/// What happened, by subject.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    Run(RunEvent),
    Node(NodeEvent),
    Human(HumanEvent),
    Plan(PlanEvent),
    Task(TaskEvent),
    Review(ReviewEvent),
    Agent(AgentEvent),
    Team(TeamEvent),
    Artifact(ArtifactEvent),
    Memory(MemoryEvent),
    Guardrail(GuardrailEvent),
    Ingest(IngestEvent),
    System(SystemEvent),
    Effect(EffectEvent),
    Delivery(DeliveryEvent),
}

/// How much an event matters; retention drops `Debug` first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum EventLevel {
    Debug,
    Info,
    Warning,
    Error,
}

/// Dispatches to the inner enum, which answers for its own variants.
macro_rules! each_subject {
    ($kind:expr, $event:ident => $answer:expr) => {
        match $kind {
            EventKind::Run($event) => $answer,
            EventKind::Node($event) => $answer,
            EventKind::Human($event) => $answer,
            EventKind::Plan($event) => $answer,
            EventKind::Task($event) => $answer,
            EventKind::Review($event) => $answer,
            EventKind::Agent($event) => $answer,
            EventKind::Team($event) => $answer,
            EventKind::Artifact($event) => $answer,
            EventKind::Memory($event) => $answer,
            EventKind::Guardrail($event) => $answer,
            EventKind::Ingest($event) => $answer,
            EventKind::System($event) => $answer,
            EventKind::Effect($event) => $answer,
            EventKind::Delivery($event) => $answer,
        }
    };
}

impl EventKind {
    /// Our own stable name, `subject.fact`: what logs are filtered by.
    #[must_use]
    pub fn name(&self) -> &'static str {
        each_subject!(self, event => event.name())
    }

    /// How much it matters.
    #[must_use]
    pub fn level(&self) -> EventLevel {
        each_subject!(self, event => event.level())
    }

    /// One line for a person.
    #[must_use]
    pub fn summary(&self) -> String {
        each_subject!(self, event => event.summary())
    }
}
