//! Errors of the parts as errors of the run service: by what the caller can do about them.

use amelia_core::store::StoreError;
use amelia_graph::engine::EngineError;
use amelia_graph::travel::TravelError;
use amelia_orchestrator::service::ServiceError;

/// What a caller of the service gets.
#[expect(clippy::needless_pass_by_value, reason = "the shape of `map_err`")]
pub(crate) fn service_error(error: anyhow::Error) -> ServiceError {
    classify(&error)
}

/// The kind of an error. One that already is an error of the service keeps its kind.
#[must_use]
pub fn classify(error: &anyhow::Error) -> ServiceError {
    let message = format!("{error:#}");
    if let Some(known) = error.downcast_ref::<ServiceError>() {
        return known.with_message(message);
    }
    if let Some(error) = error.downcast_ref::<StoreError>() {
        return of_store(error, message);
    }
    match (error.downcast_ref::<EngineError>(), error.downcast_ref::<TravelError>()) {
        (Some(EngineError::Store(error)), _) | (_, Some(TravelError::Store(error))) => {
            of_store(error, message)
        }
        (Some(EngineError::NotWaiting(_) | EngineError::Ended(_) | EngineError::Moving(_)), _) => {
            ServiceError::Conflict(message)
        }
        (_, Some(TravelError::NoCheckpoint { .. })) => ServiceError::NotFound(message),
        (_, Some(TravelError::BadEdit { .. } | TravelError::EditedState(_) | TravelError::AtEnd(_))) => {
            ServiceError::Invalid(message)
        }
        (Some(_), _) | (_, Some(TravelError::State(_))) | (None, None) => ServiceError::Unavailable(message),
    }
}

fn of_store(error: &StoreError, message: String) -> ServiceError {
    match error {
        StoreError::NotFound(_) => ServiceError::NotFound(message),
        StoreError::Conflict { .. }
        | StoreError::NotEnded(_)
        | StoreError::Ended(_)
        | StoreError::Duplicate { .. }
        | StoreError::Claimed { .. }
        | StoreError::Outdated { .. }
        | StoreError::Locked { .. } => ServiceError::Conflict(message),
        StoreError::Invalid(_)
        | StoreError::Damaged { .. }
        | StoreError::TooNew { .. }
        | StoreError::ReadOnly { .. }
        | StoreError::Full { .. }
        | StoreError::Closed
        | StoreError::Io { .. } => ServiceError::Unavailable(message),
    }
}
