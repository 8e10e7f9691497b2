//! Why a command did not do what it was asked, and the exit code that says so to scripts.

use std::fmt;
use std::process::ExitCode;

use amelia_core::problem::Problem;
use amelia_host::error::classify;
use amelia_orchestrator::service::ServiceError;

/// A problem for a person, and a number for scripts.
#[derive(Debug)]
pub(crate) struct CliError {
    pub(crate) exit: Exit,
    problem: Problem,
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
    /// A review has found something.
    Findings,
    Interrupted,
}

impl Exit {
    /// For programs.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Usage => "usage",
            Self::Unreachable => "unreachable",
            Self::NotFound => "not_found",
            Self::Conflict => "conflict",
            Self::Waiting => "waiting",
            Self::Findings => "findings",
            Self::Interrupted => "interrupted",
        }
    }
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
            Exit::Findings => 7,
            Exit::Interrupted => 130,
        })
    }
}

impl CliError {
    pub(crate) fn new(exit: Exit, problem: impl Into<Problem>) -> Self {
        Self { exit, problem: problem.into() }
    }

    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { problem: self.problem.with_hint(hint), ..self }
    }
}

impl std::error::Error for CliError {}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.fmt(f)
    }
}

/// What a person is shown of an error.
pub(crate) fn problem_of(error: &anyhow::Error) -> Problem {
    let problem = amelia_host::error::problem_of(error);
    let own = error.downcast_ref::<CliError>().and_then(|refusal| refusal.problem.hint.clone());
    Problem { hint: own.or(problem.hint), ..problem }
}

/// The exit code that an error deserves.
pub(crate) fn exit_of(error: &anyhow::Error) -> Exit {
    if let Some(refusal) = error.downcast_ref::<CliError>() {
        return refusal.exit;
    }
    exit_of_service(&classify(error))
}

fn exit_of_service(error: &ServiceError) -> Exit {
    match error {
        ServiceError::AtField { error, .. } => exit_of_service(error),
        ServiceError::Invalid(_) | ServiceError::Guardrail(_) => Exit::Usage,
        ServiceError::NotFound(_) => Exit::NotFound,
        ServiceError::Conflict(_) => Exit::Conflict,
        ServiceError::Unavailable(_) => Exit::Failed,
    }
}
