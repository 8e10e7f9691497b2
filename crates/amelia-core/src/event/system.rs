//! The program speaks of itself: errors, recoveries, health.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::EventLevel;
use super::run::RunFailure;
use crate::object::Object;
use crate::text::{first_line, one_line};

/// Characters of a warning in a summary.
const WARNING: usize = 300;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum SystemEvent {
    Failed(SystemError),
    Recovered {
        error: String,
        strategy: String,
        success: bool,
        #[serde(default, skip_serializing_if = "Object::is_empty")]
        details: Object,
    },
    Warned {
        message: String,
        #[serde(default, skip_serializing_if = "Object::is_empty")]
        details: Object,
    },
    Checked {
        component: String,
        status: HealthStatus,
        #[serde(default, skip_serializing_if = "Object::is_empty")]
        metrics: Object,
    },
    Measured {
        name: String,
        value: f64,
        unit: String,
        component: String,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        tags: BTreeMap<String, String>,
    },
}

/// An error that belongs to no node, or that was survived.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct SystemError {
    pub id: String,
    pub code: String,
    pub message: String,
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub context: Object,
    pub recoverable: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
}

/// Failures of the work itself: an agent, its model or a person ended it, and the program did as it should.
const OF_THE_WORK: [&str; 22] = [
    "stopped",
    "budget",
    "quota",
    "rounds",
    "loop",
    "silent",
    "turns",
    "refused",
    "unusable",
    "too_long",
    "bad_answer",
    "unknown_model",
    "unauthorised",
    "unavailable",
    "held",
    "review_rounds",
    "no_verdict",
    "checks_failed",
    "merge_conflict",
    "commit_refused",
    "nothing_to_review",
    "issue_not_found",
];

impl SystemError {
    /// The error behind a failed run, when it is one of the program or its machine and not of the work.
    #[must_use]
    pub fn of(failure: &RunFailure, id: impl fmt::Display) -> Option<Self> {
        let RunFailure { code, message, node } = failure;
        if OF_THE_WORK.contains(&code.as_str()) || code.starts_with("tracker_") {
            return None;
        }
        let context = node.iter().map(|node| ("node".to_owned(), node.to_string().into())).collect();
        Some(Self {
            id: id.to_string(),
            code: code.clone(),
            message: message.clone(),
            context,
            recoverable: true,
            recovery: Some("resume the run".to_owned()),
            stack: None,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum HealthStatus {
    Healthy,
    Degraded,
    Unhealthy,
}

/// Marks in the details of a warning that a model did not answer and is asked again.
const RETRY: &str = "retry";

/// Names in the details of a warning what it is about.
const NOTICE: &str = "notice";

/// The warning about a scripted model.
pub const SCRIPTED_MODEL: &str = "this is a scripted model: its answers were written beforehand";

impl SystemEvent {
    /// A warning that a model is scripted.
    #[must_use]
    pub fn scripted_model() -> Self {
        let details = Object::from_iter([(NOTICE.to_owned(), "scripted_model".into())]);
        Self::Warned { message: SCRIPTED_MODEL.to_owned(), details }
    }

    /// A warning that a model did not answer and is asked again.
    #[must_use]
    pub fn retry(message: String) -> Self {
        Self::Warned { message, details: Object::from_iter([(RETRY.to_owned(), true.into())]) }
    }

    /// The same, read back: the text of the warning.
    #[must_use]
    pub fn as_retry(&self) -> Option<&str> {
        match self {
            Self::Warned { message, details } if details.get(RETRY) == Some(&true.into()) => Some(message),
            _ => None,
        }
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Failed(_) => "system.failed",
            Self::Recovered { .. } => "system.recovered",
            Self::Warned { .. } => "system.warned",
            Self::Checked { .. } => "system.checked",
            Self::Measured { .. } => "system.measured",
        }
    }

    pub(super) fn level(&self) -> EventLevel {
        match self {
            Self::Failed(_) => EventLevel::Error,
            Self::Warned { .. } => EventLevel::Warning,
            Self::Recovered { .. } => EventLevel::Info,
            Self::Checked { .. } | Self::Measured { .. } => EventLevel::Debug,
        }
    }

    pub(super) fn summary(&self) -> String {
        match self {
            Self::Failed(error) => one_line(&error.message),
            Self::Recovered { strategy, success: true, .. } => format!("recovered: {strategy}"),
            Self::Recovered { strategy, success: false, .. } => {
                format!("not recovered: {strategy}")
            }
            // What is tried next stands at its end.
            Self::Warned { message, .. } => first_line(message, WARNING),
            Self::Checked { component, status, .. } => {
                let status = match status {
                    HealthStatus::Healthy => "healthy",
                    HealthStatus::Degraded => "degraded",
                    HealthStatus::Unhealthy => "unhealthy",
                };
                format!("{component} is {status}")
            }
            Self::Measured { name, value, unit, .. } => format!("{name} = {value} {unit}"),
        }
    }
}
