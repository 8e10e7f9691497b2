//! A policy was violated, or changed.

use serde::{Deserialize, Serialize};

use super::EventLevel;
use crate::message::CheckKind;
use crate::review::Severity;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum GuardrailEvent {
    Violated {
        id: String,
        check: CheckKind,
        severity: Severity,
        policy: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sample: Option<String>,
        action: GuardrailAction,
    },
    PolicyChanged {
        policy: String,
        change: PolicyChange,
        by: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum GuardrailAction {
    Blocked,
    Warned,
    Logged,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum PolicyChange {
    Created,
    Modified,
    Deleted,
}

impl GuardrailEvent {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Violated { .. } => "guardrail.violated",
            Self::PolicyChanged { .. } => "guardrail.policy_changed",
        }
    }

    pub(super) fn level(&self) -> EventLevel {
        match self {
            Self::Violated { .. } => EventLevel::Warning,
            Self::PolicyChanged { .. } => EventLevel::Info,
        }
    }

    pub(super) fn summary(&self) -> String {
        match self {
            Self::Violated { policy, action, .. } => {
                let action = match action {
                    GuardrailAction::Blocked => "blocked",
                    GuardrailAction::Warned => "warned",
                    GuardrailAction::Logged => "logged",
                };
                format!("policy {policy} violated, {action}")
            }
            Self::PolicyChanged { policy, by, .. } => format!("policy {policy} changed by {by}"),
        }
    }
}
