//! Why a command did not do what it was asked, and the exit code that says so to scripts.

use std::fmt;
use std::process::ExitCode;

use amelia_core::store::StoreError;
use amelia_graph::engine::EngineError;
use amelia_graph::travel::TravelError;
use amelia_orchestrator::desk::DeskError;

/// One line for a person, with the way out, and a number for scripts.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) exit: Exit,
    message: String,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Failed,
    Usage,
    Unreachable,
    NotFound,
    Conflict,
    Waiting,
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Unreachable => 3,
            Exit::NotFound => 4,
            Exit::Conflict => 5,
            Exit::Waiting => 6,
            Exit::Interrupted => 130,
        })
    }
}

impl Refusal {
    /// A message may carry its hint on a second line: `…\n  hint: …`.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into() }
    }
}

impl Refusal {
    /// An order that cannot be taken.
    #[expect(clippy::needless_pass_by_value, reason = "the shape of `map_err`")]
    pub(crate) fn into_desk(error: anyhow::Error) -> DeskError {
        let message = format!("{error:#}");
        match exit_of(&error) {
            Exit::Usage => DeskError::Invalid(message),
            Exit::NotFound => DeskError::NotFound(message),
            Exit::Conflict => DeskError::Conflict(message),
            Exit::Failed | Exit::Unreachable | Exit::Waiting | Exit::Interrupted => {
                DeskError::Unavailable(message)
            }
        }
    }
}

impl std::error::Error for Refusal {}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The exit code that an error deserves.
pub(crate) fn exit_of(error: &anyhow::Error) -> Exit {
    if let Some(refusal) = error.downcast_ref::<Refusal>() {
        return refusal.exit;
    }
    if let Some(error) = error.downcast_ref::<StoreError>() {
        return of_store(error);
    }
    match (error.downcast_ref::<EngineError>(), error.downcast_ref::<TravelError>()) {
        (Some(EngineError::Store(error)), _) | (_, Some(TravelError::Store(error))) => of_store(error),
        (Some(EngineError::NotWaiting(_) | EngineError::Ended(_) | EngineError::Moving(_)), _) => {
            Exit::Conflict
        }
        (_, Some(TravelError::NoCheckpoint { .. })) => Exit::NotFound,
        (_, Some(TravelError::BadEdit { .. } | TravelError::EditedState(_) | TravelError::AtEnd(_))) => {
            Exit::Usage
        }
        (Some(_), _) | (_, Some(TravelError::State(_))) | (None, None) => Exit::Failed,
    }
}

fn of_store(error: &StoreError) -> Exit {
    match error {
        StoreError::NotFound(_) => Exit::NotFound,
        StoreError::Conflict { .. }
        | StoreError::NotEnded(_)
        | StoreError::Ended(_)
        | StoreError::Duplicate { .. }
        | StoreError::Claimed { .. }
        | StoreError::Locked { .. } => Exit::Conflict,
        StoreError::Invalid(_)
        | StoreError::Damaged { .. }
        | StoreError::TooNew { .. }
        | StoreError::ReadOnly { .. }
        | StoreError::Full { .. }
        | StoreError::Closed
        | StoreError::Io { .. } => Exit::Failed,
    }
}
