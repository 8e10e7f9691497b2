//! Errors of the parts as errors of the run service: by what the caller can do about them.

use amelia_core::driver::DriverError;
use amelia_core::problem::{Hinted, Problem};
use amelia_core::store::StoreError;
use amelia_core::tracker::TrackerError;
use amelia_git::GitError;
use amelia_graph::engine::EngineError;
use amelia_graph::travel::TravelError;
use amelia_orchestrator::service::ServiceError;
use amelia_server::ServeError;

use crate::workplace::{LostCommit, LostWorktree};

/// What a caller of the service gets.
#[expect(clippy::needless_pass_by_value, reason = "the shape of `map_err`")]
pub(crate) fn service_error(error: anyhow::Error) -> ServiceError {
    classify(&error)
}

/// What git refuses of a request, at the field that it is about.
#[expect(clippy::needless_pass_by_value, reason = "the shape of `map_err`")]
pub(crate) fn refused_place(error: GitError) -> ServiceError {
    let refused = ServiceError::conflict(&error);
    match error {
        GitError::NoDirectory { .. }
        | GitError::NotARepository { .. }
        | GitError::Bare { .. }
        | GitError::NoCommits { .. } => refused.at("worktree_path"),
        GitError::UnknownCommit { .. } => refused.at("base"),
        GitError::BadBranch { .. } | GitError::FullBranchName { .. } => refused.at("branch"),
        GitError::Dirty { .. } | GitError::Hidden { .. } => refused.at("in_place"),
        _ => refused,
    }
}

/// What a person is shown of an error: all its messages, and the first hint among them.
#[must_use]
pub fn problem_of(error: &anyhow::Error) -> Problem {
    // A context is not in the chain as what it is.
    let own = error.downcast_ref::<Problem>().and_then(|problem| problem.hint.clone());
    let hint = own.or_else(|| error.chain().find_map(|cause| KNOWN.iter().find_map(|hint| hint(cause))));
    Problem { message: format!("{error:#}"), hint }
}

/// The hint of an error, when it is of this kind.
type HintOf = fn(&(dyn std::error::Error + 'static)) -> Option<String>;

/// Every kind of error that may know the way out.
const KNOWN: [HintOf; 10] = [
    hint_of::<ServiceError>,
    hint_of::<StoreError>,
    hint_of::<EngineError>,
    hint_of::<TravelError>,
    hint_of::<DriverError>,
    hint_of::<TrackerError>,
    hint_of::<GitError>,
    hint_of::<LostCommit>,
    hint_of::<LostWorktree>,
    hint_of::<ServeError>,
];

fn hint_of<E: Hinted + std::error::Error + 'static>(
    cause: &(dyn std::error::Error + 'static),
) -> Option<String> {
    cause.downcast_ref::<E>().and_then(Hinted::hint)
}

/// The kind of an error. One that already is an error of the service keeps its kind.
#[must_use]
pub fn classify(error: &anyhow::Error) -> ServiceError {
    let problem = problem_of(error);
    if let Some(known) = error.downcast_ref::<ServiceError>() {
        return known.with_problem(problem);
    }
    if let Some(error) = error.downcast_ref::<StoreError>() {
        return of_store(error, problem);
    }
    match (error.downcast_ref::<EngineError>(), error.downcast_ref::<TravelError>()) {
        (Some(EngineError::Store(error)), _) | (_, Some(TravelError::Store(error))) => {
            of_store(error, problem)
        }
        (Some(EngineError::NotWaiting(_) | EngineError::Ended(_) | EngineError::Moving(_)), _) => {
            ServiceError::Conflict(problem)
        }
        (_, Some(TravelError::NoCheckpoint { .. })) => ServiceError::NotFound(problem),
        (_, Some(TravelError::Edit(_) | TravelError::AtEnd(_))) => ServiceError::Invalid(problem),
        (Some(_), _) | (_, Some(TravelError::State(_))) | (None, None) => ServiceError::Unavailable(problem),
    }
}

fn of_store(error: &StoreError, problem: Problem) -> ServiceError {
    match error {
        StoreError::NotFound(_) => ServiceError::NotFound(problem),
        StoreError::Conflict { .. }
        | StoreError::NotEnded(_)
        | StoreError::Ended(_)
        | StoreError::Duplicate { .. }
        | StoreError::Claimed { .. }
        | StoreError::Outdated { .. }
        | StoreError::Locked { .. } => ServiceError::Conflict(problem),
        StoreError::Invalid(_)
        | StoreError::Damaged { .. }
        | StoreError::TooNew { .. }
        | StoreError::ReadOnly { .. }
        | StoreError::Full { .. }
        | StoreError::Closed
        | StoreError::Io { .. } => ServiceError::Unavailable(problem),
    }
}
