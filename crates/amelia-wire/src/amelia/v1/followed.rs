//! The plan that a run follows, with how far each task has come.

use std::collections::BTreeSet;

use amelia_core::plan::{Plan, TaskStatus};
use amelia_core::run::RunStatus;
use amelia_core::tracker::Issue;
use amelia_core::view::RunRow;
use serde::Deserialize as _;
use serde_json::Value;

/// The plan and the id of the task that is worked on. One that was given as data is shown with the ids and texts that it
/// was given with, until a person writes another.
pub(super) fn followed(row: &RunRow, state: &Value, issue: Option<&Issue>) -> Option<(Plan, Option<String>)> {
    let read = |path: &str| state.pointer(path).and_then(|plan| Plan::deserialize(plan).ok());
    let is_given = state.pointer("/draft/markdown") == state.pointer("/wanted/plan");
    let mut plan = read("/wanted/given").filter(|_| is_given).or_else(|| read("/draft/plan"))?;
    let commits = state.get("commits").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let done: BTreeSet<&str> = commits.iter().filter_map(|done| done.get("task")?.as_str()).collect();
    let now = row.view.task.as_ref().map(|task| task.id.as_str());
    let news: Vec<(String, TaskStatus)> = plan
        .numbered()
        .into_iter()
        .filter_map(|(number, task)| {
            let is_now = now == Some(number.as_str());
            let status = status(row.view.status, done.contains(number.as_str()), is_now)?;
            Some((task.id.clone(), status))
        })
        .collect();
    let current = plan.numbered().into_iter().find(|(number, _)| now == Some(number.as_str()));
    let current = current.map(|(_, task)| task.id.clone());
    for (id, status) in news {
        plan.tasks.iter_mut().filter(|task| task.id == id).for_each(|task| task.status = status);
    }
    if let Some(issue) = issue.filter(|_| plan.issue.is_empty()) {
        let text = if issue.description.is_empty() { &issue.title } else { &issue.description };
        plan.issue.clone_from(text);
    }
    Some((plan, current))
}

/// `None`: as it was.
fn status(run: RunStatus, is_done: bool, is_now: bool) -> Option<TaskStatus> {
    if is_done {
        return Some(TaskStatus::Completed);
    }
    is_now.then_some(match run {
        // The document has no word for what was cancelled.
        RunStatus::Failed | RunStatus::Cancelled => TaskStatus::Failed,
        RunStatus::Completed => TaskStatus::Completed,
        RunStatus::Pending | RunStatus::Running | RunStatus::Waiting(_) => TaskStatus::InProgress,
    })
}
