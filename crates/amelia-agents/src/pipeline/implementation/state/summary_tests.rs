use amelia_core::plan::Plan;
use amelia_core::review::{Disposition, Evaluation, Review, ReviewComment, Severity};

use super::*;
use crate::pipeline::implementation::state::{PlanDraft, TaskCommit, TaskProgress};
use crate::testing::{finding, issue, task_commit};

#[test]
fn a_run_says_what_became_of_every_task_and_what_was_put_off() {
    let plan = Plan { goal: "It adds.".to_owned(), ..Plan::default() };
    let mut state = Implementation {
        issue: Some(issue("S-1", "")),
        draft: Some(PlanDraft { markdown: String::new(), plan }),
        commits: vec![task_commit("1", Some("0123456789")), task_commit("2", None)],
        ..Implementation::default()
    };
    assert_eq!(summary(&state), "It adds.\n\n- t1 (01234567)\n- t2 (no change)");
    assert_eq!(of_squash(&state), "It adds.\n\n- t1", "only what is merged, without commits that are not");
    let unpublished = vec!["lib at 1".to_owned(); 2];
    state.commits.push(TaskCommit { unpublished, ..task_commit("3", Some("abcdefghij")) });
    state.deferred.push(finding("Rename it", Disposition::Defer));
    let rest = "- t3 (abcdefgh)\n\nSubmodules at commits that only the worktree has (push them from there):\n- lib at 1\n\n\
                Deferred:\n- Rename it: reason of Rename it";
    assert_eq!(summary(&state), format!("It adds.\n\n- t1 (01234567)\n- t2 (no change)\n{rest}"));
}

#[test]
fn a_review_without_an_issue_says_its_verdict() {
    assert_eq!(summary(&Implementation::default()), "Review: not reviewed, findings: 0");
    let review = |approved, count| {
        let comments = vec![ReviewComment::default(); count];
        Some(Review { persona: String::new(), approved, severity: Severity::None, comments })
    };
    let evaluation = Some(Evaluation { items: Vec::new(), summary: "One is right.".to_owned() });
    for (review, evaluation, text) in [
        (review(true, 0), None, "Review: approved, findings: 0"),
        (review(false, 2), evaluation, "Review: changes requested, findings: 2\nOne is right."),
    ] {
        let progress = TaskProgress { review, evaluation, ..TaskProgress::default() };
        assert_eq!(summary(&Implementation { progress, ..Implementation::default() }), text);
    }
}
