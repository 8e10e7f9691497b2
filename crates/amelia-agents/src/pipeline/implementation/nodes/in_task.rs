//! A node that works on a task of the plan: when it cannot continue, the task has failed, and the log says so.

use amelia_core::event::{EventKind, TaskEvent};
use amelia_core::id::AgentName;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;

use super::planned_task;
use crate::pipeline::implementation::state::{Implementation, Update};

/// The node inside.
pub struct InTask<N>(pub N);

#[async_trait]
impl<N: Node<Implementation>> Node<Implementation> for InTask<N> {
    async fn run(&self, cx: &NodeCx, state: &Implementation) -> Result<Outcome<Update>, NodeError> {
        let done = self.0.run(cx, state).await;
        if let (Err(error), Some(task)) = (&done, planned_task(state)) {
            let failed = TaskEvent::Failed { task, error: error.problem.to_text() };
            // A log that cannot be written is a failure of its own, and the first one counts.
            cx.record(vec![cx.draft(&AgentName::system(), EventKind::Task(failed))]).await.ok();
        }
        done
    }
}
