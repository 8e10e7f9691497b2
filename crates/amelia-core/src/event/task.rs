//! Work on one task of the plan.

use serde::{Deserialize, Serialize};

use super::EventLevel;
use crate::check::CheckResult;
use crate::text::{one_line, short_commit};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum TaskEvent {
    Started(TaskRef),
    /// The checks of the profile were run on it.
    Checked {
        task: TaskRef,
        checks: Vec<CheckResult>,
    },
    /// What was done is a commit.
    Committed {
        task: TaskRef,
        commit: String,
        message: String,
    },
    Completed(TaskRef),
    Failed {
        task: TaskRef,
        error: String,
    },
}

/// A plan task by id, with its place among all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct TaskRef {
    pub id: String,
    pub title: String,
    /// From 0.
    pub index: u32,
    /// 0 for a step of a team, which is no task of a plan.
    pub total: u32,
}

impl TaskEvent {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Started(_) => "task.started",
            Self::Checked { .. } => "task.checked",
            Self::Committed { .. } => "task.committed",
            Self::Completed(_) => "task.completed",
            Self::Failed { .. } => "task.failed",
        }
    }

    pub(super) fn level(&self) -> EventLevel {
        match self {
            Self::Started(_) | Self::Committed { .. } | Self::Completed(_) => EventLevel::Info,
            Self::Checked { checks, .. } if checks.iter().all(|check| check.passed) => EventLevel::Info,
            Self::Checked { .. } => EventLevel::Warning,
            Self::Failed { .. } => EventLevel::Error,
        }
    }

    pub(super) fn summary(&self) -> String {
        let place = |task: &TaskRef| format!("task {} of {}", task.index.saturating_add(1), task.total);
        match self {
            Self::Started(task) => format!("{} started: {}", place(task), one_line(&task.title)),
            Self::Checked { checks, task } => {
                let ends: Vec<String> =
                    checks.iter().map(|check| format!("{} {}", check.name, check.end())).collect();
                match task.total {
                    0 => format!("checks: {}", ends.join(", ")),
                    _ => format!("task {}: checks: {}", task.id, ends.join(", ")),
                }
            }
            Self::Committed { commit, message, task } => {
                let commit = short_commit(commit);
                format!("task {}: committed {commit}: {}", task.id, one_line(message))
            }
            Self::Completed(task) => format!("{} completed: {}", place(task), one_line(&task.title)),
            Self::Failed { task, error } => format!("{} failed: {}", place(task), one_line(error)),
        }
    }
}
