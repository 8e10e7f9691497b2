//! The result of a completed run, as lines. Every command that shows a result shows these first.

use amelia_core::review::EvaluatedItem;
use amelia_core::text::short_commit;
use amelia_wire::rest::delivery::{MergedShown, UndoneWay};
use amelia_wire::rest::outcome::{RunOutcome, TaskOutcome};
use serde::Deserialize as _;

use crate::ui;

pub(crate) fn lines(outcome: &RunOutcome) -> Vec<String> {
    lines_with(outcome, Vec::new())
}

/// The same, and what is known of its pull request.
pub(crate) fn lines_with(outcome: &RunOutcome, of_pull_request: Vec<String>) -> Vec<String> {
    let RunOutcome { summary, tasks, deferred, branch, commits, merged, pull_request, .. } = outcome;
    let deferred: Vec<EvaluatedItem> =
        deferred.iter().filter_map(|item| EvaluatedItem::deserialize(item).ok()).collect();
    let summary = summary.as_deref().map(|summary| unlisted(summary, tasks, &deferred));
    let mut lines: Vec<String> =
        summary.filter(|summary| !summary.is_empty()).iter().map(|summary| ui::clean(summary)).collect();
    lines.extend(tasks.iter().flat_map(task_lines));
    lines.extend(deferred.iter().map(finding));
    if let Some(branch) = branch {
        // An agent of its own may have committed: that is not counted.
        let count = match commits.len() {
            0 => String::new(),
            1 => ", 1 commit".to_owned(),
            count => format!(", {count} commits"),
        };
        lines.push(format!("{} {}{count}", ui::dim("branch"), ui::one_line(branch)));
    }
    if let Some(opened) = pull_request {
        lines.push(format!("{} #{} {}", ui::dim("pull request"), opened.number, ui::one_line(&opened.url)));
        lines.extend(of_pull_request);
    }
    lines.extend(merged.as_ref().map(|MergedShown { into, commit, undone, .. }| match undone {
        Some(how) => ui::painted(ui::WAITS, undone_merge(into, commit, *how)),
        None => {
            let (into, commit) = (ui::one_line(into), short_commit(commit));
            format!("{} into {into} ({commit})", ui::painted(ui::GOOD, "merged"))
        }
    }));
    lines
}

/// What has become of a merge that was undone.
pub(crate) fn undone_merge(into: &str, commit: &str, how: UndoneWay) -> String {
    let how = match how {
        UndoneWay::Removed => "undone",
        UndoneWay::Reverted => "reverted",
    };
    format!("its merge into {} ({}) was {how}", ui::one_line(into), short_commit(commit))
}

/// What a summary says besides its tasks and deferred findings, which have lines of their own.
fn unlisted(summary: &str, tasks: &[TaskOutcome], deferred: &[EvaluatedItem]) -> String {
    let is_of_task = |line: &str| {
        tasks.iter().any(|task| {
            let opens = |finding: &String| line.strip_prefix("  - open: ") == Some(finding);
            line.starts_with(&format!("- {} (", task.title)) || task.open_findings.iter().any(opens)
        })
    };
    let is_deferred = |line: &str| {
        let is_item = |item: &EvaluatedItem| line == format!("- {}: {}", item.title, item.reason);
        !deferred.is_empty() && line == "Deferred:" || deferred.iter().any(is_item)
    };
    let mut lines: Vec<&str> =
        summary.lines().filter(|line| !is_of_task(line) && !is_deferred(line)).collect();
    lines.dedup_by(|next, line| next.is_empty() && line.is_empty());
    lines.join("\n").trim().to_owned()
}

fn task_lines(outcome: &TaskOutcome) -> Vec<String> {
    let findings = outcome.open_findings.iter();
    let findings = findings.map(|finding| format!("  {} {}", ui::dim("open"), ui::one_line(finding)));
    std::iter::once(task(outcome)).chain(findings).collect()
}

fn task(task: &TaskOutcome) -> String {
    let commit = match &task.commit {
        Some(commit) => short_commit(commit),
        None => "changed nothing",
    };
    let title = ui::one_line(&task.title);
    let left = left(task);
    if left.is_empty() {
        return format!("{} {title}  {}", ui::painted(ui::GOOD, "done"), ui::dim(commit));
    }
    format!("{} {title}  {}: {}", ui::painted(ui::WAITS, "accepted"), ui::dim(commit), left.join(", "))
}

/// What a person accepted a task with.
fn left(task: &TaskOutcome) -> Vec<String> {
    let failing = task.failed_checks.iter().map(|name| format!("`{}` fails", ui::one_line(name)));
    let open = match task.open_findings.len() {
        0 => None,
        count => Some(format!("{} open", ui::counted(count, "finding"))),
    };
    failing.chain(open).collect()
}

fn finding(item: &EvaluatedItem) -> String {
    let title = ui::one_line(&item.title);
    let place = ui::one_line(&format!("{}:{}", item.file, item.line));
    let reason = match ui::one_line(item.reason.trim()) {
        reason if reason.is_empty() => reason,
        reason => format!(": {reason}"),
    };
    format!("{} {title}  {}{reason}", ui::painted(ui::WAITS, "deferred"), ui::dim(place))
}

/// What is different in the definition that a fork follows.
pub(crate) fn definition_line(changes: &[String]) -> String {
    match changes {
        [] => "the definition was read again, and has not changed".to_owned(),
        changes => format!("the definition was read again: {}", ui::one_line(&changes.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_result_has_its_tasks_put_off_findings_and_branch() {
        let outcome: RunOutcome = serde_json::from_value(json!({
            "summary": "The parser accepts empty lines.\n\n- Accept empty lines (0123456)\n- Look around (no change)\n\
                        - Guess (1234567), accepted although the check `unit` fails\n  - open: a\n  - open: b\n\n\
                        Submodules that only the worktree has:\n- lib\n\nDeferred:\n- Rename the flag: later\n",
            "tasks": [
                {"task": "1", "title": "Accept empty lines", "commit": "0123456789abcdef"},
                {"task": "2", "title": "Look around", "commit": null},
                {"task": "3", "title": "Guess", "commit": "1234567", "open_findings": ["a", "b"],
                 "checks": [{"name": "unit", "passed": false}, {"name": "lint", "passed": true}]},
            ],
            "deferred": [{
                "number": 3, "title": "Rename the flag", "file": "src/a.rs", "line": 7, "disposition": "defer",
                "reason": "later", "issue": "the name", "suggestion": "another",
            }],
            "cost_usd": null,
            "branch": "amelia/parser",
            "commits": ["0123456789abcdef"],
            "merged": {
                "branch": "amelia/parser", "into": "main", "method": "squash", "before": "b",
                "commit": "fedcba9876543210", "branch_deleted": false,
            },
            "pull_request": {
                "number": 7, "url": "https://example.org/7", "branch": "amelia/parser", "base": "main",
                "draft": false,
            },
        }))
        .unwrap();
        let plain_lines = |outcome: &RunOutcome| -> Vec<String> {
            lines(outcome).iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect()
        };
        let plain = plain_lines(&outcome);
        assert_eq!(
            plain,
            [
                "The parser accepts empty lines.\n\nSubmodules that only the worktree has:\n- lib",
                "done Accept empty lines  0123456",
                "done Look around  changed nothing",
                "accepted Guess  1234567: `unit` fails, 2 findings open",
                "  open a",
                "  open b",
                "deferred Rename the flag  src/a.rs:7: later",
                "branch amelia/parser, 1 commit",
                "pull request #7 https://example.org/7",
                "merged into main (fedcba9)",
            ]
        );
        let merged = outcome.merged.map(|merged| MergedShown { undone: Some(UndoneWay::Reverted), ..merged });
        let reverted = plain_lines(&RunOutcome { merged, ..outcome });
        assert_eq!(reverted.last().unwrap(), "its merge into main (fedcba9) was reverted");
    }
}
