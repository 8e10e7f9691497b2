//! Where a run goes next. Pure: everything that is decided here can be read off the state.

use amelia_core::review::Disposition;

use super::state::Implementation;

/// Somebody has written the plan already.
pub(super) fn after_start(state: &Implementation) -> &'static str {
    if state.draft.is_some() { "validate" } else { "plan" }
}

/// Back to the Architect, as long as nobody has said that a person decides.
pub(super) fn after_validation(state: &Implementation) -> &'static str {
    let is_fresh = !state.problems.is_empty() && !state.is_out_of_revisions;
    if is_fresh { "plan" } else { "approve" }
}

pub(super) fn after_approval(state: &Implementation) -> &'static str {
    if state.is_approved { "develop" } else { "plan" }
}

/// A failing check goes back without spending a review.
pub(super) fn after_check(state: &Implementation) -> &'static str {
    let failed = state.progress.checks.iter().any(|check| !check.passed);
    if failed && !state.progress.is_accepted { "develop" } else { "review" }
}

/// Nothing to say about an approved change: it is done.
pub(super) fn after_review(state: &Implementation) -> &'static str {
    let is_done =
        state.progress.review.as_ref().is_some_and(|review| review.approved && review.comments.is_empty());
    if is_done || state.progress.is_accepted { "commit" } else { "evaluate" }
}

/// What is to be implemented goes back to the Developer, what is not clear to the Reviewer.
pub(super) fn after_evaluation(state: &Implementation) -> &'static str {
    let has = |disposition| {
        state.progress.evaluation.as_ref().is_some_and(|found| found.with(disposition).next().is_some())
    };
    if state.progress.is_accepted {
        "commit"
    } else if has(Disposition::Implement) {
        "develop"
    } else if has(Disposition::Clarify) {
        "review"
    } else {
        "commit"
    }
}

pub(super) fn after_commit(state: &Implementation) -> &'static str {
    if state.current().is_some() { "develop" } else { "finish" }
}
