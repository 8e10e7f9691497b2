//! Runs whose account is used up: they wait, and after the reset they go on by themselves, one after the other, also
//! when another process has to let them.

use std::sync::Arc;
use std::time::Duration;

use amelia_agents::live::Live;
use amelia_core::clock::{Clock as _, TickingClock};
use amelia_core::event::run::RunFailure;
use amelia_core::event::{EventKind, HumanEvent};
use amelia_core::human::{HumanKind, HumanReply, HumanRequest};
use amelia_core::id::{GraphName, RunId, Seq};
use amelia_core::quota::ExhaustedQuota;
use amelia_core::recording::Tape;
use amelia_core::run::{RunSpec, RunStatus};
use amelia_core::view::RunRow;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use amelia_orchestrator::orchestrator::{Assembler, Orchestrator, RunnableGraph, StartMode};
use amelia_orchestrator::runs::Runs;
use amelia_store::memory::MemoryStore;
use async_trait::async_trait;
use tokio::sync::{Semaphore, mpsc};

use crate::toy::{Nothing, Toy};

/// When the account of all runs can be used again, after their beginning.
const RESET: Duration = Duration::from_secs(3600);

/// Finds its account used up, and works until the gate lets it through once it may go on.
struct Limited(Arc<Toys>);

#[async_trait]
impl Node<Nothing> for Limited {
    async fn run(&self, cx: &NodeCx, _: &Nothing) -> Result<Outcome<()>, NodeError> {
        if cx.answered().is_none() {
            let (account, provider) = ("key".to_owned(), "provider".to_owned());
            let used_up = ExhaustedQuota { account, provider, resets_at: self.0.resets_at };
            let request = cx.request(HumanKind::Quota, "used up: go on?");
            return Ok(Outcome::ask(HumanRequest { context: used_up.context(), ..request }));
        }
        self.0.goes_on.send(()).unwrap();
        self.0.gate.acquire().await.unwrap().forget();
        Ok(Outcome::Done(vec![]))
    }
}

struct Toys {
    gate: Semaphore,
    resets_at: jiff::Timestamp,
    goes_on: mpsc::UnboundedSender<()>,
    lifted: mpsc::UnboundedSender<String>,
}

struct Shop(Arc<Toys>);

#[async_trait]
impl Assembler for Shop {
    async fn assemble(
        &self,
        _: &RunRow,
        _: Live,
        _: Arc<dyn Tape>,
    ) -> Result<Box<dyn RunnableGraph>, RunFailure> {
        let node = Limited(Arc::clone(&self.0));
        Ok(Toy::boxed(node))
    }

    fn lift(&self, account: &str) {
        self.0.lifted.send(account.to_owned()).unwrap();
    }
}

struct World {
    store: Arc<MemoryStore>,
    clock: Arc<TickingClock>,
    toys: Arc<Toys>,
    all: Orchestrator,
    goes_on: mpsc::UnboundedReceiver<()>,
    lifted: mpsc::UnboundedReceiver<String>,
}

impl World {
    fn new() -> Self {
        let (store, clock) = (Arc::new(MemoryStore::new()), Arc::new(TickingClock::default()));
        let (sender, goes_on) = mpsc::unbounded_channel();
        let (lifts, lifted) = mpsc::unbounded_channel();
        let resets_at = clock.now() + RESET;
        let toys = Toys { gate: Semaphore::new(0), resets_at, goes_on: sender, lifted: lifts };
        let toys = Arc::new(toys);
        let all = Self::process(&store, &clock, &toys);
        Self { store, clock, toys, all, goes_on, lifted }
    }

    fn process(store: &Arc<MemoryStore>, clock: &Arc<TickingClock>, toys: &Arc<Toys>) -> Orchestrator {
        let runs = Runs::new(Arc::clone(store) as Arc<_>, Arc::clone(clock) as Arc<_>);
        Orchestrator::new(runs, Arc::new(Shop(Arc::clone(toys))), 4)
    }

    async fn start(&self) -> RunId {
        let spec = RunSpec::new(GraphName::new("toy").unwrap(), "limited");
        let run = self.all.start(spec, StartMode::Soon).await.unwrap();
        self.until(run, RunStatus::Waiting(HumanKind::Quota)).await;
        run
    }

    async fn row(&self, run: RunId) -> RunRow {
        self.all.runs().store().run(run).await.unwrap().unwrap()
    }

    async fn until(&self, run: RunId, wanted: RunStatus) {
        let mut log = self.all.watch(run, Seq::START);
        while self.row(run).await.view.status != wanted {
            log.next().await.unwrap();
        }
    }

    async fn replied_by(&self, run: RunId) -> Vec<Option<String>> {
        let events = self.all.runs().store().events(run, Seq::START, 1000).await.unwrap();
        let by = |kind: &EventKind| match kind {
            EventKind::Human(HumanEvent::Replied(reply)) => Some(reply.by.clone()),
            _ => None,
        };
        events.iter().filter_map(|event| by(&event.draft.kind)).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn after_the_reset_they_go_on_one_after_the_other() {
    let mut world = World::new();
    let begun = tokio::time::Instant::now();
    let (one, two) = (world.start().await, world.start().await);
    world.goes_on.recv().await.unwrap();
    assert!(begun.elapsed() + Duration::from_secs(1) >= RESET, "{:?}", begun.elapsed());
    // Hours later: the first has not shown yet that the account can be used.
    tokio::time::sleep(RESET * 5).await;
    assert_eq!(world.row(one).await.view.status, RunStatus::Running);
    assert_eq!(world.row(two).await.view.status, RunStatus::Waiting(HumanKind::Quota));
    world.toys.gate.add_permits(1);
    world.until(one, RunStatus::Completed).await;
    world.goes_on.recv().await.unwrap();
    world.toys.gate.add_permits(1);
    world.until(two, RunStatus::Completed).await;
    assert_eq!(world.replied_by(two).await, [Some("system".to_owned())]);
    assert!(world.lifted.try_recv().is_err(), "nobody has said that the provider is wrong");
}

#[tokio::test(start_paused = true)]
async fn the_next_process_lets_them_go_on() {
    let mut world = World::new();
    let runs = [world.start().await, world.start().await];
    world.all.close().await;
    world.all = World::process(&world.store, &world.clock, &world.toys);
    assert_eq!(world.all.recover().await.unwrap(), 0, "nobody is at work");
    for _ in runs {
        world.goes_on.recv().await.unwrap();
        world.toys.gate.add_permits(1);
    }
    for run in runs {
        world.until(run, RunStatus::Completed).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_person_may_try_it_before_and_is_not_asked_again() {
    let mut world = World::new();
    let begun = tokio::time::Instant::now();
    let run = world.start().await;
    let (request, _) = ExhaustedQuota::waited_for(&world.row(run).await.view).unwrap();
    let at = world.clock.now();
    let reply = HumanReply::go_on(request, at);
    world.all.reply(run, reply).await.unwrap();
    world.goes_on.recv().await.unwrap();
    assert!(begun.elapsed() < RESET);
    assert_eq!(world.lifted.recv().await.unwrap(), "key");
    world.toys.gate.add_permits(1);
    world.until(run, RunStatus::Completed).await;
    tokio::time::sleep(RESET * 2).await;
    assert_eq!(world.replied_by(run).await, [None]);
}
