//! Fetches the issue, makes the workplace ready, tells the tracker that work has begun, and fixes where the plan will be.

use std::sync::Arc;

use amelia_core::attachment::{Attachment, listed};
use amelia_core::plan::check::check;
use amelia_core::text::capped;
use amelia_core::tracker::{Issue, IssueProgress, TrackerAction, TrackerError};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;

use super::outgoing::send;
use crate::pipeline::implementation::deps::{Deps, broken};
use crate::pipeline::implementation::state::{Implementation, PlanDraft, Update};

/// Text of an issue that is read; more is cut, and said.
const LARGEST_ISSUE: usize = 200_000;
const LARGEST_TITLE: usize = 2000;

pub struct StartNode(pub Arc<Deps>);

#[async_trait]
impl Node<Implementation> for StartNode {
    async fn run(&self, cx: &NodeCx, state: &Implementation) -> Result<Outcome<Update>, NodeError> {
        let Self(deps) = self;
        let issue = self.issue(state).await.map_err(|error| NodeError::new(code(&error), error))?;
        deps.place.prepare().await.map_err(broken)?;
        if deps.profile.finish.status && !issue.key.is_empty() {
            let started = TrackerAction::Progress { issue: issue.key.clone(), to: IssueProgress::Started };
            send(cx, &deps.tracker, "started", &issue.key, &started).await?;
        }
        let date = cx.now().strftime("%Y-%m-%d").to_string();
        let name = file_name(if issue.key.is_empty() { &issue.title } else { &issue.key });
        let plan_path = deps.profile.plan_path().replace("{date}", &date).replace("{issue_key}", &name);
        let draft = state
            .wanted
            .plan
            .as_ref()
            .map(|markdown| PlanDraft { plan: check(markdown).0, markdown: markdown.clone() });
        if let Some(draft) = &draft {
            deps.write_plan(&plan_path, &draft.markdown).await?;
        }
        Ok(Outcome::Done(vec![Update::Started { issue, plan_path, draft }]))
    }
}

impl StartNode {
    async fn issue(&self, state: &Implementation) -> Result<Issue, TrackerError> {
        let wanted = &state.wanted;
        let issue = match &wanted.title {
            Some(title) => Issue {
                key: wanted.issue.clone(),
                title: title.clone(),
                description: wanted.description.clone().unwrap_or_default(),
                status: "open".to_owned(),
            },
            None => self.0.tracker.issue(&wanted.issue).await?,
        };
        Ok(Issue {
            title: capped(&issue.title, LARGEST_TITLE),
            description: described(&capped(&issue.description, LARGEST_ISSUE), &wanted.attachments),
            ..issue
        })
    }
}

/// The description of an issue, with the list of its files at the end.
fn described(text: &str, attachments: &[Attachment]) -> String {
    let list = listed(attachments);
    let parts = [text.trim_end(), &list].into_iter().filter(|part| !part.is_empty());
    match list.is_empty() {
        true => text.to_owned(),
        false => parts.collect::<Vec<_>>().join("\n\n"),
    }
}

/// A key as a part of a file name: `#12` and `PROJ/1` are not.
fn file_name(key: &str) -> String {
    let safe: String = key
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' })
        .collect();
    let safe = safe.trim_matches('-');
    if safe.is_empty() { "issue".to_owned() } else { safe.chars().take(64).collect() }
}

fn code(error: &TrackerError) -> &'static str {
    match error {
        TrackerError::NotFound { .. } => "issue_not_found",
        TrackerError::Unauthorised { .. } => "tracker_unauthorised",
        TrackerError::Forbidden { .. } => "tracker_forbidden",
        TrackerError::Limited { .. } => "tracker_limited",
        TrackerError::Unavailable { .. } => "tracker_unavailable",
        TrackerError::Refused { .. } => "tracker_refused",
        TrackerError::Unsupported { .. } => "tracker_unsupported",
        TrackerError::Setup(_) => "tracker_setup",
    }
}

#[cfg(test)]
#[path = "start_tests.rs"]
mod tests;
