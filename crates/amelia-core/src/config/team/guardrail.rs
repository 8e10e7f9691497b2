//! A rule that texts and calls are held to.

use serde::{Deserialize, Serialize};

use crate::config::problem::{ProblemReport, Validate};
use crate::event::guardrail::GuardrailAction;
use crate::message::{CheckKind, Object};
use crate::review::Severity;

/// One policy. Its rules belong to its kind and are read by the guardrail itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuardrailPolicy {
    pub name: String,
    pub kind: PolicyKind,
    pub rules: Vec<Object>,
    #[serde(default = "default_severity")]
    pub severity: Severity,
    #[serde(default)]
    pub action: PolicyAction,
}

fn default_severity() -> Severity {
    Severity::Medium
}

/// What a policy looks at.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicyKind {
    InputValidation,
    ContentFilter,
    RateLimit,
    Compliance,
}

impl PolicyKind {
    /// What a check under this policy is called.
    #[must_use]
    pub fn check(self) -> CheckKind {
        match self {
            Self::InputValidation => CheckKind::InputValidation,
            Self::ContentFilter => CheckKind::ContentFilter,
            Self::RateLimit => CheckKind::RateLimit,
            Self::Compliance => CheckKind::Policy,
        }
    }
}

/// What a violation leads to.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicyAction {
    Block,
    #[default]
    Warn,
    Log,
}

impl PolicyAction {
    /// The same, as a fact.
    #[must_use]
    pub fn taken(self) -> GuardrailAction {
        match self {
            Self::Block => GuardrailAction::Blocked,
            Self::Warn => GuardrailAction::Warned,
            Self::Log => GuardrailAction::Logged,
        }
    }
}

impl Validate for GuardrailPolicy {
    fn check(&self, report: &mut ProblemReport) {
        report.filled("name", &self.name);
        if self.rules.is_empty() {
            report.refuse("rules", "must not be empty");
        }
        if self.severity == Severity::None {
            report.refuse("severity", "must be one of low, medium, high, critical");
        }
    }
}
