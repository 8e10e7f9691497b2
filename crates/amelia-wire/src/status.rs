//! Where a run stands, in the words that all dialects share.

use amelia_core::human::HumanKind;
use amelia_core::run::RunStatus;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The status of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Pending,
    #[serde(alias = "in_progress")]
    Running,
    AwaitingApproval,
    Paused,
    #[serde(alias = "success")]
    Completed,
    #[serde(alias = "error")]
    Failed,
    Cancelled,
}

impl Status {
    pub const ALL: [Self; 7] = [
        Self::Pending,
        Self::Running,
        Self::AwaitingApproval,
        Self::Paused,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
    ];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::AwaitingApproval => "awaiting_approval",
            Self::Paused => "paused",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Reads a word, or an older one for the same.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "in_progress" => Some(Self::Running),
            "success" => Some(Self::Completed),
            "error" => Some(Self::Failed),
            _ => Self::ALL.into_iter().find(|status| status.as_str() == word),
        }
    }
}

/// How an agent at work stands: the words that Amelia has for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AgenticStatus {
    #[default]
    Running,
    AwaitingApproval,
    Completed,
    Failed,
    Cancelled,
}

impl From<RunStatus> for AgenticStatus {
    /// Neither a run that has not begun nor one that is paused has ended.
    fn from(status: RunStatus) -> Self {
        match Status::from(status) {
            Status::Pending | Status::Running | Status::Paused => Self::Running,
            Status::AwaitingApproval => Self::AwaitingApproval,
            Status::Completed => Self::Completed,
            Status::Failed => Self::Failed,
            Status::Cancelled => Self::Cancelled,
        }
    }
}

impl From<RunStatus> for Status {
    fn from(status: RunStatus) -> Self {
        match status {
            RunStatus::Pending => Self::Pending,
            RunStatus::Running => Self::Running,
            RunStatus::Waiting(reason) => match reason {
                HumanKind::Approval | HumanKind::Question | HumanKind::Escalation => Self::AwaitingApproval,
                HumanKind::Breakpoint
                | HumanKind::Step
                | HumanKind::Pause
                | HumanKind::StepLimit
                | HumanKind::Budget
                | HumanKind::Quota
                | HumanKind::Rounds => Self::Paused,
            },
            RunStatus::Completed => Self::Completed,
            RunStatus::Failed => Self::Failed,
            RunStatus::Cancelled => Self::Cancelled,
        }
    }
}
