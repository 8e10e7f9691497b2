//! Issues in one place and pull requests in another: Jira beside a repository on GitHub.

use amelia_core::tracker::{Issue, Tracker, TrackerAction, TrackerError};
use async_trait::async_trait;
use serde_json::Value;

/// Two trackers as one: everything about issues goes to the first, everything about code to the second.
pub struct Paired<I, C> {
    pub issues: I,
    pub code: C,
}

impl<I: Tracker, C: Tracker> Paired<I, C> {
    fn of(&self, what: &TrackerAction) -> &dyn Tracker {
        match what {
            TrackerAction::Comment { .. } | TrackerAction::Progress { .. } => &self.issues,
            TrackerAction::PullRequest(_) => &self.code,
        }
    }
}

#[async_trait]
impl<I: Tracker, C: Tracker> Tracker for Paired<I, C> {
    async fn issue(&self, key: &str) -> Result<Issue, TrackerError> {
        self.issues.issue(key).await
    }

    async fn search(&self, words: &str, most: usize) -> Result<Vec<Issue>, TrackerError> {
        self.issues.search(words, most).await
    }

    async fn send(&self, what: &TrackerAction, marker: &str) -> Result<Value, TrackerError> {
        self.of(what).send(what, marker).await
    }

    async fn find(&self, what: &TrackerAction, marker: &str) -> Result<Option<Value>, TrackerError> {
        self.of(what).find(what, marker).await
    }

    async fn pull_request_diff(&self, number: u64) -> Result<String, TrackerError> {
        self.code.pull_request_diff(number).await
    }
}
