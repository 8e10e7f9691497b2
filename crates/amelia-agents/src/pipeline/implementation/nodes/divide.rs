//! Makes the parts in which tasks are worked on at the same time, all from the same commit. A task that did not fit to
//! the others gets another part, in which what does not fit is marked.

use std::sync::Arc;

use amelia_core::workplace::{CommitOutcome, ConflictedMerge};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use futures_util::future::try_join_all;

use super::commit::refused;
use super::lane::gone;
use crate::pipeline::implementation::deps::{Deps, broken, lanes};
use crate::pipeline::implementation::state::lanes::{Lane, LaneChange};
use crate::pipeline::implementation::state::{Implementation, Update};

pub struct DivideNode(pub Arc<Deps>);

#[async_trait]
impl Node<Implementation> for DivideNode {
    async fn run(&self, cx: &NodeCx, state: &Implementation) -> Result<Outcome<Update>, NodeError> {
        if state.lanes.open.is_empty() {
            return self.begin(cx, state).await;
        }
        let mut updates = Vec::new();
        for (number, lane) in state.lanes.open.iter().filter(|(_, lane)| lane.is_conflicted()) {
            let conflict = self.start_conflicted_merge(cx, lane).await?;
            updates.push(Update::Lanes(LaneChange::Torn { lane: *number, conflict }));
        }
        Ok(Outcome::Done(updates))
    }
}

impl DivideNode {
    async fn begin(&self, cx: &NodeCx, state: &Implementation) -> Result<Outcome<Update>, NodeError> {
        let Self(deps) = self;
        if cx.answered().is_some_and(|answered| !answered.is_approval()) {
            return Err(NodeError::new("commit_refused", "a person stopped the run: the commit is rejected"));
        }
        // The plan and everything else there belongs to all of them; and parts are merged into a clean tree.
        let key = state.issue.as_ref().map(|issue| issue.key.as_str()).unwrap_or_default();
        let message = if key.is_empty() { "docs: plan".to_owned() } else { format!("docs({key}): plan") };
        let marker = format!("{} before task {}", cx.run(), state.task);
        if let CommitOutcome::Refused { output, by } =
            deps.place.commit(&message, &marker).await.map_err(broken)?
        {
            return Ok(Outcome::ask(refused(cx, deps, &output, by)));
        }
        let places = state.batch(lanes(&deps.profile));
        let mut after = state.clone();
        amelia_graph::state::State::apply(&mut after, Update::Lanes(LaneChange::Divided(places.clone())));
        let mut parts = Vec::new();
        for lane in after.lanes.open.values() {
            parts.push(deps.place.branch_off(&lane.part()).await.map_err(broken)?);
        }
        try_join_all(parts.iter().map(|part| part.prepare())).await.map_err(broken)?;
        Ok(Outcome::Done(vec![Update::Lanes(LaneChange::Divided(places))]))
    }

    /// Another part from where the others are, with the task's own commits on top, as far as they fit.
    async fn start_conflicted_merge(&self, cx: &NodeCx, lane: &Lane) -> Result<ConflictedMerge, NodeError> {
        let Self(deps) = self;
        let before = lane.part_before().ok_or_else(|| gone(cx, lane))?;
        let before = deps.place.part(&before).await.map_err(broken)?.ok_or_else(|| gone(cx, lane))?;
        let part = deps.place.branch_off(&lane.part()).await.map_err(broken)?;
        part.prepare().await.map_err(broken)?;
        let conflict = part.start_conflicted_merge(&*before).await.map_err(broken)?;
        Ok(deps.roles.developer.redactor.clean(conflict))
    }
}

#[cfg(test)]
#[path = "divide_tests.rs"]
mod tests;
