//! A node whose agents the person may speak to, whether they were asked or not: what they said is known to all who come
//! later, also in the next task and in a fork. An agent hears words once, and others need them too.

use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;

use crate::pipeline::implementation::state::{Implementation, Update};
use crate::remark::remarks_to_all;

/// The node inside.
pub struct Hearing<N>(pub N);

#[async_trait]
impl<N: Node<Implementation>> Node<Implementation> for Hearing<N> {
    async fn run(&self, cx: &NodeCx, state: &Implementation) -> Result<Outcome<Update>, NodeError> {
        let mut updates = match self.0.run(cx, state).await? {
            Outcome::Done(updates) => updates,
            // The same visit resumes with the answer.
            wait @ Outcome::Wait(_) => return Ok(wait),
        };
        let place = match state.is_approved {
            true => format!("task {}", state.task.saturating_add(1)),
            false => "planning".to_owned(),
        };
        let said = remarks_to_all(cx.recorded().await?).into_iter().map(|remark| remark.said_in(&place));
        let said: Vec<_> =
            said.filter(|remark| !state.told.iter().any(|known| known.is_same(remark))).collect();
        if !said.is_empty() {
            updates.push(Update::Told(said));
        }
        Ok(Outcome::Done(updates))
    }
}

#[cfg(test)]
#[path = "hearing_tests.rs"]
mod tests;
