//! What the Architect wrote: tasks with dependencies. Strictly acyclic.

pub mod batch;
pub mod check;
mod given;
mod lines;
pub mod markdown;
mod progress;
mod shell;
pub mod steps;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::id::AgentName;
use crate::object::Object;

/// A plan: a goal and the tasks that reach it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub goal: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub architecture: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tech_stack: Vec<String>,
    pub tasks: Vec<PlanTask>,
    /// The issue text that gave rise to the plan.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub issue: String,
}

/// One unit of work, small enough for one review.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanTask {
    /// Unique within the plan: `1`, `2.1`, …
    pub id: String,
    pub title: String,
    #[serde(default)]
    pub status: TaskStatus,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileOp>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<PlanStep>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acceptance: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit_message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<i64>,
    /// In the words of who estimates it, such as `15m`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_duration: Option<String>,
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub metadata: Object,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    #[default]
    Pending,
    InProgress,
    Completed,
    Failed,
    Skipped,
    Cancelled,
}

impl TaskStatus {
    /// A task that depends on this one may start. Skipped on purpose counts: it will not be done later.
    #[must_use]
    pub fn is_settled(self) -> bool {
        match self {
            Self::Completed | Self::Skipped => true,
            Self::Pending | Self::InProgress | Self::Failed | Self::Cancelled => false,
        }
    }
}

/// A step of two to five minutes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanStep {
    pub description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_output: Option<String>,
}

/// A file that a task creates, modifies or tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileOp {
    pub operation: FileOperation,
    /// Relative to the repository's root.
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_range: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileOperation {
    Create,
    Modify,
    Test,
}

impl Plan {
    /// Pending tasks whose dependencies are all settled, in plan order.
    #[must_use]
    pub fn ready(&self) -> Vec<&PlanTask> {
        let settled: BTreeSet<&str> =
            self.tasks.iter().filter(|task| task.status.is_settled()).map(|task| task.id.as_str()).collect();
        self.tasks
            .iter()
            .filter(|task| task.status == TaskStatus::Pending)
            .filter(|task| task.dependencies.iter().all(|id| settled.contains(id.as_str())))
            .collect()
    }

    /// Everything that is wrong with the tasks as a graph; empty when nothing is.
    #[must_use]
    pub fn problems(&self) -> Vec<PlanProblem> {
        let mut problems = Vec::new();
        let mut by_id: BTreeMap<&str, &PlanTask> = BTreeMap::new();
        for task in &self.tasks {
            if by_id.insert(&task.id, task).is_some() {
                problems.push(PlanProblem::DuplicateId(task.id.clone()));
            }
        }
        for task in &self.tasks {
            for id in task.dependencies.iter().filter(|id| !by_id.contains_key(id.as_str())) {
                problems
                    .push(PlanProblem::UnknownDependency { task: task.id.clone(), dependency: id.clone() });
            }
        }
        problems.extend(find_cycle(&by_id).map(PlanProblem::Cycle));
        problems
    }
}

/// One cycle, if there is one, as the path that closes it. Iterative: plans come from outside and
/// may be of any depth.
fn find_cycle(tasks: &BTreeMap<&str, &PlanTask>) -> Option<Vec<String>> {
    let mut finished: BTreeSet<&str> = BTreeSet::new();
    for start in tasks.keys() {
        if finished.contains(start) {
            continue;
        }
        let mut path: Vec<(&str, usize)> = vec![(start, 0)];
        let mut on_path: BTreeSet<&str> = BTreeSet::from([*start]);
        while let Some((id, next)) = path.last_mut() {
            let dependencies = tasks.get(*id).map(|task| task.dependencies.as_slice());
            let Some(dependency) = dependencies.unwrap_or_default().get(*next) else {
                finished.insert(*id);
                on_path.remove(*id);
                path.pop();
                continue;
            };
            *next += 1;
            if finished.contains(dependency.as_str()) {
                continue;
            }
            if !on_path.insert(dependency) {
                let cycle = path.iter().skip_while(|(id, _)| id != dependency);
                return Some(cycle.map(|(id, _)| (*id).to_owned()).chain([dependency.clone()]).collect());
            }
            path.push((dependency, 0));
        }
    }
    None
}

/// One thing that is wrong with a plan's tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanProblem {
    DuplicateId(String),
    UnknownDependency { task: String, dependency: String },
    Cycle(Vec<String>),
}

impl fmt::Display for PlanProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateId(id) => write!(f, "two tasks have the id `{id}`"),
            Self::UnknownDependency { task, dependency } => {
                write!(f, "task `{task}` depends on `{dependency}`, which is not in the plan")
            }
            Self::Cycle(path) => write!(f, "tasks depend on each other: {}", path.join(" → ")),
        }
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "plan/progress_tests.rs"]
mod progress_tests;

#[cfg(test)]
#[path = "plan/markdown_tests.rs"]
mod markdown_tests;
