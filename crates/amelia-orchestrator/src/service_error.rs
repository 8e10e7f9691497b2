//! Why the service refuses a request. What it says is for people; how it is shown is for its callers.

use amelia_core::problem::{Hinted, Problem};

/// Why a request cannot be carried out, by what can be done about it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ServiceError {
    /// The request itself must change.
    #[error("{0}")]
    Invalid(Problem),
    #[error("{0}")]
    NotFound(Problem),
    /// It would be possible in another state of things: a dirty checkout, a run that has ended.
    #[error("{0}")]
    Conflict(Problem),
    /// A guardrail refuses what was said.
    #[error("{0}")]
    Guardrail(Problem),
    /// Something outside does not work: git, a tracker.
    #[error("{0}")]
    Unavailable(Problem),
    /// One of the others, about a field of the request.
    #[error("{error}")]
    AtField { field: &'static str, error: Box<Self> },
}

impl Hinted for ServiceError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Invalid(problem)
            | Self::NotFound(problem)
            | Self::Conflict(problem)
            | Self::Guardrail(problem)
            | Self::Unavailable(problem) => problem.hint.clone(),
            Self::AtField { error, .. } => error.hint(),
        }
    }
}

impl ServiceError {
    pub fn invalid(problem: impl Into<Problem>) -> Self {
        Self::Invalid(problem.into())
    }

    pub fn not_found(problem: impl Into<Problem>) -> Self {
        Self::NotFound(problem.into())
    }

    pub fn conflict(problem: impl Into<Problem>) -> Self {
        Self::Conflict(problem.into())
    }

    pub fn unavailable(problem: impl Into<Problem>) -> Self {
        Self::Unavailable(problem.into())
    }

    /// The same kind of error, said in other words.
    #[must_use]
    pub fn with_problem(&self, problem: Problem) -> Self {
        match self {
            Self::Invalid(_) => Self::Invalid(problem),
            Self::NotFound(_) => Self::NotFound(problem),
            Self::Conflict(_) => Self::Conflict(problem),
            Self::Guardrail(_) => Self::Guardrail(problem),
            Self::Unavailable(_) => Self::Unavailable(problem),
            Self::AtField { field, error } => error.with_problem(problem).at(field),
        }
    }

    /// The same error, about a field of the request. What does not work outside of it is about none.
    #[must_use]
    pub fn at(self, field: &'static str) -> Self {
        match self {
            Self::Unavailable(_) | Self::AtField { .. } => self,
            error => Self::AtField { field, error: Box::new(error) },
        }
    }
}
