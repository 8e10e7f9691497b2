//! Where a run goes next. Pure: everything that is decided here can be read off the state.

use amelia_core::config::profile::WorkMode;
use amelia_core::plan::steps::NextWork;
use amelia_core::review::Disposition;

use super::nodes::steps::portion;
use super::state::Implementation;

/// The plan is written already.
pub(super) fn after_start(state: &Implementation) -> &'static str {
    if state.draft.is_some() { "validate" } else { "plan" }
}

/// Back to the Architect, as long as no rule says that a person decides.
pub(super) fn after_validation(state: &Implementation) -> &'static str {
    let is_fresh = !state.problems.is_empty() && !state.is_out_of_revisions;
    if is_fresh { "plan" } else { "approve" }
}

pub(super) fn after_approval(state: &Implementation, most: usize) -> &'static str {
    if state.is_approved { next_work(state, most) } else { "plan" }
}

/// Tasks that can be done at the same time, else the next one.
fn next_work(state: &Implementation, most: usize) -> &'static str {
    match state.batch(most).len() {
        0 => "finish",
        1 => "develop",
        _ => "divide",
    }
}

/// Step by step, the next portion.
pub(super) fn after_development(state: &Implementation, mode: WorkMode) -> &'static str {
    match portion(state, mode) {
        NextWork::Do(_) | NextWork::Run { .. } | NextWork::Fix(_) | NextWork::Finish { .. } => "develop",
        NextWork::Nothing => "check",
    }
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

/// What is to be implemented goes back to the Developer, what is not clear to the Reviewer; what a person has made clear
/// is evaluated again.
pub(super) fn after_evaluation(state: &Implementation) -> &'static str {
    let has = |disposition| {
        state.progress.evaluation.as_ref().is_some_and(|found| found.with(disposition).next().is_some())
    };
    if state.progress.is_accepted {
        "commit"
    } else if state.progress.clarification.is_some() {
        "evaluate"
    } else if has(Disposition::Implement) {
        "develop"
    } else if has(Disposition::Clarify) {
        "review"
    } else {
        "commit"
    }
}

/// What a hook has refused goes back to the Developer; what has changed since the review, to the checks and the Reviewer.
pub(super) fn after_commit(state: &Implementation, most: usize) -> &'static str {
    back_from_commit(state).unwrap_or_else(|| next_work(state, most))
}

fn back_from_commit(state: &Implementation) -> Option<&'static str> {
    match (state.progress.refusal.is_some(), state.progress.is_late) {
        (true, _) => Some("develop"),
        (false, true) => Some("check"),
        (false, false) => None,
    }
}

/// A lane that is done, or has nothing to do, waits for the others.
pub(super) fn in_lane(
    state: &Implementation,
    lane: u32,
    route: impl Fn(&Implementation) -> &'static str,
) -> &'static str {
    match state.lanes.open.get(&lane).filter(|lane| lane.done.is_none()) {
        Some(lane) => route(&state.seen_from(lane)),
        None => "commit",
    }
}

/// Of a lane: all of them come together.
pub(super) fn after_part(state: &Implementation) -> &'static str {
    back_from_commit(state).unwrap_or("merge")
}

/// Tasks that did not fit, and those behind them, continue in their lanes.
pub(super) fn after_merge(state: &Implementation) -> &'static str {
    if state.lanes.open.is_empty() { "tidy" } else { "divide" }
}

pub(super) fn after_tidying(state: &Implementation, most: usize) -> &'static str {
    next_work(state, most)
}

#[cfg(test)]
#[path = "routes_tests.rs"]
mod tests;
