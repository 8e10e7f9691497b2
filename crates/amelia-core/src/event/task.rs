//! Work on one task of the plan.

use serde::{Deserialize, Serialize};

use super::{Level, one_line};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskEvent {
    Started(TaskRef),
    Completed(TaskRef),
    Failed { task: TaskRef, error: String },
}

/// A plan task by id, with its place among all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRef {
    pub id: String,
    pub title: String,
    /// From 0.
    pub index: u32,
    pub total: u32,
}

impl TaskEvent {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Started(_) => "task.started",
            Self::Completed(_) => "task.completed",
            Self::Failed { .. } => "task.failed",
        }
    }

    pub(super) fn level(&self) -> Level {
        match self {
            Self::Started(_) | Self::Completed(_) => Level::Info,
            Self::Failed { .. } => Level::Error,
        }
    }

    pub(super) fn summary(&self) -> String {
        let place = |task: &TaskRef| format!("task {} of {}", task.index.saturating_add(1), task.total);
        match self {
            Self::Started(task) => format!("{} started: {}", place(task), one_line(&task.title)),
            Self::Completed(task) => format!("{} completed: {}", place(task), one_line(&task.title)),
            Self::Failed { task, error } => format!("{} failed: {}", place(task), one_line(error)),
        }
    }
}
