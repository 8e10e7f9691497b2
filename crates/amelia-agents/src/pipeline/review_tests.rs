use amelia_core::check::CheckResult;
use amelia_core::review::{Evaluation, Review, ReviewComment, Severity};

use super::*;
use crate::pipeline::implementation::state::TaskProgress;
use crate::testing::finding;

fn begun(fix: bool, progress: TaskProgress) -> Implementation {
    Implementation { progress, ..begin(ImplementationRequest { fix, ..ImplementationRequest::default() }) }
}

#[test]
fn a_review_begins_with_one_approved_task_and_without_an_issue() {
    let state = begun(true, TaskProgress::default());
    assert!(state.is_approved && state.issue.is_none() && state.wanted.fix);
    assert_eq!(state.tasks().len(), 1);
    assert_eq!(state.current().map(|task| task.title.as_str()), Some("Fix the findings"));
}

#[test]
fn a_review_ends_without_findings_or_when_a_person_accepts_it() {
    for (comments, is_accepted, next) in [(0, false, END), (1, false, "evaluate"), (1, true, END)] {
        let comments = vec![ReviewComment::default(); comments];
        let review = Review { persona: String::new(), approved: true, severity: Severity::None, comments };
        let progress = TaskProgress { review: Some(review), is_accepted, ..TaskProgress::default() };
        assert_eq!(after_review(&begun(true, progress)), next, "{is_accepted}");
    }
    assert_eq!(after_review(&begun(true, TaskProgress::default())), END, "no verdict, no findings");
}

#[test]
fn findings_are_only_fixed_where_that_was_asked_for() {
    use Disposition::{Clarify, Defer, Implement, Reject};
    for (disposition, clarification, is_accepted, next) in [
        (Implement, None, false, "develop"),
        (Clarify, None, false, "review"),
        (Reject, None, false, END),
        (Defer, None, false, END),
        (Reject, Some("it leaks"), false, "evaluate"),
        (Implement, Some("it leaks"), false, "evaluate"),
        (Implement, Some("it leaks"), true, END),
    ] {
        let item = finding("it", disposition);
        let evaluation = Some(Evaluation { items: vec![item], summary: String::new() });
        let clarification = clarification.map(str::to_owned);
        let progress = TaskProgress { evaluation, clarification, is_accepted, ..TaskProgress::default() };
        assert_eq!(after_evaluation(&begun(true, progress.clone())), next, "{disposition:?} {is_accepted}");
        assert_eq!(after_evaluation(&begun(false, progress)), END, "{disposition:?}");
    }
}

#[test]
fn a_fix_that_breaks_a_check_goes_back_before_it_is_reviewed() {
    for (passed, is_accepted, next) in
        [(true, false, "review"), (false, false, "develop"), (false, true, "review")]
    {
        let checks = vec![CheckResult { passed, ..CheckResult::default() }];
        let progress = TaskProgress { checks, is_accepted, ..TaskProgress::default() };
        assert_eq!(after_check(&begun(true, progress)), next, "{passed} {is_accepted}");
    }
}
