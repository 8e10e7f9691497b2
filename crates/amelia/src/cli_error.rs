//! Why a command did not do what it was asked, and the exit code that says so to scripts.

use std::fmt;
use std::process::ExitCode;

use amelia_host::error::classify;
use amelia_orchestrator::service::ServiceError;

/// One line for a person, with the way out, and a number for scripts.
#[derive(Debug)]
pub(crate) struct CliError {
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

impl CliError {
    /// A message may carry its hint on a second line: `…\n  hint: …`.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into() }
    }
}

impl std::error::Error for CliError {}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The exit code that an error deserves.
pub(crate) fn exit_of(error: &anyhow::Error) -> Exit {
    if let Some(refusal) = error.downcast_ref::<CliError>() {
        return refusal.exit;
    }
    match classify(error) {
        ServiceError::Invalid(_) => Exit::Usage,
        ServiceError::NotFound(_) => Exit::NotFound,
        ServiceError::Conflict(_) => Exit::Conflict,
        ServiceError::Unavailable(_) => Exit::Failed,
    }
}
