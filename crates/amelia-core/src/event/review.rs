//! Changes are reviewed, and sent back.

use serde::{Deserialize, Serialize};

use super::Level;
use crate::review::{Evaluation, Review};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewEvent {
    Requested {
        round: u32,
        personas: Vec<String>,
    },
    Completed {
        round: u32,
        review: Review,
    },
    /// Only what the Evaluator wants implemented goes back.
    RevisionRequested {
        round: u32,
        evaluation: Evaluation,
    },
}

impl ReviewEvent {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Requested { .. } => "review.requested",
            Self::Completed { .. } => "review.completed",
            Self::RevisionRequested { .. } => "review.revision_requested",
        }
    }

    pub(super) fn level(&self) -> Level {
        match self {
            Self::Requested { .. } | Self::Completed { .. } | Self::RevisionRequested { .. } => Level::Info,
        }
    }

    pub(super) fn summary(&self) -> String {
        match self {
            Self::Requested { round, .. } => format!("review round {round} requested"),
            Self::Completed { round, review } => {
                let verdict = if review.approved { "approved" } else { "changes wanted" };
                format!("review round {round}: {verdict}, {} comments", review.comments.len())
            }
            Self::RevisionRequested { round, evaluation } => {
                format!("revision requested after round {round}: {}", evaluation.summary)
            }
        }
    }
}
