//! What a command has acknowledged happens, once, whatever meets it: a kill, another command, a full house.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use amelia_agents::live::Live;
use amelia_core::budget::Budget;
use amelia_core::clock::SystemClock;
use amelia_core::event::run::RunFailure;
use amelia_core::human::{HumanKind, HumanReply};
use amelia_core::id::RunId;
use amelia_core::recording::Tape;
use amelia_core::run::{RunSpec, RunStatus};
use amelia_core::store::Store as _;
use amelia_core::view::RunRow;
use amelia_graph::engine::{EngineError, Stop};
use amelia_graph::graph::{END, Graph};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use amelia_orchestrator::orchestrator::{Assembler, CommandError, RunnableGraph, StartMode};
use amelia_orchestrator::runs::{Move, Runs};
use amelia_store::sqlite::{SqliteOptions, SqliteStore};
use async_trait::async_trait;
use futures_util::FutureExt as _;
use tokio::sync::Semaphore;

use crate::toy::{Nothing, Toy};
use crate::world::yes;

/// What the nodes of a test share.
struct Shared {
    /// Lets one visit through per permit.
    gate: Semaphore,
    visits: AtomicU32,
    /// Visits that fail before one does not.
    failures: AtomicU32,
}

/// Works until the gate lets it through; fails as often as it shall.
struct Work(Arc<Shared>);

#[async_trait]
impl Node<Nothing> for Work {
    async fn run(&self, _: &NodeCx, _: &Nothing) -> Result<Outcome<()>, NodeError> {
        self.0.gate.acquire().await.unwrap().forget();
        self.0.visits.fetch_add(1, Ordering::SeqCst);
        let left =
            self.0.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        match left {
            Ok(_) => Err(NodeError::new("toy", "not this time")),
            Err(_) => Ok(Outcome::Done(vec![])),
        }
    }
}

/// Its route panics, which the engine follows itself.
struct Panics(Graph<Nothing>);

impl Panics {
    fn new() -> Self {
        let graph = Graph::builder("toy").entry("only").node("only", Idle);
        Self(graph.route(|_: &Nothing| -> &'static str { panic!("a defect") }, [END]).build().unwrap())
    }
}

#[async_trait]
impl RunnableGraph for Panics {
    async fn run(&self, runs: &Runs, run: RunId, how: Move) -> Result<Stop, EngineError> {
        runs.run(run, &self.0, Nothing, how).await
    }
}

struct Asks;

#[async_trait]
impl Node<Nothing> for Asks {
    async fn run(&self, cx: &NodeCx, _: &Nothing) -> Result<Outcome<()>, NodeError> {
        match cx.answered() {
            None => Ok(Outcome::ask(cx.request(HumanKind::Question, "which?"))),
            Some(_) => Ok(Outcome::Done(vec![])),
        }
    }
}

/// Two questions at the same time.
struct AsksTwice(Graph<Nothing>);

impl AsksTwice {
    fn new() -> Self {
        let graph = Graph::builder("toy")
            .entry("begin")
            .node("begin", Idle)
            .fork(["left", "right"])
            .node("left", Asks)
            .edge(END)
            .node("right", Asks)
            .edge(END);
        Self(graph.build().unwrap())
    }
}

struct Idle;

#[async_trait]
impl Node<Nothing> for Idle {
    async fn run(&self, _: &NodeCx, _: &Nothing) -> Result<Outcome<()>, NodeError> {
        Ok(Outcome::Done(vec![]))
    }
}

#[async_trait]
impl RunnableGraph for AsksTwice {
    async fn run(&self, runs: &Runs, run: RunId, how: Move) -> Result<Stop, EngineError> {
        runs.run(run, &self.0, Nothing, how).await
    }
}

/// Assembles by the run's title.
struct Toys(Arc<Shared>);

#[async_trait]
impl Assembler for Toys {
    async fn assemble(
        &self,
        row: &RunRow,
        _: Live,
        _: Arc<dyn Tape>,
    ) -> Result<Box<dyn RunnableGraph>, RunFailure> {
        // Whatever meets the start meets it here.
        tokio::task::yield_now().await;
        Ok(match row.run.spec.title.as_str() {
            "panics" => Box::new(Panics::new()),
            "asks" => Toy::boxed(Asks),
            "asks twice" => Box::new(AsksTwice::new()),
            _ => Toy::boxed(Work(Arc::clone(&self.0))),
        })
    }
}

type World = crate::world::World<Toys>;

impl Default for Toys {
    fn default() -> Self {
        let (gate, visits, failures) = (Semaphore::new(0), AtomicU32::new(0), AtomicU32::new(0));
        Self(Arc::new(Shared { gate, visits, failures }))
    }
}

fn is_done(status: RunStatus) -> bool {
    status == RunStatus::Completed
}

#[tokio::test]
async fn a_resume_is_durable_before_it_is_answered() {
    let world = World::new(1);
    world.toys.0.failures.store(1, Ordering::SeqCst);
    world.toys.0.gate.add_permits(1);
    let run = world.start("work").await;
    world.until(run, |status| status == RunStatus::Failed).await;
    let busy = world.start("work").await;
    world.until(busy, |status| status == RunStatus::Running).await;
    world.all.launch(run).await.unwrap();
    let row = world.store.run(run).await.unwrap().unwrap();
    assert_eq!((row.view.status, row.view.failure), (RunStatus::Pending, None));
    world.all.close().await;
    let next = World::on(Arc::clone(&world.store), 2);
    assert_eq!(next.all.recover().await.unwrap(), 2);
    next.toys.0.gate.add_permits(2);
    next.until(run, is_done).await;
}

#[tokio::test]
async fn an_answer_is_durable_before_the_run_resumes() {
    let world = World::new(1);
    let run = world.start("asks").await;
    let question = world.questions(run).await[0];
    let busy = world.start("work").await;
    world.until(busy, |status| status == RunStatus::Running).await;
    world.all.reply(run, yes(question)).await.unwrap();
    assert_eq!(world.status(run).await, RunStatus::Pending, "it waits for a free worker, and says so");
    world.all.close().await;
    let next = World::on(Arc::clone(&world.store), 2);
    next.all.recover().await.unwrap();
    next.until(run, is_done).await;
}

#[tokio::test]
async fn what_is_wanted_twice_runs_once() {
    let world = World::new(3);
    let spec = || RunSpec { idempotency_key: Some("once".to_owned()), ..World::spec("work") };
    let (one, two) =
        tokio::join!(world.all.start(spec(), StartMode::Soon), world.all.start(spec(), StartMode::Soon));
    let run = one.unwrap();
    assert_eq!(two, Ok(run));
    assert_eq!(world.all.start(spec(), StartMode::Soon).await, Ok(run));
    world.toys.0.failures.store(1, Ordering::SeqCst);
    world.toys.0.gate.add_permits(9);
    world.until(run, |status| status == RunStatus::Failed).await;
    let (one, two) = tokio::join!(world.all.launch(run), world.all.launch(run));
    assert!(one.is_ok() || two.is_ok(), "{one:?} {two:?}");
    world.until(run, is_done).await;
    world.all.wait_for_rest(run).await;
    assert_eq!((world.all.load(), world.toys.0.visits.load(Ordering::SeqCst)), ((0, 0), 2));
}

#[tokio::test]
async fn two_questions_take_two_answers_at_the_same_moment() {
    for room in [1, 4] {
        let world = World::new(room);
        let run = world.start("asks twice").await;
        let questions = world.questions(run).await;
        let [left, right] = questions[..] else { panic!("{questions:?}") };
        let (one, two) = tokio::join!(world.all.reply(run, yes(left)), world.all.reply(run, yes(right)));
        assert_eq!((one, two), (Ok(()), Ok(())));
        world.until(run, is_done).await;
        assert_eq!(world.all.reply(run, yes(left)).await, Err(CommandError::Ended(run)));
    }
}

#[tokio::test]
async fn answered_runs_wait_for_a_free_worker_ahead_of_new_ones() {
    let world = World::new(1);
    let asking = [world.start("asks").await, world.start("asks").await];
    let questions = [world.questions(asking[0]).await[0], world.questions(asking[1]).await[0]];
    let busy = world.start("work").await;
    world.until(busy, |status| status == RunStatus::Running).await;
    let new = world.start("work").await;
    for (run, question) in asking.into_iter().zip(questions) {
        world.all.reply(run, yes(question)).await.unwrap();
    }
    assert_eq!(world.all.load(), (1, 3));
    world.toys.0.gate.add_permits(1);
    world.until(asking[0], is_done).await;
    world.until(asking[1], is_done).await;
    world.until(new, |status| status == RunStatus::Running).await;
    let first_event = |run: RunId, name: &'static str| {
        let store = Arc::clone(&world.store);
        async move {
            let feed = store.feed(0, 999).await.unwrap();
            feed.iter().position(|(_, event)| event.run == run && event.draft.kind.name() == name).unwrap()
        }
    };
    assert!(first_event(asking[1], "run.completed").await < first_event(new, "run.started").await);
}

#[tokio::test]
async fn words_and_limits_that_meet_a_start_do_not_fail_the_run() {
    for delay in 0..20_u32 {
        let world = World::new(1);
        let run = world.all.start(World::spec("work"), StartMode::Told).await.unwrap();
        world.all.launch(run).await.unwrap();
        for _ in 0..delay {
            tokio::task::yield_now().await;
        }
        let limits = Budget { calls: Some(9), ..Budget::default() };
        let (said, limited) = tokio::join!(world.all.say(run, "mind the gap"), world.all.limit(run, limits));
        said.unwrap();
        assert!(matches!(limited, Ok(()) | Err(CommandError::AtWork(_))), "{limited:?}");
        world.toys.0.gate.add_permits(1);
        let row = world.until(run, RunStatus::is_final).await;
        assert_eq!(
            (row.view.status, row.view.unheard.len()),
            (RunStatus::Completed, 1),
            "{:?}",
            row.view.failure
        );
    }
}

#[tokio::test]
async fn what_is_said_when_a_paused_run_is_let_go_on_is_for_its_agents() {
    let world = World::new(1);
    let run = world.start("work").await;
    world.until(run, |status| status == RunStatus::Running).await;
    world.all.pause(run).await.unwrap();
    let row = world.until(run, |status| status == RunStatus::Waiting(HumanKind::Pause)).await;
    let reply = HumanReply { message: Some("mind the gap".to_owned()), ..yes(row.view.pending[0].id) };
    world.all.reply(run, reply).await.unwrap();
    let row = world.store.run(run).await.unwrap().unwrap();
    assert_eq!(row.view.unheard.len(), 1);
}

#[tokio::test]
async fn words_that_nobody_has_heard_are_bounded() {
    let world = World::new(1);
    let run = world.start("asks").await;
    world.questions(run).await;
    let long = "x".repeat(40 * 1024);
    world.all.say(run, &long).await.unwrap();
    let refused = world.all.say(run, &long).await;
    assert!(matches!(refused, Err(CommandError::TooManyWords { .. })), "{refused:?}");
    world.all.say(run, "short").await.unwrap();
    assert_eq!(world.store.run(run).await.unwrap().unwrap().view.unheard.len(), 2);
    let question = world.questions(run).await[0];
    let endless = HumanReply { message: Some("x".repeat(300 * 1024)), ..yes(question) };
    assert_eq!(world.all.reply(run, endless).await, Err(CommandError::AnswerTooLong(run)));
}

#[tokio::test]
async fn a_panic_is_a_failure_of_its_run_and_of_no_other() {
    let world = World::new(2);
    let (other, run) = (world.start("work").await, world.start("panics").await);
    let row = world.until(run, |status| status == RunStatus::Failed).await;
    let failure = row.view.failure.unwrap();
    assert!(failure.code == "panic" && failure.message.contains("a defect"), "{failure:?}");
    world.toys.0.gate.add_permits(1);
    world.until(other, is_done).await;
    world.all.wait_for_rest(run).await;
    world.all.launch(run).await.unwrap();
}

#[tokio::test]
async fn a_commit_is_published_when_its_caller_is_gone() {
    let directory = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&directory.path().join("amelia.db"), SqliteOptions::default()).unwrap();
    let runs = Runs::new(Arc::new(store), Arc::new(SystemClock));
    let changes = runs.changes();
    // Submitted with the first poll, and dropped before the answer.
    assert!(runs.create(World::spec("work")).now_or_never().is_none());
    tokio::time::timeout(Duration::from_secs(10), changes.some()).await.expect("it was not published");
    assert_eq!(changes.take().len(), 1);
}
