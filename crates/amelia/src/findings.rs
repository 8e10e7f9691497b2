//! The findings of a review with their decisions, as lines: at its end, and whenever its status is shown.

use amelia_agents::pipeline::implementation::state::TaskProgress;
use amelia_agents::pipeline::review;
use amelia_core::id::RunId;
use amelia_core::review::{Disposition, EvaluatedItem, ReviewComment};
use amelia_core::run::RunStatus;
use amelia_core::view::RunRow;
use anyhow::Result;
use serde_json::Value;

use crate::client::Client;
use crate::ui;

/// Of a review that is completed; nothing of other runs.
pub(crate) async fn of_review(client: &Client, row: &RunRow) -> Result<Vec<String>> {
    match is_completed_review(row) {
        true => Ok(lines(&progress(client, row.run.id).await?)),
        false => Ok(Vec::new()),
    }
}

/// Whether its findings are its result.
pub(crate) fn is_completed_review(row: &RunRow) -> bool {
    row.run.spec.graph.as_str() == review::NAME && row.view.status == RunStatus::Completed
}

pub(crate) async fn progress(client: &Client, run: RunId) -> Result<TaskProgress> {
    let mut shown: Value = client.get(&format!("/workflows/{run}")).await?;
    let progress = shown.pointer_mut("/state/progress").map(Value::take).unwrap_or_default();
    Ok(serde_json::from_value(progress).unwrap_or_default())
}

/// What was found, and what becomes of it.
pub(crate) fn lines(progress: &TaskProgress) -> Vec<String> {
    let found = progress.review.as_ref().map(|review| review.comments.as_slice()).unwrap_or_default();
    let decided =
        progress.evaluation.as_ref().map(|evaluation| evaluation.items.as_slice()).unwrap_or_default();
    let decision = |number: u32| decided.iter().find(|item| item.number == number);
    (1..).zip(found).flat_map(|(number, comment)| finding(number, comment, decision(number))).collect()
}

fn finding(number: u32, comment: &ReviewComment, decision: Option<&EvaluatedItem>) -> Vec<String> {
    let place = match (&comment.file, comment.line) {
        (Some(file), Some(line)) => format!("{file}:{line} "),
        (Some(file), None) => format!("{file} "),
        (None, _) => String::new(),
    };
    let found = format!("  {number}. {}{}", ui::dim(ui::clean(&place)), ui::clean(&comment.text));
    let decided =
        decision.map(|item| format!("     {} {}", fate(item.disposition), ui::dim(ui::clean(&item.reason))));
    [found].into_iter().chain(decided).collect()
}

fn fate(disposition: Disposition) -> String {
    match disposition {
        Disposition::Implement => ui::painted(ui::WAITS, "implement"),
        Disposition::Reject => ui::dim("rejected"),
        Disposition::Defer => ui::dim("deferred"),
        Disposition::Clarify => ui::painted(ui::WAITS, "not clear"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_finding_stands_above_its_decision() {
        let progress: TaskProgress = serde_json::from_value(json!({
            "review": {"persona": "", "approved": false, "severity": "low", "comments": [
                {"text": "It leaks.", "file": "a.rs", "line": 2}, {"text": "No test."},
            ]},
            "evaluation": {"summary": "", "items": [{
                "number": 1, "title": "t", "file": "a.rs", "line": 2, "disposition": "reject",
                "reason": "it is freed", "issue": "i", "suggestion": "s",
            }]},
        }))
        .unwrap();
        let shown: Vec<String> =
            lines(&progress).iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect();
        assert_eq!(shown, ["  1. a.rs:2 It leaks.", "     rejected it is freed", "  2. No test."]);
        assert!(lines(&TaskProgress::default()).is_empty());
    }
}
