//! Text as a model produces it: published, never stored, so it is no event and has no sequence.

use amelia_core::driver::DeltaKind;
use amelia_core::id::{AgentName, EventId, RunId};
use amelia_core::run::Domain;
use jiff::Timestamp;

/// A piece of an answer on its way, with what both dialects say about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Live {
    /// Of this piece.
    pub id: EventId,
    pub run: RunId,
    pub session: Option<RunId>,
    pub domain: Domain,
    /// The event that began the agent's turn; the finished turn's message has the same id.
    pub turn: EventId,
    pub agent: AgentName,
    pub at: Timestamp,
    pub kind: DeltaKind,
    pub text: String,
    pub is_final: bool,
    pub tokens: Option<u64>,
    pub model: Option<String>,
}
