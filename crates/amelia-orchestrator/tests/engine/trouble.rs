//! What goes wrong in one place while other places go on.

use amelia_core::effect::Effect;
use amelia_core::event::{EffectEvent, EventKind};
use amelia_core::human::HumanKind;
use amelia_core::id::{AgentName, EffectId, RunId, Seq};
use amelia_core::run::RunStatus;
use amelia_graph::control::control;
use amelia_graph::effect::{Intent, Provider, perform};
use amelia_graph::engine::Stop;
use amelia_graph::graph::{END, Graph};
use amelia_graph::node::{Node, NodeCx, NodeError};
use amelia_orchestrator::runs::Move;
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
impl Provider for Forgetful {
    async fn perform(&self, _: &Effect) -> Result<Value, String> {
        self.0.add();
        Ok(json!("receipt"))
    }

    async fn probe(&self, _: &Effect) -> Result<Option<Value>, String> {
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
    let moving = world.runs.go(run, &graph, Notes::default(), Move { inbox, ..Move::default() });
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
    assert_eq!(world.runs.go(run, &graph, Notes::default(), how).await, Ok(Stop::Cancelled));
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
                Ok(amelia_graph::node::Outcome::Wait(cx.request(HumanKind::Approval, "?")))
            })
        })
    };
    let graph = Graph::builder("toy").entry("a").node("a", cancels).edge(END).build().unwrap();
    let run = world.create().await;
    let how = Move { cancel, ..Move::default() };
    assert_eq!(world.runs.go(run, &graph, Notes::default(), how).await, Ok(Stop::Cancelled));
    assert_eq!(world.store.run(run).await.unwrap().unwrap().view.status, RunStatus::Cancelled);
}
