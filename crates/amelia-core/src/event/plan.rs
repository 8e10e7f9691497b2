//! A plan passed validation, or did not.

use serde::{Deserialize, Serialize};

use super::EventLevel;
use crate::review::PlanVerdict;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum PlanEvent {
    Validated { goal: String, tasks: u32, key_files: Vec<String> },
    Refused { verdict: PlanVerdict, revision: u32 },
}

impl PlanEvent {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Validated { .. } => "plan.validated",
            Self::Refused { .. } => "plan.refused",
        }
    }

    pub(super) fn level(&self) -> EventLevel {
        match self {
            Self::Validated { .. } => EventLevel::Info,
            Self::Refused { .. } => EventLevel::Warning,
        }
    }

    pub(super) fn summary(&self) -> String {
        match self {
            Self::Validated { tasks: 1, .. } => "plan valid, 1 task".to_owned(),
            Self::Validated { tasks, .. } => format!("plan valid, {tasks} tasks"),
            Self::Refused { verdict, revision } => {
                format!("plan rejected at revision {revision}: {}", verdict.issues.join("; "))
            }
        }
    }
}
