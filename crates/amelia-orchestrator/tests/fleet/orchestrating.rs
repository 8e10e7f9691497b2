//! Many runs at once: who starts, who waits, who is answered, cancelled, and found again after the end of a process.

use std::sync::Arc;

use amelia_agents::live::Live;
use amelia_core::event::run::RunFailure;
use amelia_core::event::system::HealthStatus;
use amelia_core::event::{EventKind, SystemEvent};
use amelia_core::human::HumanKind;
use amelia_core::id::Seq;
use amelia_core::object::Object;
use amelia_core::recording::Tape;
use amelia_core::run::{RunLocation, RunSpec, RunStatus};
use amelia_core::store::Store as _;
use amelia_core::view::RunRow;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use amelia_orchestrator::orchestrator::{Assembler, CommandError, RunnableGraph, StartMode};
use async_trait::async_trait;
use tokio::sync::Semaphore;

use crate::toy::{Nothing, Toy};
use crate::world::yes;

/// Asks first, then works until the gate lets it through.
struct Asks(Arc<Semaphore>);

#[async_trait]
impl Node<Nothing> for Asks {
    async fn run(&self, cx: &NodeCx, _: &Nothing) -> Result<Outcome<()>, NodeError> {
        if cx.answered().is_none() {
            return Ok(Outcome::ask(cx.request(HumanKind::Approval, "go?")));
        }
        let permit = self.0.acquire().await.unwrap();
        permit.forget();
        Ok(Outcome::Done(vec![]))
    }
}

/// Works until the gate lets it through.
struct Works(Arc<Semaphore>);

#[async_trait]
impl Node<Nothing> for Works {
    async fn run(&self, _: &NodeCx, _: &Nothing) -> Result<Outcome<()>, NodeError> {
        self.0.acquire().await.unwrap().forget();
        Ok(Outcome::Done(vec![]))
    }
}

/// Assembles by the run's title: `asks`, `works`, or nothing at all.
struct Toys(Arc<Semaphore>);

#[async_trait]
impl Assembler for Toys {
    async fn assemble(
        &self,
        row: &RunRow,
        _: Live,
        _: Arc<dyn Tape>,
    ) -> Result<Box<dyn RunnableGraph>, RunFailure> {
        let gate = Arc::clone(&self.0);
        match row.run.spec.title.as_str() {
            "asks" => Ok(Toy::boxed(Asks(gate))),
            "works" => Ok(Toy::boxed(Works(gate))),
            _ => {
                let message = "no such toy".to_owned();
                Err(RunFailure { code: "setup".to_owned(), message, node: None })
            }
        }
    }
}

type World = crate::world::World<Toys>;

impl Default for Toys {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(0)))
    }
}

#[tokio::test]
async fn no_more_runs_are_at_work_than_there_is_room_for_and_the_next_starts_by_itself() {
    let world = World::new(2);
    let mut runs = Vec::new();
    for _ in 0..4 {
        runs.push(world.start("works").await);
    }
    world.until(runs[1], |status| status == RunStatus::Running).await;
    assert_eq!(world.all.load(), (2, 2));
    assert_eq!(world.row(runs[2]).await.view.status, RunStatus::Pending);
    world.toys.0.add_permits(4);
    for run in runs {
        world.until(run, |status| status == RunStatus::Completed).await;
    }
}

#[tokio::test]
async fn with_a_hundred_at_work_further_runs_start_first_come_first_served() {
    const ROOM: usize = 100;
    const MORE: usize = 20;
    let world = World::new(ROOM);
    let mut runs = Vec::new();
    for _ in 0..ROOM + MORE {
        runs.push(world.start("works").await);
    }
    let (at_work, waiting) = runs.split_at(ROOM);
    for run in at_work {
        world.until(*run, |status| status == RunStatus::Running).await;
    }
    assert_eq!(world.all.load(), (ROOM, MORE));
    for run in waiting {
        assert_eq!(world.status(*run).await, RunStatus::Pending);
    }
    for (place, run) in waiting.iter().enumerate() {
        // One ends, whichever it is, and the first in line starts in its place.
        world.toys.0.add_permits(1);
        world.until(*run, |status| status != RunStatus::Pending).await;
        assert_eq!(world.all.load(), (ROOM, MORE - place - 1));
        for later in waiting.iter().skip(place + 1) {
            assert_eq!(world.status(*later).await, RunStatus::Pending, "place {place}");
        }
    }
    world.toys.0.add_permits(ROOM);
    for run in runs {
        world.until(run, |status| status == RunStatus::Completed).await;
    }
}

#[tokio::test]
async fn a_run_that_was_only_created_waits_to_be_told() {
    let world = World::new(2);
    let run = world.all.start(World::spec("works"), StartMode::Told).await.unwrap();
    assert_eq!(world.all.load(), (0, 0));
    world.all.launch(run).await.unwrap();
    world.until(run, |status| status == RunStatus::Running).await;
    assert_eq!(world.all.launch(run).await, Err(CommandError::AlreadyStarted(run)));
}

#[tokio::test]
async fn an_answer_is_taken_once_and_returns_before_the_work_is_done() {
    let world = World::new(1);
    let run = world.start("asks").await;
    let request = world.question(run).await;
    let (one, two) = tokio::join!(world.all.reply(run, yes(request)), world.all.reply(run, yes(request)));
    let taken = [&one, &two].into_iter().filter(|answer| answer.is_ok()).count();
    assert_eq!(taken, 1, "{one:?} {two:?}");
    world.until(run, |status| status == RunStatus::Running).await;
    assert!(world.all.reply(run, yes(request)).await.is_err());
    world.toys.0.add_permits(1);
    world.until(run, |status| status == RunStatus::Completed).await;
    assert_eq!(world.all.reply(run, yes(request)).await, Err(CommandError::Ended(run)));
}

#[tokio::test]
async fn cancel_works_in_every_state() {
    let world = World::new(1);
    let working = world.start("works").await;
    world.until(working, |status| status == RunStatus::Running).await;
    let queued = world.start("works").await;
    let told = world.all.start(World::spec("works"), StartMode::Told).await.unwrap();
    let failed = world.all.start(World::spec("nonsense"), StartMode::Told).await.unwrap();
    for run in [queued, told, working] {
        world.all.cancel(run).await.unwrap();
        assert_eq!(world.row(run).await.view.status, RunStatus::Cancelled);
        assert_eq!(world.all.cancel(run).await, Err(CommandError::Ended(run)));
    }
    world.all.launch(failed).await.unwrap();
    world.until(failed, |status| status == RunStatus::Failed).await;
    world.all.cancel(failed).await.unwrap();
    let waiting = world.start("asks").await;
    world.question(waiting).await;
    world.all.cancel(waiting).await.unwrap();
    let row = world.row(waiting).await;
    assert_eq!((row.view.status, row.view.pending.len()), (RunStatus::Cancelled, 0));
}

#[tokio::test]
async fn what_cannot_be_assembled_fails_with_its_reason_and_can_be_tried_again() {
    let world = World::new(1);
    let run = world.start("nonsense").await;
    let row = world.until(run, |status| status == RunStatus::Failed).await;
    assert_eq!(row.view.failure.unwrap().message, "no such toy");
    world.all.launch(run).await.unwrap();
    let row = world.until(run, |status| status == RunStatus::Failed).await;
    let events = world.store.events(run, Seq::START, 99).await.unwrap();
    let failures = events.iter().filter(|event| event.draft.kind.name() == "run.failed").count();
    assert_eq!((failures, row.view.failure.unwrap().message), (2, "no such toy".to_owned()));
}

#[tokio::test]
async fn a_process_that_ends_leaves_runs_that_the_next_one_goes_on_with() {
    let world = World::new(1);
    let (first, second) = (world.start("works").await, world.start("works").await);
    world.until(first, |status| status == RunStatus::Running).await;
    world.all.close().await;
    assert_eq!(world.row(first).await.view.status, RunStatus::Running, "not failed, not cancelled");
    assert_eq!(
        world.all.start(World::spec("works"), StartMode::Soon).await.map(|_| ()),
        Ok(()),
        "kept for the next"
    );
    let next = World::on(Arc::clone(&world.store), 1);
    assert_eq!(next.all.recover().await.unwrap(), 3);
    next.toys.0.add_permits(3);
    for run in [first, second] {
        next.until(run, |status| status == RunStatus::Completed).await;
    }
}

#[tokio::test]
async fn a_checkout_has_one_run_at_a_time() {
    let world = World::new(5);
    let place = |in_place| RunLocation {
        repository: "/somewhere".into(),
        base_commit: "0".into(),
        base_branch: None,
        in_place,
        key: "k".into(),
        branch: None,
        start: None,
        tree: None,
    };
    let spec = |in_place| RunSpec { place: Some(place(in_place)), ..World::spec("works") };
    let first = world.all.start(spec(true), StartMode::Soon).await.unwrap();
    let refused = world.all.start(spec(true), StartMode::Soon).await;
    assert!(matches!(&refused, Err(CommandError::Claimed { by, .. }) if *by == first), "{refused:?}");
    world.all.start(spec(false), StartMode::Soon).await.unwrap();
    world.toys.0.add_permits(2);
    world.until(first, |status| status == RunStatus::Completed).await;
    world.all.start(spec(true), StartMode::Soon).await.unwrap();
}

#[tokio::test]
async fn one_of_many_starts_at_the_same_moment_gets_the_checkout_or_the_branch() {
    for (in_place, branch) in [(true, None), (false, Some("topic".to_owned()))] {
        let world = World::new(9);
        let place = RunLocation {
            repository: "/somewhere".into(),
            base_commit: "0".into(),
            base_branch: None,
            in_place,
            key: "k".into(),
            branch,
            start: None,
            tree: None,
        };
        let start = || {
            let spec = RunSpec { place: Some(place.clone()), ..World::spec("nonsense") };
            world.all.start(spec, StartMode::Told)
        };
        let (a, b, c) = tokio::join!(start(), start(), start());
        let [Ok(run), Err(CommandError::Claimed { by, .. }), Err(CommandError::Claimed { .. })] = [a, b, c]
        else {
            panic!("one is accepted, the others are refused")
        };
        assert_eq!(by, run);
        // A run that has failed has it no more, and must get it again before it is tried again.
        world.all.launch(run).await.unwrap();
        world.until(run, |status| status == RunStatus::Failed).await;
        let other = start().await.unwrap();
        let refused = world.all.launch(run).await;
        assert!(matches!(refused, Err(CommandError::Claimed { by, .. }) if by == other), "{refused:?}");
        world.all.cancel(other).await.unwrap();
        world.all.launch(run).await.unwrap();
    }
}

#[tokio::test]
async fn a_fact_from_outside_is_written_into_a_run_at_work_and_at_rest_and_into_none_that_has_ended() {
    let world = World::new(2);
    let (works, asks) = (world.start("works").await, world.start("asks").await);
    world.until(works, |status| status == RunStatus::Running).await;
    let request = world.question(asks).await;
    let fact = || {
        let checked = SystemEvent::Checked {
            component: "mcp:files".to_owned(),
            status: HealthStatus::Degraded,
            metrics: Object::new(),
        };
        vec![EventKind::System(checked)]
    };
    for run in [works, asks] {
        let before = world.row(run).await.view;
        world.all.note(run, fact()).await.unwrap();
        let events = world.store.events(run, before.seq, 10).await.unwrap();
        let names: Vec<&str> = events.iter().map(|event| event.draft.kind.name()).collect();
        assert_eq!(names, ["system.checked"], "durable, and nothing else has happened");
        assert!(events[0].draft.is_from_outside());
        assert_eq!(world.row(run).await.view.status, before.status);
    }
    world.all.reply(asks, yes(request)).await.unwrap();
    world.toys.0.add_permits(2);
    for run in [works, asks] {
        world.until(run, |status| status == RunStatus::Completed).await;
    }
    assert_eq!(world.all.note(works, fact()).await, Err(CommandError::Ended(works)));
}
