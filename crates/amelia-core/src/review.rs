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

    /// What has come of it in one line, after the Evaluator has decided: `no changes needed, 1 finding rejected`.
    #[must_use]
    pub fn outcome(&self, evaluation: Option<&Evaluation>) -> String {
        let count = self.comments.len();
        let findings = if count == 1 { "1 finding".to_owned() } else { format!("{count} findings") };
        let decided = |disposition| evaluation.map_or(0, |evaluation| evaluation.with(disposition).count());
        let (rejected, deferred) = (decided(Disposition::Reject), decided(Disposition::Defer));
        if count == 0 || rejected + deferred < count {
            return format!("{}, {findings}", self.verdict());
        }
        let verdict = if self.approved { self.verdict() } else { "no changes needed" };
        let fate = match (rejected, deferred) {
            (_, 0) => " rejected".to_owned(),
            (0, _) => " deferred".to_owned(),
            (rejected, deferred) => format!(": {rejected} rejected, {deferred} deferred"),
        };
        format!("{verdict}, {findings}{fate}")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_review_comes_to_what_the_evaluator_has_left_of_it() {
        use Disposition::{Clarify, Defer, Implement, Reject};
        let review = |approved, count| Review {
            persona: String::new(),
            approved,
            severity: Severity::Low,
            comments: vec![ReviewComment::default(); count],
        };
        let item = |number: usize, disposition| EvaluatedItem {
            number: u32::try_from(number).unwrap(),
            title: String::new(),
            file: String::new(),
            line: 0,
            disposition,
            reason: String::new(),
            issue: String::new(),
            suggestion: String::new(),
        };
        let outcome = |approved, decided: &[Disposition]| {
            let items = (1..).zip(decided).map(|(number, disposition)| item(number, *disposition)).collect();
            let evaluation = Evaluation { items, summary: String::new() };
            review(approved, decided.len()).outcome(Some(&evaluation))
        };
        for (approved, decided, expected) in [
            (false, [Reject].as_slice(), "no changes needed, 1 finding rejected"),
            (false, &[Defer, Defer], "no changes needed, 2 findings deferred"),
            (false, &[Reject, Defer], "no changes needed, 2 findings: 1 rejected, 1 deferred"),
            (false, &[Reject, Implement], "changes requested, 2 findings"),
            (false, &[Clarify], "changes requested, 1 finding"),
            (true, &[Reject], "approved, 1 finding rejected"),
            (true, &[], "approved, 0 findings"),
        ] {
            assert_eq!(outcome(approved, decided), expected, "{decided:?}");
        }
        assert_eq!(review(false, 2).outcome(None), "changes requested, 2 findings");
    }
}
