//! The Reviewer hands in a verdict. One that contradicts itself is refused; several are merged without losing anything.

use amelia_core::review::{Review, ReviewComment, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::handing_in::HandIn;

/// A verdict, as a model writes it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewIn {
    /// False with a major or critical finding, true without one
    pub approved: bool,
    /// Of the worst finding; none when there is no finding
    pub severity: SeverityIn,
    /// Every finding; an empty list when there is no finding
    #[serde(default)]
    pub comments: Vec<CommentIn>,
}

/// One finding.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommentIn {
    /// What is wrong, as a failure scenario: the input or state, what happens, what should happen
    pub text: String,
    #[serde(default)]
    pub file: Option<String>,
    #[serde(default)]
    pub line: Option<u32>,
    /// What would be better
    #[serde(default)]
    pub suggestion: Option<String>,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeverityIn {
    None,
    Minor,
    Major,
    Critical,
}

impl From<SeverityIn> for Severity {
    fn from(severity: SeverityIn) -> Self {
        match severity {
            SeverityIn::None => Self::None,
            SeverityIn::Minor => Self::Low,
            SeverityIn::Major => Self::High,
            SeverityIn::Critical => Self::Critical,
        }
    }
}

/// The tool by which a verdict is handed in.
#[must_use]
pub fn submit_review() -> HandIn {
    HandIn::of::<ReviewIn>(
        "submit_review",
        "Submit your verdict on the change. This ends your turn.",
        contradiction,
    )
}

fn contradiction(review: &ReviewIn) -> Result<(), String> {
    let is_grave = matches!(review.severity, SeverityIn::Major | SeverityIn::Critical);
    if !review.approved && review.comments.is_empty() {
        return Err("a change that is not approved needs at least one comment that says why".to_owned());
    }
    if review.approved && is_grave {
        return Err("a change with a major or critical finding cannot be approved".to_owned());
    }
    match (review.severity, review.comments.is_empty()) {
        (SeverityIn::None, false) => {
            return Err(
                "severity is none, but there are comments: set severity to that of the worst one".to_owned()
            );
        }
        (SeverityIn::Minor | SeverityIn::Major | SeverityIn::Critical, true) => {
            return Err(
                "severity is not none, but there are no comments: add the finding, or set severity to none"
                    .to_owned(),
            );
        }
        (SeverityIn::None, true) | (_, false) => {}
    }
    match review.comments.iter().position(|comment| comment.text.trim().is_empty()) {
        Some(place) => Err(format!("comments[{place}].text is empty")),
        None => Ok(()),
    }
}

impl ReviewIn {
    /// The verdict of `persona`.
    #[must_use]
    pub fn by(self, persona: &str) -> Review {
        let comment = |comment: CommentIn| ReviewComment {
            text: comment.text,
            file: comment.file.filter(|file| !file.trim().is_empty()),
            line: comment.line,
            suggestion: comment.suggestion.filter(|text| !text.trim().is_empty()),
        };
        Review {
            persona: persona.to_owned(),
            approved: self.approved,
            severity: self.severity.into(),
            comments: self.comments.into_iter().map(comment).collect(),
        }
    }
}

/// One verdict of several: approved when all approve, as grave as the gravest, every finding once.
#[must_use]
pub fn merge(reviews: &[Review]) -> Review {
    let mut comments: Vec<ReviewComment> = Vec::new();
    for comment in reviews.iter().flat_map(|review| &review.comments) {
        let is_same = |other: &&ReviewComment| {
            other.file == comment.file
                && other.line == comment.line
                && words(&other.text) == words(&comment.text)
        };
        if !comments.iter().any(|other| is_same(&other)) {
            comments.push(comment.clone());
        }
    }
    let personas: Vec<&str> = reviews.iter().map(|review| review.persona.as_str()).collect();
    Review {
        persona: personas.join(", "),
        approved: !reviews.is_empty() && reviews.iter().all(|review| review.approved),
        severity: reviews.iter().map(|review| review.severity).max().unwrap_or_default(),
        comments,
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn review(approved: bool, severity: Severity, texts: &[&str]) -> Review {
        let comment = |text: &&str| ReviewComment { text: (*text).to_owned(), ..ReviewComment::default() };
        let comments = texts.iter().map(comment).collect();
        Review { persona: "p".to_owned(), approved, severity, comments }
    }

    #[test]
    fn several_verdicts_become_one_that_loses_nothing() {
        let one = review(true, Severity::Low, &["Rename it."]);
        let two = review(false, Severity::High, &["rename it", "It leaks."]);
        let merged = merge(&[one, two]);
        assert_eq!((merged.approved, merged.severity, merged.comments.len()), (false, Severity::High, 2));
        assert!(!merge(&[]).approved, "silence is no approval");
    }

    #[test]
    fn a_verdict_that_contradicts_itself_is_refused() {
        let parse =
            |text: &str| serde_json::from_str::<ReviewIn>(text).map(|review| contradiction(&review)).unwrap();
        assert!(parse(r#"{"approved": false, "severity": "none"}"#).is_err());
        assert!(parse(r#"{"approved": true, "severity": "critical", "comments": [{"text": "x"}]}"#).is_err());
        assert!(parse(r#"{"approved": true, "severity": "none", "comments": [{"text": "x"}]}"#).is_err());
        assert!(parse(r#"{"approved": true, "severity": "minor"}"#).is_err());
        assert!(parse(r#"{"approved": true, "severity": "minor", "comments": [{"text": "x"}]}"#).is_ok());
        assert!(parse(r#"{"approved": true, "severity": "none"}"#).is_ok());
        assert!(parse(r#"{"approved": false, "severity": "major", "comments": [{"text": "x"}]}"#).is_ok());
    }
}
