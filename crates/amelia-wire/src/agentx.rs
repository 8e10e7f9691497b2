//! AgentX's words: steps with parts, two live channels, teams.

pub mod event;
pub mod plan;
pub mod step;
pub mod team;
pub mod workspace;

use amelia_core::review;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Severity of guardrails. Something that was checked and found is at least `low`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Low,
    Medium,
    High,
    Critical,
}

impl From<review::Severity> for Severity {
    fn from(severity: review::Severity) -> Self {
        match severity {
            review::Severity::None | review::Severity::Low => Self::Low,
            review::Severity::Medium => Self::Medium,
            review::Severity::High => Self::High,
            review::Severity::Critical => Self::Critical,
        }
    }
}

impl From<Severity> for review::Severity {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Low => Self::Low,
            Severity::Medium => Self::Medium,
            Severity::High => Self::High,
            Severity::Critical => Self::Critical,
        }
    }
}

/// `step_` and the id in hexadecimal: of a message, and of the event that began the turn which said it.
#[must_use]
pub fn step_id(id: Uuid) -> String {
    format!("step_{}", id.simple())
}
