//! A sub-agent asks while another one of its visit is still at work.

use std::sync::Arc;

use amelia_core::human::{HumanKind, HumanRequest};
use amelia_core::id::RunId;
use amelia_core::run::{ForkPoint, RunStatus};
use amelia_graph::control::{Control, control};
use amelia_graph::engine::{EngineError, Stop};
use amelia_graph::graph::{END, Graph};
use amelia_graph::node::{NodeCx, Outcome};
use amelia_orchestrator::runs::Move;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::toy::{Notes, World, does, note, yes};

/// One node with two sub-agents: `quick` asks at once, and again when it has the answer `more?`; `slow` works until the
/// gate lets it through.
fn graph(gate: &Arc<Semaphore>) -> Graph<Notes> {
    let gate = Arc::clone(gate);
    let both = does(move |cx: &NodeCx, _: &Notes| {
        let gate = Arc::clone(&gate);
        Box::pin(async move {
            let quick = cx.sub_agent("quick");
            let heard = quick.answered().map(|answered| answered.reply.message.clone().unwrap_or_default());
            let prompt = match heard.as_deref() {
                None => "which colour?",
                Some("more?") => "which shade?",
                Some(words) => return Ok(note(cx, words)),
            };
            let request = quick.request(HumanKind::Question, prompt);
            cx.ask_early(vec![request.clone()]).await;
            gate.acquire().await.unwrap().forget();
            Ok(Outcome::ask(request))
        })
    });
    Graph::builder("toy").entry("both").node("both", both).edge(END).build().unwrap()
}

struct Early {
    world: Arc<World>,
    gate: Arc<Semaphore>,
    run: RunId,
}

impl Early {
    async fn new() -> Self {
        let world = Arc::new(World::new());
        let run = world.create().await;
        Self { world, gate: Arc::new(Semaphore::new(0)), run }
    }

    fn start(&self) -> (Control, JoinHandle<Result<Stop, EngineError>>) {
        let (control, inbox) = control();
        let (world, run, graph) = (Arc::clone(&self.world), self.run, graph(&self.gate));
        let how = Move { inbox, ..Move::default() };
        let task = tokio::spawn(async move { world.runs.run(run, &graph, Notes::default(), how).await });
        (control, task)
    }

    async fn asked(&self, prompt: &str) -> HumanRequest {
        for _ in 0..1000 {
            let mut pending = self.world.pending(self.run).await;
            if let Some(place) = pending.iter().position(|request| request.prompt == prompt) {
                return pending.swap_remove(place);
            }
            tokio::task::yield_now().await;
        }
        panic!("never asked: {prompt}\n{}", self.world.log(self.run).await)
    }

    async fn status(&self) -> RunStatus {
        self.world.store.run(self.run).await.unwrap().unwrap().view.status
    }

    async fn questions(&self) -> usize {
        self.world.log(self.run).await.matches("human.requested").count()
    }
}

#[tokio::test]
async fn a_question_is_seen_and_answered_while_another_sub_agent_works() {
    let early = Early::new().await;
    let (control, task) = early.start();
    let request = early.asked("which colour?").await;
    assert_eq!(early.status().await, RunStatus::Running);
    control.reply(yes(&request, "blue")).await.unwrap();
    assert!(early.world.pending(early.run).await.is_empty());
    assert!(!task.is_finished(), "the other one is still at work");
    early.gate.add_permits(1);
    assert_eq!(task.await.unwrap(), Ok(Stop::Completed), "nothing more is asked");
    assert_eq!(early.world.notes(early.run).await.of("both"), ["blue"]);
    assert_eq!(early.questions().await, 1);
    assert!(!early.world.log(early.run).await.contains("run.paused"), "it never waited");
}

#[tokio::test]
async fn without_an_answer_the_run_waits_for_it_when_the_others_are_done() {
    let early = Early::new().await;
    let (_control, task) = early.start();
    let request = early.asked("which colour?").await;
    early.gate.add_permits(1);
    assert_eq!(task.await.unwrap(), Ok(Stop::Waiting(HumanKind::Question)));
    assert_eq!((early.asked("which colour?").await.id, early.questions().await), (request.id, 1));
    let graph = graph(&early.gate);
    let stop = early.world.reply(early.run, &graph, yes(&request, "blue")).await;
    assert_eq!(stop, Ok(Stop::Completed));
    assert_eq!(early.world.notes(early.run).await.of("both"), ["blue"]);
}

#[tokio::test]
async fn after_a_kill_it_is_the_same_question_and_an_answer_is_kept() {
    for is_answered in [false, true] {
        let early = Early::new().await;
        let (control, task) = early.start();
        let request = early.asked("which colour?").await;
        if is_answered {
            control.reply(yes(&request, "blue")).await.unwrap();
        }
        task.abort();
        task.await.unwrap_err();
        let (control, task) = early.start();
        if !is_answered {
            // It is shown already; the visit that asks it again adds nothing.
            let again = early.asked("which colour?").await;
            assert_eq!(again.id, request.id);
            while control.reply(yes(&request, "blue")).await.is_err() {
                tokio::task::yield_now().await;
            }
            early.gate.add_permits(1);
        }
        assert_eq!(task.await.unwrap(), Ok(Stop::Completed), "{is_answered}");
        assert_eq!(early.world.notes(early.run).await.of("both"), ["blue"]);
        assert_eq!(early.questions().await, 1, "{}", early.world.log(early.run).await);
    }
}

#[tokio::test]
async fn a_second_question_of_the_same_sub_agent_is_another_one() {
    let early = Early::new().await;
    let (control, task) = early.start();
    let first = early.asked("which colour?").await;
    control.reply(yes(&first, "more?")).await.unwrap();
    early.gate.add_permits(1);
    let second = early.asked("which shade?").await;
    control.reply(yes(&second, "dark")).await.unwrap();
    // The answer to the second one is given to the next try, also by another process.
    task.abort();
    task.await.unwrap_err();
    let (_control, task) = early.start();
    assert_eq!(task.await.unwrap(), Ok(Stop::Completed));
    assert_eq!(early.world.notes(early.run).await.of("both"), ["dark"]);
    assert_eq!(early.questions().await, 2);
}

#[tokio::test]
async fn a_pause_keeps_the_question_and_a_fork_asks_its_own() {
    let early = Early::new().await;
    let (control, task) = early.start();
    let request = early.asked("which colour?").await;
    control.halt().await.unwrap();
    assert_eq!(task.await.unwrap(), Ok(Stop::Waiting(HumanKind::Pause)));
    let pause = early.asked("paused by you").await;
    let graph = graph(&early.gate);
    let stop = early.world.reply(early.run, &graph, yes(&request, "blue")).await;
    assert_eq!(stop, Ok(Stop::Waiting(HumanKind::Pause)), "the answer waits with the run");
    let checkpoints = early.world.store.checkpoints(early.run).await.unwrap();
    let from = ForkPoint { run: early.run, checkpoint: checkpoints[1].number };
    let clock = amelia_core::clock::SystemClock;
    let fork = amelia_graph::travel::fork::<Notes>(&*early.world.store, &clock, from, &[]).await.unwrap();
    assert!(early.world.pending(fork).await.is_empty(), "its sub-agents begin anew");
    let stop = early.world.reply(early.run, &graph, yes(&pause, "")).await;
    assert_eq!(stop, Ok(Stop::Completed));
    assert_eq!(early.world.notes(early.run).await.of("both"), ["blue"]);
}
