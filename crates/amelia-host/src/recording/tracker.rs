//! A tracker whose answers are kept, and one that is played.

use std::sync::Arc;

use amelia_core::recording::{Channel, FrameSource, Playback};
use amelia_core::redact::Redactor;
use amelia_core::tracker::{Issue, Tracker, TrackerAction, TrackerError};
use async_trait::async_trait;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{keep, play};

pub struct TapedTracker {
    pub inner: Arc<dyn Tracker>,
    pub channel: Channel,
    pub redactor: Arc<Redactor>,
}

impl TapedTracker {
    fn keep<T: Serialize + DeserializeOwned + Clone>(&self, method: &str, args: Value, answer: &T) {
        let answer = self.redactor.clean(answer.clone());
        keep(&self.channel, FrameSource::Tracker, method, self.redactor.clean(args), &answer);
    }
}

#[async_trait]
impl Tracker for TapedTracker {
    async fn issue(&self, key: &str) -> Result<Issue, TrackerError> {
        let answer = self.inner.issue(key).await;
        self.keep("issue", json!(key), &answer);
        answer
    }

    async fn send(&self, what: &TrackerAction, marker: &str) -> Result<Value, TrackerError> {
        let answer = self.inner.send(what, marker).await;
        self.keep("send", json!(what), &answer);
        answer
    }

    async fn find(&self, what: &TrackerAction, marker: &str) -> Result<Option<Value>, TrackerError> {
        let answer = self.inner.find(what, marker).await;
        self.keep("find", json!(what), &answer);
        answer
    }

    async fn pull_request_diff(&self, number: u64) -> Result<String, TrackerError> {
        let answer = self.inner.pull_request_diff(number).await;
        self.keep("pull_request_diff", json!(number), &answer);
        answer
    }
}

pub struct PlayedTracker {
    pub playback: Arc<Playback>,
    pub channel: Channel,
}

impl PlayedTracker {
    async fn play<T: DeserializeOwned>(&self, method: &str, args: Value) -> T {
        play(&self.playback, &self.channel, FrameSource::Tracker, method, &args).await
    }
}

#[async_trait]
impl Tracker for PlayedTracker {
    async fn issue(&self, key: &str) -> Result<Issue, TrackerError> {
        self.play("issue", json!(key)).await
    }

    async fn send(&self, what: &TrackerAction, _: &str) -> Result<Value, TrackerError> {
        self.play("send", json!(what)).await
    }

    async fn find(&self, what: &TrackerAction, _: &str) -> Result<Option<Value>, TrackerError> {
        self.play("find", json!(what)).await
    }

    async fn pull_request_diff(&self, number: u64) -> Result<String, TrackerError> {
        self.play("pull_request_diff", json!(number)).await
    }
}
