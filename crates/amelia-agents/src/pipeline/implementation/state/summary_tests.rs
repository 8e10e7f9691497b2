use amelia_core::check::CheckResult;
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
    assert_eq!(summary(&state), "It adds.\n\n- t1 (0123456)\n- t2 (no change)");
    assert_eq!(of_squash(&state), "It adds.\n\n- t1", "only what is merged, without commits that are not");
    let nothing = Implementation { commits: vec![task_commit("1", None)], ..state.clone() };
    assert_eq!(summary(&nothing), "Nothing was changed. The goal was: It adds.\n\n- t1 (no change)");
    let unpublished = vec!["lib at 1".to_owned(); 2];
    state.commits.push(TaskCommit { unpublished, ..task_commit("3", Some("abcdefghij")) });
    state.deferred.push(finding("Rename it", Disposition::Defer));
    let rest = "- t3 (abcdefg)\n\nSubmodules at commits that only the worktree has (push them from there):\n- lib at 1\n\n\
                Deferred:\n- Rename it: reason of Rename it";
    assert_eq!(summary(&state), format!("It adds.\n\n- t1 (0123456)\n- t2 (no change)\n{rest}"));
}

#[test]
fn what_a_person_accepted_as_it_is_is_not_called_done() {
    let check = |name: &str, passed| CheckResult {
        name: name.to_owned(),
        command: String::new(),
        passed,
        exit_code: None,
        timed_out: false,
        interrupted: false,
        output: String::new(),
        duration_ms: 0,
    };
    let comment = ReviewComment { text: "No test for 0.\nAdd one.".to_owned(), ..ReviewComment::default() };
    let review =
        Review { persona: String::new(), approved: false, severity: Severity::Low, comments: vec![comment] };
    let progress = TaskProgress {
        checks: vec![check("unit", false), check("lint", true)],
        review: Some(review),
        is_accepted: true,
        ..TaskProgress::default()
    };
    let accepted = task_commit("1", Some("0123456789")).after(&progress);
    let state = Implementation {
        issue: Some(issue("S-1", "")),
        commits: vec![
            accepted,
            task_commit("2", None).after(&TaskProgress { is_accepted: false, ..progress }),
        ],
        ..Implementation::default()
    };
    let said = summary(&state);
    assert!(
        said.contains("t1 (0123456), accepted although the check `unit` fails and 1 finding is open"),
        "{said}"
    );
    assert!(said.contains("\n  - open: No test for 0. Add one."), "{said}");
}

#[test]
fn a_review_without_an_issue_says_its_verdict() {
    assert_eq!(summary(&Implementation::default()), "Review: not reviewed");
    let review = |approved, count| {
        let comments = vec![ReviewComment::default(); count];
        Some(Review { persona: String::new(), approved, severity: Severity::None, comments })
    };
    let evaluation = Some(Evaluation { items: Vec::new(), summary: "One is right.".to_owned() });
    for (review, evaluation, text) in [
        (review(true, 0), None, "Review: approved, 0 findings"),
        (review(false, 2), evaluation, "Review: changes requested, 2 findings\nOne is right."),
    ] {
        let progress = TaskProgress { review, evaluation, ..TaskProgress::default() };
        assert_eq!(summary(&Implementation { progress, ..Implementation::default() }), text);
    }
    let progress = TaskProgress { review: review(false, 1), is_accepted: true, ..TaskProgress::default() };
    let accepted = summary(&Implementation { progress, ..Implementation::default() });
    assert_eq!(accepted, "Review: changes requested, 1 finding, accepted as it is");
}
