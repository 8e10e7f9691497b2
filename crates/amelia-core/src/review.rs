//! What a Reviewer found and what an Evaluator decided about it.

use serde::{Deserialize, Serialize};

use crate::id::AgentName;

/// How bad the worst finding is. One scale for all source documents; their words live in `amelia-wire`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    #[default]
    None,
    Low,
    Medium,
    High,
    Critical,
}

/// The verdict of one reviewer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct Review {
    /// The persona: "Security", "Performance", …
    pub persona: String,
    pub approved: bool,
    pub severity: Severity,
    pub comments: Vec<ReviewComment>,
}

impl Review {
    /// Its outcome in the words of reviewers.
    #[must_use]
    pub fn verdict(&self) -> &'static str {
        if self.approved { "approved" } else { "changes requested" }
    }
}

/// One finding, at a place when it has one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct ReviewComment {
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

/// What is to be done about a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum Disposition {
    /// Correct and in scope.
    Implement,
    /// Technically incorrect.
    Reject,
    /// Out of scope, kept for later.
    Defer,
    /// Ambiguous.
    Clarify,
}

/// One finding with its decision and the evidence for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct EvaluatedItem {
    pub number: u32,
    pub title: String,
    pub file: String,
    pub line: u32,
    pub disposition: Disposition,
    pub reason: String,
    pub issue: String,
    pub suggestion: String,
}

/// Every finding of a review, decided.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct Evaluation {
    pub items: Vec<EvaluatedItem>,
    pub summary: String,
}

impl Evaluation {
    /// The items with one disposition, in order.
    pub fn with(&self, disposition: Disposition) -> impl Iterator<Item = &EvaluatedItem> {
        self.items.iter().filter(move |item| item.disposition == disposition)
    }
}

/// Whether a plan may be shown to a person, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct PlanVerdict {
    pub issues: Vec<String>,
    pub severity: Severity,
}

impl PlanVerdict {
    /// A plan without issues is valid.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.issues.is_empty()
    }

    /// Takes more issues into account.
    pub fn extend(&mut self, issues: Vec<String>) {
        if self.issues.is_empty() && !issues.is_empty() {
            self.severity = Severity::High;
        }
        self.issues.extend(issues);
    }
}

/// How a review is made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum ReviewStrategy {
    #[default]
    Single,
    /// Several personas at once; their findings are merged.
    Competitive { personas: Vec<AgentName> },
}
