//! Changes are reviewed, and sent back.

use serde::{Deserialize, Serialize};

use super::EventLevel;
use super::task::TaskRef;
use crate::review::{Disposition, Evaluation, Review};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum ReviewEvent {
    Requested {
        round: u32,
        personas: Vec<String>,
        /// Of a plan; nothing when changes are reviewed without one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskRef>,
    },
    Completed {
        round: u32,
        review: Review,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskRef>,
    },
    /// The Evaluator has decided, and nothing goes back.
    Evaluated {
        round: u32,
        evaluation: Evaluation,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskRef>,
    },
    /// Only what the Evaluator wants implemented goes back.
    RevisionRequested {
        round: u32,
        evaluation: Evaluation,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskRef>,
    },
}

impl ReviewEvent {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Requested { .. } => "review.requested",
            Self::Completed { .. } => "review.completed",
            Self::Evaluated { .. } => "review.evaluated",
            Self::RevisionRequested { .. } => "review.revision_requested",
        }
    }

    pub(super) fn level(&self) -> EventLevel {
        match self {
            Self::Requested { .. }
            | Self::Completed { .. }
            | Self::Evaluated { .. }
            | Self::RevisionRequested { .. } => EventLevel::Info,
        }
    }

    pub(super) fn summary(&self) -> String {
        let of = |task: &Option<TaskRef>| {
            task.as_ref().map(|task| format!("task {}: ", task.id)).unwrap_or_default()
        };
        match self {
            Self::Requested { round, task, .. } => format!("{}review round {round} requested", of(task)),
            Self::Completed { round, review, task } => {
                let comments = match review.comments.len() {
                    0 => String::new(),
                    1 => ", 1 comment".to_owned(),
                    many => format!(", {many} comments"),
                };
                format!("{}review round {round}: {}{comments}", of(task), review.verdict())
            }
            Self::Evaluated { round, evaluation, task } => {
                // A person may accept what an Evaluator would have changed.
                let outcome = match evaluation.with(Disposition::Implement).count() {
                    0 => "no changes needed".to_owned(),
                    1 => "accepted with 1 open finding".to_owned(),
                    open => format!("accepted with {open} open findings"),
                };
                format!("{}{outcome} after round {round}{}", of(task), behind_colon(&evaluation.summary))
            }
            Self::RevisionRequested { round, evaluation, task } => {
                let why = behind_colon(&evaluation.summary);
                format!("{}changes requested after round {round}{why}", of(task))
            }
        }
    }
}

/// An Evaluator may decide without a word.
fn behind_colon(text: &str) -> String {
    match text.trim() {
        "" => String::new(),
        text => format!(": {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_without_a_summary_ends_without_a_colon() {
        let decided = |summary: &str| {
            let evaluation = Evaluation { summary: summary.to_owned(), ..Evaluation::default() };
            ReviewEvent::RevisionRequested { round: 1, evaluation, task: None }.summary()
        };
        assert_eq!(decided(" "), "changes requested after round 1");
        assert_eq!(decided("It leaks."), "changes requested after round 1: It leaks.");
    }
}
