use amelia_core::check::CheckResult;
use amelia_core::plan::steps::Steps;
use amelia_core::review::{Evaluation, Review, ReviewComment, Severity};
use amelia_core::workplace::ConflictedMerge;
use amelia_graph::state::State;

use super::*;
use crate::pipeline::implementation::state::lanes::LaneChange;
use crate::pipeline::implementation::state::{TaskProgress, Update};
use crate::testing::{finding, planned, task_commit};

/// A state whose task has come so far.
fn at(progress: TaskProgress) -> Implementation {
    Implementation { progress, ..Implementation::default() }
}

fn result(passed: bool) -> CheckResult {
    CheckResult { passed, ..CheckResult::default() }
}

fn commit(state: &mut Implementation) {
    let task = state.current().unwrap().id.clone();
    state.apply(Update::Committed(task_commit(&task, None)));
}

#[test]
fn a_plan_that_is_there_is_not_written_again() {
    assert_eq!(after_start(&Implementation::default()), "plan");
    assert_eq!(after_start(&planned(1, "")), "validate");
}

#[test]
fn a_plan_with_problems_goes_back_until_a_person_has_to_decide() {
    for (problems, is_out_of_revisions, next) in [
        (vec![], false, "approve"),
        (vec![], true, "approve"),
        (vec!["no goal".to_owned()], false, "plan"),
        (vec!["no goal".to_owned()], true, "approve"),
    ] {
        let state = Implementation { problems, is_out_of_revisions, ..Implementation::default() };
        assert_eq!(after_validation(&state), next, "{:?} {is_out_of_revisions}", state.problems);
    }
}

#[test]
fn an_approved_plan_is_worked_on_by_as_many_as_may() {
    for (tasks, most, next) in
        [(0, 1, "finish"), (1, 1, "develop"), (1, 3, "develop"), (2, 1, "develop"), (2, 2, "divide")]
    {
        let state = planned(tasks, "");
        assert_eq!(after_approval(&state, most), next, "{tasks} tasks, {most} at once");
        assert_eq!(after_tidying(&state, most), next, "{tasks} tasks, {most} at once");
        let rejected = Implementation { is_approved: false, ..state };
        assert_eq!(after_approval(&rejected, most), "plan");
    }
}

#[test]
fn structured_work_comes_back_until_no_step_is_left() {
    let plan = "**Step 1:** Write it\n\n**Step 2:** Test it\n\nRun: `./test.sh`\n";
    let so_far = |steps: Steps| Implementation {
        progress: TaskProgress { steps, ..TaskProgress::default() },
        ..planned(1, plan)
    };
    assert_eq!(planned(1, plan).current().unwrap().steps.len(), 2, "the plan is read as it is meant");
    let failed = |interrupted| Some(CheckResult { interrupted, ..CheckResult::default() });
    for (steps, next) in [
        (Steps::default(), "develop"),
        (Steps { next: 1, ..Steps::default() }, "develop"),
        (Steps { next: 1, tries: 1, failed: failed(false) }, "develop"),
        (Steps { next: 1, tries: 1, failed: failed(true) }, "develop"),
        (Steps { next: 2, ..Steps::default() }, "check"),
    ] {
        let state = so_far(steps);
        assert_eq!(after_development(&state, WorkMode::Structured), next, "{:?}", state.progress.steps);
        assert_eq!(after_development(&state, WorkMode::Agentic), "check");
    }
}

#[test]
fn steps_are_over_once_the_task_was_checked_reviewed_or_torn() {
    let begun = |progress| Implementation { progress, ..planned(1, "**Step 1:** Write it\n") };
    for (progress, next) in [
        (TaskProgress::default(), "develop"),
        (TaskProgress { checks: vec![result(false)], ..TaskProgress::default() }, "check"),
        (TaskProgress { round: 1, ..TaskProgress::default() }, "check"),
        (TaskProgress { conflict: Some(ConflictedMerge::default()), ..TaskProgress::default() }, "check"),
    ] {
        let state = begun(progress);
        assert_eq!(after_development(&state, WorkMode::Structured), next, "{:?}", state.progress);
    }
}

#[test]
fn a_failing_check_goes_back_without_spending_a_review() {
    for (checks, is_accepted, next) in [
        (vec![], false, "review"),
        (vec![true, true], false, "review"),
        (vec![true, false], false, "develop"),
        (vec![true, false], true, "review"),
    ] {
        let results = checks.iter().copied().map(result).collect();
        let state = at(TaskProgress { checks: results, is_accepted, ..TaskProgress::default() });
        assert_eq!(after_check(&state), next, "{checks:?} {is_accepted}");
    }
}

#[test]
fn only_an_approval_without_a_comment_needs_no_evaluation() {
    let review = |approved, count| {
        let comments = vec![ReviewComment::default(); count];
        Some(Review { persona: String::new(), approved, severity: Severity::None, comments })
    };
    for (review, is_accepted, next) in [
        (None, false, "evaluate"),
        (review(true, 0), false, "commit"),
        (review(true, 1), false, "evaluate"),
        (review(false, 1), false, "evaluate"),
        (review(false, 0), false, "evaluate"),
        (review(false, 1), true, "commit"),
        (None, true, "commit"),
    ] {
        let state = at(TaskProgress { review, is_accepted, ..TaskProgress::default() });
        assert_eq!(after_review(&state), next, "{:?}", state.progress);
    }
}

fn evaluation(dispositions: &[Disposition]) -> Evaluation {
    let items = dispositions.iter().map(|disposition| finding("it", *disposition)).collect();
    Evaluation { items, summary: String::new() }
}

#[test]
fn what_is_right_is_implemented_before_what_is_unclear_is_asked_again() {
    use Disposition::{Clarify, Defer, Implement, Reject};
    for (dispositions, next) in [
        (&[][..], "commit"),
        (&[Reject, Defer], "commit"),
        (&[Reject, Clarify], "review"),
        (&[Clarify, Implement], "develop"),
        (&[Implement], "develop"),
    ] {
        let state =
            at(TaskProgress { evaluation: Some(evaluation(dispositions)), ..TaskProgress::default() });
        assert_eq!(after_evaluation(&state), next, "{dispositions:?}");
        let clarified =
            TaskProgress { clarification: Some("It leaks.".to_owned()), ..state.progress.clone() };
        assert_eq!(after_evaluation(&at(clarified.clone())), "evaluate", "{dispositions:?}");
        let accepted = TaskProgress { is_accepted: true, ..clarified };
        assert_eq!(after_evaluation(&at(accepted)), "commit", "{dispositions:?}");
    }
}

#[test]
fn a_commit_that_is_refused_or_late_goes_back_and_else_the_next_task_begins() {
    let refusal = Some("hook".to_owned());
    for (refusal, is_late, whole, part) in [
        (refusal.clone(), false, "develop", "develop"),
        (refusal, true, "develop", "develop"),
        (None, true, "check", "check"),
        (None, false, "divide", "merge"),
    ] {
        let progress = TaskProgress { refusal, is_late, ..TaskProgress::default() };
        let state = Implementation { progress, ..planned(2, "") };
        assert_eq!((after_commit(&state, 2), after_part(&state)), (whole, part), "{:?}", state.progress);
    }
    let mut state = planned(2, "");
    commit(&mut state);
    assert_eq!(after_commit(&state, 2), "develop", "one task is left");
    commit(&mut state);
    assert_eq!(after_commit(&state, 2), "finish");
}

#[test]
fn a_lane_that_is_done_or_empty_waits_for_the_others() {
    let mut state = planned(2, "");
    let next = |state: &Implementation, lane| in_lane(state, lane, after_check);
    assert_eq!([next(&state, 1), next(&state, 2)], ["commit", "commit"], "no task is in a lane");
    assert_eq!(after_merge(&state), "tidy");
    state.apply(Update::Lanes(LaneChange::Divided(vec![0, 1])));
    let inside = |lane, update| Update::Lanes(LaneChange::In { lane, update: Box::new(update) });
    state.apply(inside(2, Update::Checked(vec![result(false)])));
    assert_eq!([next(&state, 1), next(&state, 2), next(&state, 3)], ["review", "develop", "commit"]);
    let done = task_commit("2", None);
    state.apply(inside(2, Update::Committed(done.clone())));
    assert_eq!([next(&state, 1), next(&state, 2)], ["review", "commit"]);
    assert_eq!(after_merge(&state), "divide", "both lanes are open");
    for lane in [1, 2] {
        state.apply(Update::Lanes(LaneChange::Merged { lane, commit: done.clone() }));
    }
    assert_eq!(after_merge(&state), "tidy");
}
