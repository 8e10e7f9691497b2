//! Which tracker a profile means.

use std::sync::Arc;

use amelia_core::config::profile::{Profile, TrackerType};
use amelia_core::run::Place;
use amelia_core::tracker::{Issue, Outgoing, Tracker, TrackerError};
use anyhow::Result;
use async_trait::async_trait;
use serde_json::Value;

use crate::refusal::{Exit, Refusal};

/// The tracker of a profile.
pub(crate) async fn tracker(profile: &Profile, _: &Place) -> Result<Arc<dyn Tracker>> {
    match profile.tracker {
        TrackerType::Noop => Ok(Arc::new(Nobody)),
        TrackerType::Github | TrackerType::Jira => {
            let message = "this version has no tracker but `noop`\n  hint: give --title and --description";
            Err(Refusal::new(Exit::Usage, message).into())
        }
    }
}

/// No tracker: an issue is what the person typed.
struct Nobody;

#[async_trait]
impl Tracker for Nobody {
    async fn issue(&self, key: &str) -> Result<Issue, TrackerError> {
        let (key, title) = (key.to_owned(), key.to_owned());
        Ok(Issue { key, title, description: String::new(), status: "open".to_owned() })
    }

    async fn send(&self, _: &Outgoing, _: &str) -> Result<Value, TrackerError> {
        Err(unsupported())
    }

    async fn find(&self, _: &Outgoing, _: &str) -> Result<Option<Value>, TrackerError> {
        Ok(None)
    }
}

fn unsupported() -> TrackerError {
    let detail = "the profile has no tracker to write to".to_owned();
    TrackerError::Unsupported { tracker: "noop".to_owned(), detail }
}
