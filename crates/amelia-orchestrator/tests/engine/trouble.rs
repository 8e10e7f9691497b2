//! What goes wrong in one place while other places go on.

use std::sync::{Arc, Mutex};

use amelia_core::checkpoint::LoadedCheckpoint;
use amelia_core::clock::SystemClock;
use amelia_core::effect::Effect;
use amelia_core::event::{EffectEvent, EventKind};
use amelia_core::human::{HumanKind, HumanReply};
use amelia_core::id::{AgentName, EffectId, RunId, Seq};
use amelia_core::problem::Problem;
use amelia_core::run::RunStatus;
use amelia_core::store::{CheckpointAt, Store, StoreError, StoreLayer};
use amelia_core::view::RunRow;
use amelia_graph::control::control;
use amelia_graph::effect::{EffectProvider, Intent, perform};
use amelia_graph::engine::{EngineError, Stop};
use amelia_graph::graph::{END, Graph};
use amelia_graph::node::{Node, NodeCx, NodeError};
use amelia_graph::position::NotWaiting;
use amelia_orchestrator::runs::{Move, Runs};
use amelia_store::memory::MemoryStore;
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::toy::{Count, Notes, Tries, World, asks, does, note, works, yes};

/// A node that works once `gate` is open.
fn gated(tries: &Tries, gate: &watch::Receiver<bool>) -> impl Node<Notes> + use<> {
    let (tries, gate) = (tries.clone(), gate.clone());
    does(move |cx: &NodeCx, _: &Notes| {
        let (tries, mut gate) = (tries.clone(), gate.clone());
        Box::pin(async move {
            tries.add(cx.node().as_str());
            gate.wait_for(|open| *open).await.unwrap();
            Ok(note(cx, "worked"))
        })
    })
}

async fn until(world: &World, run: RunId, what: &str) {
    let mut watch = world.runs.watch(run, Seq::START);
    while !watch.next().await.unwrap().draft.kind.summary().starts_with(what) {}
}

/// Counts what is done to it, and finds nothing.
#[derive(Clone, Default)]
struct Forgetful(Count);

#[async_trait]
impl EffectProvider for Forgetful {
    async fn perform(&self, _: &Effect) -> Result<Value, Problem> {
        self.0.add();
        Ok(json!("receipt"))
    }

    async fn probe(&self, _: &Effect) -> Result<Option<Value>, Problem> {
        Ok(None)
    }
}

#[tokio::test]
async fn a_failed_node_is_not_tried_again_while_its_siblings_finish() {
    let (world, tries, outside) = (World::new(), Tries::default(), Forgetful::default());
    let (open, gate) = watch::channel(false);
    let (open_late, gate_late) = watch::channel(false);
    let fails = {
        let (tries, outside) = (tries.clone(), outside.clone());
        does(move |cx: &NodeCx, _: &Notes| {
            let (tries, outside) = (tries.clone(), outside.clone());
            Box::pin(async move {
                let intent = Intent { key: "k", kind: "sample.note", target: "outside", content: b"x" };
                perform(cx, &AgentName::system(), intent, &outside).await?;
                match tries.add("a") {
                    1 => Err(NodeError::new("no_luck", "try again later")),
                    _ => Ok(note(cx, "worked")),
                }
            })
        })
    };
    let graph = Graph::builder("toy")
        .entry("split")
        .node("split", works(&tries))
        .fork(["a", "b", "c"])
        .node("a", fails)
        .edge(END)
        .node("b", gated(&tries, &gate))
        .edge(END)
        .node("c", gated(&tries, &gate_late))
        .edge(END)
        .build()
        .unwrap();
    let run = world.create().await;
    let moving = world.go(run, &graph);
    let opening = async {
        until(&world, run, "effect").await;
        open.send(true).unwrap();
        until(&world, run, "b left").await;
        tokio::task::yield_now().await;
        open_late.send(true).unwrap();
    };
    let (stop, ()) = tokio::join!(moving, opening);
    assert!(matches!(stop, Ok(Stop::Failed(_))), "{stop:?}\n{}", world.log(run).await);
    assert_eq!((tries.of("a"), outside.0.get()), (1, 1), "{}", world.log(run).await);
    assert_eq!(world.go(run, &graph).await, Ok(Stop::Completed));
    assert_eq!((tries.of("a"), outside.0.get()), (2, 1), "{}", world.log(run).await);
}

#[tokio::test]
async fn an_answer_puts_nothing_to_work_while_the_run_is_paused() {
    let (world, tries) = (World::new(), Tries::default());
    let (open, gate) = watch::channel(false);
    let graph = Graph::builder("toy")
        .entry("split")
        .node("split", works(&tries))
        .fork(["a", "b"])
        .node("a", asks())
        .edge(END)
        .node("b", gated(&tries, &gate))
        .edge(END)
        .build()
        .unwrap();
    let run = world.create().await;
    let (handle, inbox) = control();
    let moving = world.runs.run(run, &graph, Notes::default(), Move { inbox, ..Move::default() });
    let pausing = async {
        until(&world, run, "b entered").await;
        while world.pending(run).await.is_empty() {
            tokio::task::yield_now().await;
        }
        handle.pause().await.unwrap();
        let [question, _] = world.pending(run).await.try_into().unwrap();
        handle.reply(yes(&question, "")).await.unwrap();
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        open.send(true).unwrap();
    };
    let (stop, ()) = tokio::join!(moving, pausing);
    assert_eq!(stop, Ok(Stop::Waiting(HumanKind::Pause)));
    assert_eq!(world.notes(run).await.count("a"), 0, "{}", world.log(run).await);
    let [request] = world.pending(run).await.try_into().unwrap();
    assert_eq!(world.reply(run, &graph, yes(&request, "")).await, Ok(Stop::Completed));
    assert_eq!(world.notes(run).await.count("a"), 1);
}

#[tokio::test]
async fn a_refused_record_fails_its_node_and_not_the_run_s_log() {
    let world = World::new();
    let stranger = does(|cx: &NodeCx, _: &Notes| {
        Box::pin(async move {
            let done = EffectEvent::Done { effect: EffectId(cx.new_id()), receipt: Value::Null };
            cx.record(vec![cx.draft(&AgentName::system(), EventKind::Effect(done))]).await?;
            Ok(note(cx, "worked"))
        })
    });
    let graph = Graph::builder("toy").entry("a").node("a", stranger).edge(END).build().unwrap();
    let run = world.create().await;
    let stop = world.go(run, &graph).await;
    let Ok(Stop::Failed(failure)) = stop else { panic!("it should fail: {stop:?}") };
    assert!(failure.message.contains("was never intended"), "{}", failure.message);
    assert_eq!(world.store.run(run).await.unwrap().unwrap().view.status, RunStatus::Failed);
}

#[tokio::test]
async fn a_run_that_waits_can_be_cancelled() {
    let world = World::new();
    let graph = Graph::builder("toy").entry("a").node("a", asks()).edge(END).build().unwrap();
    let run = world.create().await;
    assert_eq!(world.go(run, &graph).await, Ok(Stop::Waiting(HumanKind::Approval)));
    let cancel = CancellationToken::new();
    cancel.cancel();
    let how = Move { cancel, ..Move::default() };
    assert_eq!(world.runs.run(run, &graph, Notes::default(), how).await, Ok(Stop::Cancelled));
    let view = world.store.run(run).await.unwrap().unwrap().view;
    assert_eq!((view.status, view.pending), (RunStatus::Cancelled, vec![]));
}

#[tokio::test]
async fn a_cancel_that_comes_as_the_run_begins_to_wait_is_not_lost() {
    let world = World::new();
    let cancel = CancellationToken::new();
    let cancels = {
        let cancel = cancel.clone();
        does(move |cx: &NodeCx, _: &Notes| {
            let cancel = cancel.clone();
            Box::pin(async move {
                // Somebody cancels in the moment in which the node ends.
                cancel.cancel();
                Ok(amelia_graph::node::Outcome::ask(cx.request(HumanKind::Approval, "?")))
            })
        })
    };
    let graph = Graph::builder("toy").entry("a").node("a", cancels).edge(END).build().unwrap();
    let run = world.create().await;
    let how = Move { cancel, ..Move::default() };
    assert_eq!(world.runs.run(run, &graph, Notes::default(), how).await, Ok(Stop::Cancelled));
    assert_eq!(world.store.run(run).await.unwrap().unwrap().view.status, RunStatus::Cancelled);
}

#[tokio::test]
async fn the_same_effect_twice_in_one_visit_happens_once() {
    let (world, outside) = (World::new(), Forgetful::default());
    let twice = {
        let outside = outside.clone();
        does(move |cx: &NodeCx, _: &Notes| {
            let outside = outside.clone();
            Box::pin(async move {
                let intent = Intent { key: "k", kind: "sample.note", target: "outside", content: b"x" };
                perform(cx, &AgentName::system(), intent, &outside).await?;
                perform(cx, &AgentName::system(), intent, &outside).await?;
                Ok(note(cx, "worked"))
            })
        })
    };
    let graph = Graph::builder("toy").entry("a").node("a", twice).edge(END).build().unwrap();
    let run = world.create().await;
    assert_eq!(world.go(run, &graph).await, Ok(Stop::Completed));
    assert_eq!(outside.0.get(), 1, "{}", world.log(run).await);
}

#[tokio::test]
async fn a_run_that_moves_is_not_moved_a_second_time() {
    let (world, tries) = (World::new(), Tries::default());
    let (open, gate) = watch::channel(false);
    let graph = Graph::builder("toy").entry("a").node("a", gated(&tries, &gate)).edge(END).build().unwrap();
    let run = world.create().await;
    let second = async {
        until(&world, run, "a entered").await;
        world.go(run, &graph).await
    };
    let opening = async {
        until(&world, run, "a entered").await;
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        open.send(true).unwrap();
    };
    let (first, second, ()) = tokio::join!(world.go(run, &graph), second, opening);
    assert_eq!(second, Err(EngineError::Moving(run)));
    assert_eq!((first, tries.of("a")), (Ok(Stop::Completed), 1));
}

/// Moves the run on between the moments in which its state and its row are read, or has lost the last checkpoint.
struct Odd {
    store: Arc<MemoryStore>,
    graph: Graph<Notes>,
    overtaking: Mutex<Option<(RunId, HumanReply)>>,
    has_damage: bool,
}

#[async_trait]
impl StoreLayer for Odd {
    fn inner(&self) -> &dyn Store {
        &*self.store
    }

    async fn run(&self, run: RunId) -> Result<Option<RunRow>, StoreError> {
        let reply = self.overtaking.lock().unwrap().take();
        if let Some((run, reply)) = reply {
            tokio::task::yield_now().await;
            real(Arc::clone(&self.store) as Arc<dyn Store>).reply(run, &self.graph, reply).await.unwrap();
        }
        self.store.run(run).await
    }

    async fn load(&self, run: RunId, at: CheckpointAt) -> Result<Option<LoadedCheckpoint>, StoreError> {
        let loaded = self.store.load(run, at).await?;
        match loaded {
            Some(loaded) if self.has_damage => {
                let before = self.store.load(run, CheckpointAt::Number(loaded.number - 1)).await?;
                Ok(before.map(|before| LoadedCheckpoint { damaged: vec![loaded.number], ..before }))
            }
            loaded => Ok(loaded),
        }
    }
}

/// Several worlds on one store need ids that differ.
fn real(store: Arc<dyn Store>) -> World {
    let runs = Runs::new(Arc::clone(&store), Arc::new(SystemClock));
    World { store, runs }
}

fn two_questions() -> Graph<Notes> {
    let builder = Graph::builder("toy").entry("a").node("a", asks()).edge("b");
    builder.node("b", asks()).edge(END).build().unwrap()
}

#[tokio::test]
async fn an_answer_that_is_overtaken_by_another_one_does_not_count() {
    let (store, graph) = (Arc::new(MemoryStore::new()), two_questions());
    let world = real(Arc::clone(&store) as Arc<dyn Store>);
    let run = world.create().await;
    world.go(run, &graph).await.unwrap();
    let [request] = world.pending(run).await.try_into().unwrap();
    let overtaking = Mutex::new(Some((run, yes(&request, "first"))));
    let late = real(Arc::new(Odd { store, graph: two_questions(), overtaking, has_damage: false }));
    let refused = late.reply(run, &graph, yes(&request, "second")).await;
    assert_eq!(refused, Err(EngineError::NotWaiting(NotWaiting(request.id))));
    assert_eq!(world.notes(run).await.of("a"), ["yes first"]);
}

#[tokio::test]
async fn a_run_whose_last_checkpoint_is_damaged_repeats_nothing_and_can_be_cancelled() {
    let (store, graph) = (Arc::new(MemoryStore::new()), two_questions());
    let world = World::on(Arc::clone(&store) as Arc<dyn Store>);
    let run = world.create().await;
    world.go(run, &graph).await.unwrap();
    let [request] = world.pending(run).await.try_into().unwrap();
    let (before, overtaking) = (world.log(run).await, Mutex::new(None));
    let damaged = real(Arc::new(Odd { store, graph: two_questions(), overtaking, has_damage: true }));
    let Problem { message, hint } = damaged.reply(run, &graph, yes(&request, "")).await.unwrap_err().into();
    assert!(message.contains("checkpoint 2 of run r1 is damaged"), "{message}");
    assert_eq!(hint.unwrap(), "fork it at the last intact one: `amelia fork r1 --at 1`");
    assert_eq!(world.log(run).await, before, "nothing was written");

    let cancel = CancellationToken::new();
    cancel.cancel();
    let how = Move { cancel, ..Move::default() };
    assert_eq!(damaged.runs.run(run, &graph, Notes::default(), how).await, Ok(Stop::Cancelled));
}
