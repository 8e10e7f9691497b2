//! What was found about one thing. A shape that programs read: fields are added, never renamed.

use amelia_core::problem::Problem;
use amelia_wire::rest::doctor::{Finding, FindingState};
use serde::Serialize;

use crate::error::problem_of;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DoctorCheck {
    pub name: &'static str,
    pub state: CheckState,
    pub message: String,
    /// What to do, where something is not as it should be.
    pub hint: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    Ok,
    /// Not installed, or too old to be used, and nothing here needs it.
    Optional,
    /// Work is possible, or something may be missing for some of it.
    Warning,
    /// Work is not possible like this.
    Error,
}

impl From<DoctorCheck> for Finding {
    fn from(DoctorCheck { name, state, message, hint }: DoctorCheck) -> Self {
        let state = match state {
            CheckState::Ok => FindingState::Ok,
            CheckState::Optional => FindingState::Optional,
            CheckState::Warning => FindingState::Warning,
            CheckState::Error => FindingState::Error,
        };
        Self { name: name.to_owned(), state, message, hint }
    }
}

impl DoctorCheck {
    pub fn ok(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, state: CheckState::Ok, message: message.into(), hint: None }
    }

    pub fn optional(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, state: CheckState::Optional, message: message.into(), hint: None }
    }

    pub fn warning(name: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { name, state: CheckState::Warning, message: message.into(), hint: Some(hint.into()) }
    }

    pub fn error(name: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { name, state: CheckState::Error, message: message.into(), hint: Some(hint.into()) }
    }

    /// From a refusal of another command.
    pub fn refused(name: &'static str, error: &anyhow::Error) -> Self {
        let Problem { message, hint } = problem_of(error);
        Self { name, state: CheckState::Error, message, hint }
    }
}
