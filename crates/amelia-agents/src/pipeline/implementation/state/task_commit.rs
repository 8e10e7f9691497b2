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
    /// Findings that were open when a person accepted it as it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_findings: Vec<String>,
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
        let open_findings = if progress.is_accepted { progress.open_findings() } else { Vec::new() };
        Self { checks: checks.collect(), rounds: progress.round, open_findings, ..self }
    }

    /// What a person accepted it with, in a few words; `None` when nothing was left.
    #[must_use]
    pub fn accepted_with(&self) -> Option<String> {
        let failing: Vec<String> = self
            .checks
            .iter()
            .filter(|check| !check.passed)
            .map(|check| format!("`{}`", check.name))
            .collect();
        let failing = match failing.as_slice() {
            [] => None,
            [one] => Some(format!("the check {one} fails")),
            several => Some(format!("the checks {} fail", several.join(", "))),
        };
        let open = match self.open_findings.len() {
            0 => None,
            1 => Some("1 finding is open".to_owned()),
            count => Some(format!("{count} findings are open")),
        };
        let left: Vec<String> = failing.into_iter().chain(open).collect();
        (!left.is_empty()).then(|| left.join(" and "))
    }
}
