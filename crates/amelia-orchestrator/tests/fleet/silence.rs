//! A question with a deadline is answered by silence, by the process that asked and by the one after it.

use std::sync::Arc;

use amelia_agents::live::Live;
use amelia_core::event::run::RunFailure;
use amelia_core::human::{HumanAction, HumanKind, HumanRequest, OnTimeout};
use amelia_core::recording::Tape;
use amelia_core::run::RunStatus;
use amelia_core::view::RunRow;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use amelia_orchestrator::orchestrator::{Assembler, RunnableGraph};
use async_trait::async_trait;
use jiff::SignedDuration;

use crate::toy::{Nothing, Toy};
use crate::world::World;

/// Asks, and continues only after silence.
struct Patient;

#[async_trait]
impl Node<Nothing> for Patient {
    async fn run(&self, cx: &NodeCx, _: &Nothing) -> Result<Outcome<()>, NodeError> {
        let Some(answered) = cx.answered() else {
            let deadline = cx.now().checked_add(SignedDuration::from_millis(50)).ok();
            let request = cx.request(HumanKind::Question, "anything to add?");
            return Ok(Outcome::ask(HumanRequest { deadline, on_timeout: OnTimeout::Approve, ..request }));
        };
        match answered.reply.action {
            HumanAction::TimedOut if answered.is_approval() => Ok(Outcome::Done(Vec::new())),
            _ => Err(NodeError::new("answered", "silence was expected")),
        }
    }
}

#[derive(Default)]
struct Toys;

#[async_trait]
impl Assembler for Toys {
    async fn assemble(
        &self,
        _: &RunRow,
        _: Live,
        _: Arc<dyn Tape>,
    ) -> Result<Box<dyn RunnableGraph>, RunFailure> {
        Ok(Toy::boxed(Patient))
    }
}

fn has_ended(status: RunStatus) -> bool {
    status.is_final() || matches!(status, RunStatus::Failed)
}

#[tokio::test]
async fn a_question_is_answered_by_silence_when_its_time_is_over() {
    let world = World::<Toys>::new(2);
    let run = world.start("patient").await;
    assert_eq!(world.until(run, has_ended).await.view.status, RunStatus::Completed);
}

#[tokio::test]
async fn a_deadline_that_passed_while_no_process_was_there_counts_at_the_next_start() {
    let first = World::<Toys>::new(2);
    let run = first.start("patient").await;
    first.until(run, |status| matches!(status, RunStatus::Waiting(_))).await;
    first.all.close().await;
    let second = World::<Toys>::on(Arc::clone(&first.store), 2);
    second.all.recover().await.unwrap();
    assert_eq!(second.until(run, has_ended).await.view.status, RunStatus::Completed);
}
