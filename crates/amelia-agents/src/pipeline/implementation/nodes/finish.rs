//! What is done outside at the end, each at most once, and only what the profile asks for.

use std::sync::Arc;

use amelia_core::delivery::OpenedPullRequest;
use amelia_core::effect::Effect;
use amelia_core::event::{DeliveryEvent, EventKind, SystemEvent};
use amelia_core::id::AgentName;
use amelia_core::message::Object;
use amelia_core::problem::Problem;
use amelia_core::text::squeezed;
use amelia_core::tracker::{IssueProgress, PullRequest, TrackerAction};
use amelia_core::workplace::Workplace;
use amelia_graph::effect::{EffectProvider, Intent, perform};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use serde_json::{Value, json};

use super::{note, outgoing, unfollowed};
use crate::pipeline::implementation::deps::Deps;
use crate::pipeline::implementation::state::pull_request;
use crate::pipeline::implementation::state::summary::summary;
use crate::pipeline::implementation::state::{Implementation, Update};

pub struct FinishNode(pub Arc<Deps>);

#[async_trait]
impl Node<Implementation> for FinishNode {
    async fn run(&self, cx: &NodeCx, state: &Implementation) -> Result<Outcome<Update>, NodeError> {
        let Self(deps) = self;
        let wanted = deps.profile.finish;
        let has_commits = state.commits.iter().any(|commit| commit.commit.is_some());
        let issue = state.issue.clone().map(|issue| issue.key).unwrap_or_default();
        if wanted.push && has_commits {
            let pushed = self.push(cx).await?;
            if wanted.pull_request {
                let head = pushed.get("branch").and_then(Value::as_str).unwrap_or_default().to_owned();
                let body = pull_request::sections(state).body(None);
                let request = PullRequest { title: title(state), body, head, base: None, is_draft: false };
                let action = TrackerAction::PullRequest(request.clone());
                let receipt = self.send(cx, "pull_request", &issue, &action).await?;
                let opened = OpenedPullRequest::of_receipt(&request, &receipt);
                note(cx, EventKind::Delivery(DeliveryEvent::PullRequestOpened(opened)));
            }
        }
        if wanted.comment {
            let text = summary(state);
            self.send(cx, "comment", &issue, &TrackerAction::Comment { issue: issue.clone(), text }).await?;
        }
        if wanted.status {
            let done = TrackerAction::Progress { issue: issue.clone(), to: IssueProgress::Done };
            self.send(cx, "status", &issue, &done).await?;
        }
        for item in &state.deferred {
            let message = format!("deferred: {} ({})", item.title, item.reason);
            note(cx, EventKind::System(SystemEvent::Warned { message, details: Object::new() }));
        }
        for words in unfollowed(cx, deps, state).await? {
            let message = format!("no Developer has seen what you said: {}", squeezed(&words));
            note(cx, EventKind::System(SystemEvent::Warned { message, details: Object::new() }));
        }
        Ok(Outcome::Done(Vec::new()))
    }
}

impl FinishNode {
    async fn push(&self, cx: &NodeCx) -> Result<Value, NodeError> {
        let branch = self.0.place.branch().unwrap_or_default().to_owned();
        let intent = Intent { key: "push", kind: "git.push", target: &branch, content: branch.as_bytes() };
        perform(cx, &AgentName::system(), intent, &Push(Arc::clone(&self.0.place))).await
    }

    async fn send(
        &self,
        cx: &NodeCx,
        key: &str,
        issue: &str,
        what: &TrackerAction,
    ) -> Result<Value, NodeError> {
        outgoing::send(cx, &self.0.tracker, key, issue, what).await
    }
}

/// Pushing the same branch again is the same push.
struct Push(Arc<dyn Workplace>);

#[async_trait]
impl EffectProvider for Push {
    async fn perform(&self, _: &Effect) -> Result<Value, Problem> {
        let pushed = self.0.push().await.map_err(Problem::from)?;
        Ok(json!(pushed))
    }

    async fn probe(&self, _: &Effect) -> Result<Option<Value>, Problem> {
        Ok(None)
    }
}

fn title(state: &Implementation) -> String {
    state.issue.as_ref().map(|issue| issue.title.clone()).unwrap_or_default()
}
