//! AgentX's words: steps with parts, two live channels, teams.

pub mod event;
pub mod guardrails;
pub mod memory_step;
pub mod plan;
pub mod step;
pub mod team;
pub mod workspace;

use uuid::Uuid;

pub use crate::amelia::v1::Severity;

/// `step_` and the id in hexadecimal: of a message, and of the event that began the turn which said it.
#[must_use]
pub fn step_id(id: Uuid) -> String {
    format!("step_{}", id.simple())
}
