//! A node beside others of its kind: it sees the task of its lane as the current one, works in that lane's part, and
//! what it changes is changed there. A lane without a task, or with one that is done, is passed through.

use std::sync::Arc;

use amelia_core::event::run::WORKTREE_LOST;
use amelia_core::human::HumanRequest;
use amelia_core::problem::Problem;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::pipeline::implementation::deps::{Deps, broken};
use crate::pipeline::implementation::state::lanes::{Lane, LaneChange};
use crate::pipeline::implementation::state::{Implementation, Update};

/// A node in a lane.
pub struct InLane<N> {
    pub lane: u32,
    pub deps: Arc<Deps>,
    pub node: fn(Arc<Deps>) -> N,
}

#[async_trait]
impl<N: Node<Implementation>> Node<Implementation> for InLane<N> {
    async fn run(&self, cx: &NodeCx, state: &Implementation) -> Result<Outcome<Update>, NodeError> {
        let Some(lane) = state.lanes.open.get(&self.lane).filter(|lane| lane.done.is_none()) else {
            return Ok(Outcome::Done(Vec::new()));
        };
        let deps = Deps { place: part(cx, &self.deps, lane).await?, ..(*self.deps).clone() };
        let done = (self.node)(Arc::new(deps)).run(cx, &state.seen_from(lane)).await;
        match done {
            Ok(Outcome::Done(updates)) => {
                let inside =
                    |update| Update::Lanes(LaneChange::In { lane: self.lane, update: Box::new(update) });
                Ok(Outcome::Done(updates.into_iter().map(inside).collect()))
            }
            Ok(Outcome::Wait(requests)) => {
                Ok(Outcome::Wait(requests.into_iter().map(|request| named(request, lane)).collect()))
            }
            Err(error) => {
                let problem = error.problem.about(format!("task {}", lane.id));
                Err(NodeError { problem, ..error })
            }
        }
    }
}

/// Where the task of a lane is worked on.
pub(super) async fn part(
    cx: &NodeCx,
    deps: &Deps,
    lane: &Lane,
) -> Result<Arc<dyn amelia_core::workplace::Workplace>, NodeError> {
    deps.place.part(&lane.part()).await.map_err(broken)?.ok_or_else(|| gone(cx, lane))
}

/// The worktree of a lane was removed; the command that makes it anew is named.
pub(super) fn gone(cx: &NodeCx, lane: &Lane) -> NodeError {
    let (run, task) = (cx.run(), &lane.id);
    let problem = Problem::new(format!(
        "the worktree of task {task} is gone, and uncommitted changes with it"
    ))
    .with_hint(format!(
        "`amelia worktree restore {run}` creates it again from the commits of its branch; or cancel the run"
    ));
    NodeError::new(WORKTREE_LOST, problem)
}

/// Several tasks may ask at once: a question says which one it is about.
fn named(request: HumanRequest, lane: &Lane) -> HumanRequest {
    let mut context = request.context;
    match &mut context {
        Value::Object(fields) => {
            fields.insert("task".to_owned(), json!(lane.id));
        }
        Value::Null => context = json!({"task": lane.id}),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {}
    }
    HumanRequest { prompt: format!("task {}: {}", lane.id, request.prompt), context, ..request }
}

#[cfg(test)]
#[path = "lane_tests.rs"]
mod tests;
