//! A policy was violated, or changed.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::EventLevel;
use crate::id::CallId;
use crate::message::CheckKind;
use crate::review::Severity;
use crate::text::one_line;

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
        #[serde(default, skip_serializing_if = "Option::is_none")]
        point: Option<GuardPoint>,
        /// What is wrong.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        /// The call that was checked, or whose result was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<CallId>,
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

/// Where a text or a call is checked.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum GuardPoint {
    /// What a person says to a run.
    UserInput,
    /// The message to the agent.
    Prompt,
    /// What an agent says, with the arguments of a call that ends its turn.
    Answer,
    ToolCall,
    ToolResult,
}

impl GuardPoint {
    pub const ALL: [Self; 5] =
        [Self::UserInput, Self::Prompt, Self::Answer, Self::ToolCall, Self::ToolResult];

    /// As it stands in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::UserInput => "user_input",
            Self::Prompt => "prompt",
            Self::Answer => "answer",
            Self::ToolCall => "tool_call",
            Self::ToolResult => "tool_result",
        }
    }
}

impl fmt::Display for GuardPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl GuardrailAction {
    /// In one word, for people.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::Warned => "warned",
            Self::Logged => "logged",
        }
    }
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
            Self::Violated { policy, action, point, message, .. } => {
                let point = point.map(|point| format!(" at {point}")).unwrap_or_default();
                let message =
                    message.as_ref().map(|text| format!(": {}", one_line(text))).unwrap_or_default();
                format!("policy {policy} violated{point}, {}{message}", action.word())
            }
            Self::PolicyChanged { policy, by, .. } => format!("policy {policy} changed by {by}"),
        }
    }
}
