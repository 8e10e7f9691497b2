//! Reviews and what was decided about their comments.

use amelia_core::review as core;
use core::Disposition;
use serde::{Deserialize, Serialize};

/// Severity in the newest words. The first version's are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Critical,
    #[serde(alias = "medium", alias = "high")]
    Major,
    #[serde(alias = "low")]
    Minor,
    None,
}

impl From<core::Severity> for Severity {
    /// Medium is written as major: never under-report.
    fn from(severity: core::Severity) -> Self {
        match severity {
            core::Severity::Critical => Self::Critical,
            core::Severity::High | core::Severity::Medium => Self::Major,
            core::Severity::Low => Self::Minor,
            core::Severity::None => Self::None,
        }
    }
}

/// The verdict of one reviewer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewResult {
    pub reviewer_persona: String,
    pub approved: bool,
    pub comments: Vec<String>,
    pub severity: Severity,
}

impl From<core::Review> for ReviewResult {
    fn from(review: core::Review) -> Self {
        Self {
            reviewer_persona: persona(&review.persona),
            approved: review.approved,
            comments: review.comments.iter().map(comment).collect(),
            severity: review.severity.into(),
        }
    }
}

/// The persona; a single reviewer has none, and is called by the role.
pub(crate) fn persona(persona: &str) -> String {
    if persona.is_empty() { "reviewer".to_owned() } else { persona.to_owned() }
}

/// `file:line: text (suggestion: …)`
pub(crate) fn comment(comment: &core::ReviewComment) -> String {
    let place = match (&comment.file, comment.line) {
        (Some(file), Some(line)) => format!("{file}:{line}: "),
        (Some(file), None) => format!("{file}: "),
        (None, Some(_) | None) => String::new(),
    };
    let suggestion = comment.suggestion.as_ref().map(|text| format!(" (suggestion: {text})"));
    format!("{place}{}{}", comment.text, suggestion.unwrap_or_default())
}

/// One comment with its decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluatedItem {
    pub number: u32,
    pub title: String,
    pub file_path: String,
    pub line: u32,
    pub disposition: Disposition,
    pub reason: String,
    pub original_issue: String,
    pub suggested_fix: String,
}

impl From<core::EvaluatedItem> for EvaluatedItem {
    fn from(item: core::EvaluatedItem) -> Self {
        let core::EvaluatedItem { number, title, file, line, disposition, reason, issue, suggestion } = item;
        Self {
            number,
            title,
            file_path: file,
            line,
            disposition,
            reason,
            original_issue: issue,
            suggested_fix: suggestion,
        }
    }
}

/// All comments of a review, by decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluationResult {
    #[serde(default)]
    pub items_to_implement: Vec<EvaluatedItem>,
    #[serde(default)]
    pub items_rejected: Vec<EvaluatedItem>,
    #[serde(default)]
    pub items_deferred: Vec<EvaluatedItem>,
    #[serde(default)]
    pub items_needing_clarification: Vec<EvaluatedItem>,
    pub summary: String,
}

impl From<core::Evaluation> for EvaluationResult {
    fn from(evaluation: core::Evaluation) -> Self {
        let part = |disposition| evaluation.with(disposition).cloned().map(Into::into).collect();
        Self {
            items_to_implement: part(Disposition::Implement),
            items_rejected: part(Disposition::Reject),
            items_deferred: part(Disposition::Defer),
            items_needing_clarification: part(Disposition::Clarify),
            summary: evaluation.summary,
        }
    }
}
