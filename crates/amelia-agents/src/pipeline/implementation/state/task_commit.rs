//! A finished task: its commits, and how it was checked and reviewed.

use amelia_core::event::task::TaskRef;
use serde::{Deserialize, Serialize};

use super::TaskProgress;

/// A finished task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskCommit {
    pub task: String,
    pub title: String,
    /// Nothing when the task changed nothing.
    pub commit: Option<String>,
    /// What the Developer committed itself before that, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<String>,
    /// Submodules at commits that only the worktree has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unpublished: Vec<String>,
    /// The checks that ran last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<TaskCheck>,
    /// Reviews that it took.
    #[serde(default)]
    pub rounds: u32,
}

/// A check as it came out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskCheck {
    pub name: String,
    pub command: String,
    pub passed: bool,
}

impl TaskCommit {
    #[must_use]
    pub fn new(task: &TaskRef, commit: Option<String>) -> Self {
        let TaskRef { id, title, .. } = task.clone();
        Self { task: id, title, commit, ..Self::default() }
    }

    /// With how it was checked and reviewed.
    #[must_use]
    pub fn after(self, progress: &TaskProgress) -> Self {
        let checks = progress.checks.iter().map(|check| TaskCheck {
            name: check.name.clone(),
            command: check.command.clone(),
            passed: check.passed,
        });
        Self { checks: checks.collect(), rounds: progress.round, ..self }
    }
}
