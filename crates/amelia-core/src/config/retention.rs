//! How long the past is kept.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::problem::{ProblemReport, Validate};
use crate::run::RunStatus;

/// Days to keep a run after its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RetentionPolicy {
    pub default_days: u32,
    /// By the label a run was given: `critical`, `debug`, …
    pub by_task: BTreeMap<String, u32>,
    pub by_status: DaysByStatus,
}

/// Days by how a run ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DaysByStatus {
    pub completed: Option<u32>,
    pub failed: Option<u32>,
    pub cancelled: Option<u32>,
}

impl Default for RetentionPolicy {
    fn default() -> Self {
        Self {
            default_days: 7,
            by_task: BTreeMap::from([("critical".to_owned(), 30), ("debug".to_owned(), 3)]),
            by_status: DaysByStatus { completed: Some(7), failed: Some(14), cancelled: None },
        }
    }
}

impl RetentionPolicy {
    /// Days to keep a run: what it says itself, else its label, else its end, else the default.
    /// `None` for a run that has not ended: what a resumable run needs is never removed.
    #[must_use]
    pub fn days(&self, own: Option<u32>, label: Option<&str>, status: RunStatus) -> Option<u32> {
        let by_status = match status {
            RunStatus::Pending | RunStatus::Running | RunStatus::Waiting(_) => return None,
            RunStatus::Completed => self.by_status.completed,
            RunStatus::Failed => self.by_status.failed,
            RunStatus::Cancelled => self.by_status.cancelled,
        };
        let by_label = || label.and_then(|label| self.by_task.get(label).copied());
        Some(own.or_else(by_label).or(by_status).unwrap_or(self.default_days))
    }
}

impl Validate for RetentionPolicy {
    fn check(&self, report: &mut ProblemReport) {
        report.at_least("default_days", &self.default_days, &1);
        for (label, days) in &self.by_task {
            report.at_least(&format!("by_task.{label}"), days, &1);
        }
        let DaysByStatus { completed, failed, cancelled } = self.by_status;
        for (status, days) in [("completed", completed), ("failed", failed), ("cancelled", cancelled)] {
            if let Some(days) = days {
                report.at_least(&format!("by_status.{status}"), &days, &1);
            }
        }
    }
}
