//! No tracker: an issue is what the person typed, and there is nowhere to send anything.

use amelia_core::tracker::{Issue, Tracker, TrackerAction, TrackerError};
use async_trait::async_trait;
use serde_json::Value;

/// Knows only the keys it is asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Noop;

const NAME: &str = "noop";

#[async_trait]
impl Tracker for Noop {
    async fn issue(&self, key: &str) -> Result<Issue, TrackerError> {
        let key = key.trim();
        if key.is_empty() {
            let detail = "describe the task instead".to_owned();
            return Err(TrackerError::NotFound { tracker: NAME.to_owned(), what: String::new(), detail });
        }
        // No made-up description: an agent would plan, and pay, for work that no one asked for.
        Ok(Issue {
            key: key.to_owned(),
            title: key.to_owned(),
            description: String::new(),
            status: "open (no tracker)".to_owned(),
        })
    }

    async fn search(&self, _: &str, _: usize) -> Result<Vec<Issue>, TrackerError> {
        let detail = "there is no tracker; choose one in the profile".to_owned();
        Err(TrackerError::Unsupported { tracker: NAME.to_owned(), detail })
    }

    async fn send(&self, what: &TrackerAction, _: &str) -> Result<Value, TrackerError> {
        let what = match what {
            TrackerAction::Comment { .. } => "a comment",
            TrackerAction::Progress { .. } => "a status",
            TrackerAction::PullRequest(_) => "a pull request",
        };
        let detail = format!("it cannot take {what}; choose a tracker in the profile");
        Err(TrackerError::Unsupported { tracker: NAME.to_owned(), detail })
    }

    async fn find(&self, _: &TrackerAction, _: &str) -> Result<Option<Value>, TrackerError> {
        // Nothing can have been sent.
        Ok(None)
    }
}
