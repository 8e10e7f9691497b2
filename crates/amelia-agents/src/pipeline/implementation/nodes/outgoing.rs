//! What is sent to a tracker, at most once. Which things, and when, the nodes decide.

use std::sync::Arc;

use amelia_core::effect::Effect;
use amelia_core::id::AgentName;
use amelia_core::problem::Problem;
use amelia_core::tracker::{Tracker, TrackerAction};
use amelia_graph::effect::{EffectProvider, Intent, perform};
use amelia_graph::node::{NodeCx, NodeError};
use async_trait::async_trait;
use serde_json::Value;

/// Sends `what`, unless an earlier try of this visit has; `key` names it in the ledger.
pub(super) async fn send(
    cx: &NodeCx,
    tracker: &Arc<dyn Tracker>,
    key: &str,
    issue: &str,
    what: &TrackerAction,
) -> Result<Value, NodeError> {
    let content = serde_json::to_vec(what).unwrap_or_default();
    let kind = format!("tracker.{key}");
    let intent = Intent { key, kind: &kind, target: issue, content: &content };
    let sender = Sender { tracker: Arc::clone(tracker), what: what.clone() };
    perform(cx, &AgentName::system(), intent, &sender).await
}

struct Sender {
    tracker: Arc<dyn Tracker>,
    what: TrackerAction,
}

#[async_trait]
impl EffectProvider for Sender {
    async fn perform(&self, effect: &Effect) -> Result<Value, Problem> {
        self.tracker.send(&self.what, &effect.id.to_string()).await.map_err(Problem::from)
    }

    async fn probe(&self, effect: &Effect) -> Result<Option<Value>, Problem> {
        self.tracker.find(&self.what, &effect.id.to_string()).await.map_err(Problem::from)
    }
}
