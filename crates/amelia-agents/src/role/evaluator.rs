//! The Evaluator decides about every comment exactly once. What it leaves out, or makes up, is refused.

use std::collections::BTreeSet;

use amelia_core::review::{Disposition, EvaluatedItem, Evaluation, ReviewComment};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::handing_in::HandIn;

/// All decisions, as a model writes them.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EvaluationIn {
    pub decisions: Vec<DecisionIn>,
    /// In one or two sentences
    #[serde(default)]
    pub summary: String,
}

/// What becomes of one comment.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DecisionIn {
    /// Of the comment, from 1
    pub number: u32,
    /// The comment in a few words
    pub title: String,
    pub disposition: DispositionIn,
    /// The evidence for it
    pub reason: String,
}

/// What can become of a comment.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DispositionIn {
    Implement,
    Reject,
    Defer,
    Clarify,
}

impl From<DispositionIn> for Disposition {
    fn from(disposition: DispositionIn) -> Self {
        match disposition {
            DispositionIn::Implement => Self::Implement,
            DispositionIn::Reject => Self::Reject,
            DispositionIn::Defer => Self::Defer,
            DispositionIn::Clarify => Self::Clarify,
        }
    }
}

/// The tool by which decisions about `count` comments are handed in.
#[must_use]
pub fn submit_evaluation(count: usize) -> HandIn {
    HandIn::of::<EvaluationIn>(
        "submit_evaluation",
        "Submit one decision for every comment. This ends your turn.",
        move |evaluation| complete(evaluation, count),
    )
}

fn complete(evaluation: &EvaluationIn, count: usize) -> Result<(), String> {
    let mut decided = BTreeSet::new();
    for decision in &evaluation.decisions {
        let number = decision.number;
        if number == 0 || usize::try_from(number).is_ok_and(|number| number > count) {
            return Err(format!("there is no comment {number}: they are 1 to {count}"));
        }
        if !decided.insert(number) {
            return Err(format!("comment {number} has two decisions; each has exactly one"));
        }
        if decision.reason.trim().is_empty() {
            return Err(format!("the decision about comment {number} has no reason"));
        }
    }
    let missing: Vec<String> = (1..=u32::try_from(count).unwrap_or(u32::MAX))
        .filter(|number| !decided.contains(number))
        .map(|number| number.to_string())
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(format!("comments without a decision: {}", missing.join(", ")))
    }
}

impl EvaluationIn {
    /// The decisions with what they are about.
    #[must_use]
    pub fn about(self, comments: &[ReviewComment]) -> Evaluation {
        let item = |decision: DecisionIn| {
            let place = usize::try_from(decision.number).unwrap_or(0).saturating_sub(1);
            let comment = comments.get(place).cloned().unwrap_or_default();
            EvaluatedItem {
                number: decision.number,
                title: decision.title,
                file: comment.file.unwrap_or_default(),
                line: comment.line.unwrap_or(0),
                disposition: decision.disposition.into(),
                reason: decision.reason,
                issue: comment.text,
                suggestion: comment.suggestion.unwrap_or_default(),
            }
        };
        let mut items: Vec<EvaluatedItem> = self.decisions.into_iter().map(item).collect();
        items.sort_by_key(|item| item.number);
        Evaluation { items, summary: self.summary }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_comment_has_exactly_one_decision() {
        let check = |numbers: &[u32]| {
            let decision = |number: &u32| DecisionIn {
                number: *number,
                title: "t".to_owned(),
                disposition: DispositionIn::Implement,
                reason: "r".to_owned(),
            };
            let decisions = numbers.iter().map(decision).collect();
            complete(&EvaluationIn { decisions, summary: String::new() }, 2)
        };
        assert_eq!(check(&[2, 1]), Ok(()));
        assert_eq!(check(&[1]), Err("comments without a decision: 2".to_owned()));
        assert_eq!(check(&[1, 1, 2]), Err("comment 1 has two decisions; each has exactly one".to_owned()));
        assert_eq!(check(&[1, 2, 3]), Err("there is no comment 3: they are 1 to 2".to_owned()));
    }
}
