//! Issues and designs: what work starts from.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::problem::{Hinted, Problem};

/// An issue or ticket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    /// As the tracker writes it: `PROJ-12`, `#34`.
    pub key: String,
    pub title: String,
    pub description: String,
    pub status: String,
}

/// A design document: raw text, and the sections that were recognised in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Design {
    pub content: String,
    /// Where it came from: `import`, `file`, `brainstorm`, …
    pub source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sections: Option<DesignSections>,
}

/// The structure a design may have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DesignSections {
    pub title: String,
    pub goal: String,
    pub architecture: String,
    pub tech_stack: Vec<String>,
    pub components: Vec<String>,
    pub data_flow: Option<String>,
    pub error_handling: Option<String>,
    pub testing_strategy: Option<String>,
    pub relevant_files: Vec<String>,
    pub conventions: Option<String>,
}

/// Something for a tracker to do. Goes through the effect ledger, with its id as a marker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrackerAction {
    Comment {
        issue: String,
        text: String,
    },
    /// The issue is being worked on, or done.
    Progress {
        issue: String,
        to: IssueProgress,
    },
    PullRequest(PullRequest),
}

/// How far the work on an issue has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IssueProgress {
    Started,
    Done,
}

/// A pull request that is to be opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullRequest {
    pub title: String,
    pub body: String,
    /// The branch with the work.
    pub head: String,
    /// The branch it goes into; the repository's default unless specified.
    pub base: Option<String>,
    #[serde(default)]
    pub is_draft: bool,
}

/// How a pull request stands at its host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullRequestState {
    pub number: u64,
    pub url: String,
    pub title: String,
    pub status: PullRequestStatus,
    /// The branch it goes into.
    pub base: String,
    /// Nothing when the host has not found out yet.
    pub has_conflicts: Option<bool>,
    /// Of the newest commit.
    pub checks: Vec<PullRequestCheck>,
    /// The last word of each reviewer.
    pub reviews: Vec<PullRequestReview>,
    /// Once it is merged.
    pub merge_commit: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PullRequestStatus {
    Draft,
    Open,
    Merged,
    Closed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullRequestCheck {
    pub name: String,
    pub outcome: PullRequestCheckOutcome,
    pub url: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PullRequestCheckOutcome {
    Running,
    Passed,
    Failed,
    Skipped,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullRequestReview {
    pub author: String,
    pub verdict: PullRequestVerdict,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PullRequestVerdict {
    Approved,
    ChangesRequested,
    Commented,
    Dismissed,
}

/// Why a tracker did not do it, by what can be done about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum TrackerError {
    #[error("{tracker} has no `{what}`{}", after_colon(detail))]
    NotFound { tracker: String, what: String, detail: String },
    #[error("{tracker} refused the credentials: {detail}")]
    Unauthorised { tracker: String, detail: String, hint: String },
    #[error("{tracker} does not allow this: {detail}")]
    Forbidden { tracker: String, detail: String, hint: String },
    #[error("{tracker} allows no more requests for {seconds} s: {detail}")]
    Limited { tracker: String, seconds: u64, detail: String },
    #[error("{tracker} is not available: {detail}")]
    Unavailable { tracker: String, detail: String },
    #[error("{tracker} refused the request: {detail}")]
    Refused { tracker: String, detail: String },
    #[error("{tracker} cannot do this: {detail}")]
    Unsupported { tracker: String, detail: String },
    /// Configuration that cannot work.
    #[error("{0}")]
    Setup(Problem),
}

impl Hinted for TrackerError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Unauthorised { hint, .. } | Self::Forbidden { hint, .. } => Some(hint.clone()),
            Self::Setup(problem) => problem.hint.clone(),
            Self::NotFound { .. }
            | Self::Limited { .. }
            | Self::Unavailable { .. }
            | Self::Refused { .. }
            | Self::Unsupported { .. } => None,
        }
    }
}

fn after_colon(detail: &str) -> String {
    if detail.is_empty() { String::new() } else { format!(": {detail}") }
}

/// Where issues come from and results go to.
#[async_trait]
pub trait Tracker: Send + Sync {
    /// The issue of this key, with its description as Markdown.
    async fn issue(&self, key: &str) -> Result<Issue, TrackerError>;

    /// Does it, with `marker` in it, and returns a receipt: an id, a URL.
    async fn send(&self, what: &TrackerAction, marker: &str) -> Result<Value, TrackerError>;

    /// The receipt of what was sent with `marker`, if it was.
    async fn find(&self, what: &TrackerAction, marker: &str) -> Result<Option<Value>, TrackerError>;

    /// At most so many open issues: with words, those whose titles have all of them, and the one whose key they are;
    /// without, the newest. Descriptions are without comments.
    async fn search(&self, words: &str, most: usize) -> Result<Vec<Issue>, TrackerError> {
        let detail = format!("it has no list of {most} issues with `{words}`");
        Err(TrackerError::Unsupported { tracker: "this tracker".to_owned(), detail })
    }

    /// How a pull request stands.
    async fn pull_request(&self, number: u64) -> Result<PullRequestState, TrackerError> {
        let detail = format!("it has no pull request {number}: it keeps no code");
        Err(TrackerError::Unsupported { tracker: "this tracker".to_owned(), detail })
    }

    /// The changes of a pull request, as a diff.
    async fn pull_request_diff(&self, number: u64) -> Result<String, TrackerError> {
        let detail = format!("it has no pull request {number}: it keeps no code");
        Err(TrackerError::Unsupported { tracker: "this tracker".to_owned(), detail })
    }
}
