//! What has come of a run, in words that people read: in its result, in comments, in pull requests. Pure.

use std::collections::BTreeSet;

use amelia_core::text::short_commit;

use super::Implementation;

/// What was done: the goal, a line for every task, and what was put off.
#[must_use]
pub fn summary(state: &Implementation) -> String {
    if state.issue.is_none() {
        return of_review(state);
    }
    let goal = state.draft.as_ref().map(|draft| draft.plan.goal.clone()).unwrap_or_default();
    // A goal reads as if it were reached.
    let is_unchanged = !state.commits.is_empty() && state.commits.iter().all(|task| task.commit.is_none());
    let goal = if is_unchanged { format!("Nothing was changed. The goal was: {goal}") } else { goal };
    let mut lines = vec![goal, String::new()];
    for commit in &state.commits {
        let hash = commit.commit.as_deref().map_or("no change", short_commit);
        let left = commit.accepted_with().map(|left| format!(", accepted although {left}"));
        lines.push(format!("- {} ({hash}){}", commit.title, left.unwrap_or_default()));
        lines.extend(commit.open_findings.iter().map(|finding| format!("  - open: {finding}")));
    }
    lines.extend(unpublished(state));
    lines.extend(deferred(state));
    lines.join("\n")
}

/// What one commit of all changes contains: the goal, and a line for every task that changed something. The commits of the
/// tasks are not named: they are not where this one is.
#[must_use]
pub fn of_squash(state: &Implementation) -> String {
    let goal = state.draft.as_ref().map(|draft| draft.plan.goal.trim().to_owned()).unwrap_or_default();
    let changed = state.commits.iter().filter(|task| task.commit.is_some());
    let tasks: Vec<String> = changed.map(|task| format!("- {}", task.title)).collect();
    [goal, tasks.join("\n")].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// What the branch links to and a clone of it will miss.
fn unpublished(state: &Implementation) -> Vec<String> {
    let all: BTreeSet<&String> = state.commits.iter().flat_map(|commit| &commit.unpublished).collect();
    if all.is_empty() {
        return Vec::new();
    }
    let first = "Submodules at commits that only the worktree has (push them from there):";
    let items = all.into_iter().map(|item| format!("- {item}"));
    [String::new(), first.to_owned()].into_iter().chain(items).collect()
}

/// Of changes that were looked at without a plan.
fn of_review(state: &Implementation) -> String {
    let evaluation = state.progress.evaluation.as_ref();
    let review = state.progress.review.as_ref();
    let outcome = review.map_or_else(|| "not reviewed".to_owned(), |review| review.outcome(evaluation));
    let accepted = if state.progress.is_accepted { ", accepted as it is" } else { "" };
    let mut lines = vec![format!("Review: {outcome}{accepted}")];
    lines.extend(state.progress.evaluation.iter().map(|found| found.summary.clone()));
    lines.extend(deferred(state));
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

fn deferred(state: &Implementation) -> Vec<String> {
    if state.deferred.is_empty() {
        return Vec::new();
    }
    let items = state.deferred.iter().map(|item| format!("- {}: {}", item.title, item.reason));
    [String::new(), "Deferred:".to_owned()].into_iter().chain(items).collect()
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
