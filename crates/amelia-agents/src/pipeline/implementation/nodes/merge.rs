//! What was done at the same time becomes one: part by part, in the order of the plan. The first that does not fit goes
//! back to its Developer, and those behind it wait.

use std::sync::Arc;

use amelia_core::event::task::TaskRef;
use amelia_core::event::{EventKind, SystemEvent, TaskEvent};
use amelia_core::message::Object;
use amelia_core::workplace::MergeOutcome as Merged;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;

use super::lane::part;
use super::{note, note_task, task_ref};
use crate::pipeline::implementation::deps::{Deps, broken};
use crate::pipeline::implementation::state::lanes::{Lane, LaneChange};
use crate::pipeline::implementation::state::{Implementation, TaskCommit, Update};

pub struct MergeNode(pub Arc<Deps>);

#[async_trait]
impl Node<Implementation> for MergeNode {
    async fn run(&self, cx: &NodeCx, state: &Implementation) -> Result<Outcome<Update>, NodeError> {
        let mut updates = Vec::new();
        for (number, lane) in &state.lanes.open {
            let lane_number = *number;
            let task = task_ref(&state.seen_from(lane))?;
            let commit = match self.merge(cx, lane, &task).await? {
                Merged::Made { commit } => Some(commit),
                Merged::Nothing => None,
                Merged::Conflict { files } => {
                    let message =
                        format!("task {} conflicts with a parallel task: {}", task.id, files.join(", "));
                    note(cx, EventKind::System(SystemEvent::Warned { message, details: Object::new() }));
                    updates.push(Update::Lanes(LaneChange::Conflicted { lane: lane_number }));
                    break;
                }
            };
            note_task(cx, TaskEvent::Completed(task.clone()));
            let done = lane.done.clone().unwrap_or_else(|| TaskCommit::new(&task, None));
            let commit = TaskCommit { commit, own: Vec::new(), ..done };
            updates.push(Update::Lanes(LaneChange::Merged { lane: lane_number, commit }));
        }
        Ok(Outcome::Done(updates))
    }
}

impl MergeNode {
    async fn merge(&self, cx: &NodeCx, lane: &Lane, task: &TaskRef) -> Result<Merged, NodeError> {
        let Self(deps) = self;
        let part = part(cx, deps, lane).await?;
        let message = format!("Merge task {}: {}", task.id, task.title);
        let marker = format!("{} merge {}", cx.run(), task.id);
        deps.place.merge(&*part, &message, &marker).await.map_err(broken)
    }
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
