//! What happened to the change of a run after its commits. The only facts that a run may get after its end.

use serde::{Deserialize, Serialize};

use super::EventLevel;
use crate::delivery::{MergedChange, OpenedPullRequest};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum DeliveryEvent {
    Merged(MergedChange),
    PullRequestOpened(OpenedPullRequest),
}

impl DeliveryEvent {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Merged(_) => "delivery.merged",
            Self::PullRequestOpened(_) => "delivery.pull_request_opened",
        }
    }

    pub(super) fn level(&self) -> EventLevel {
        EventLevel::Info
    }

    pub(super) fn summary(&self) -> String {
        match self {
            Self::Merged(merged) => format!("merged {} into {}", merged.branch, merged.into),
            Self::PullRequestOpened(opened) => {
                let kind = if opened.is_draft { "draft pull request" } else { "pull request" };
                format!("opened {kind} #{}: {}", opened.number, opened.url)
            }
        }
    }
}
