//! A store that dies after every single write, in turn. Whatever the moment, the run ends as if nothing had
//! happened, and only what was in flight is done again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use amelia_core::effect::Effect;
use amelia_core::human::HumanKind;
use amelia_core::id::{AgentName, CallId, RunId, Seq};
use amelia_core::message::Object;
use amelia_core::problem::Problem;
use amelia_core::run::RunStatus;
use amelia_core::store::{Commit, CommitReceipt, Store, StoreError, StoreFuture, StoreLayer};
use amelia_core::tool::{Risk, ToolCall, ToolName, ToolResult};
use amelia_core::view::RunView;
use amelia_graph::effect::{EffectProvider, Intent, perform};
use amelia_graph::engine::{EngineError, Stop};
use amelia_graph::graph::{END, Graph};
use amelia_graph::journaled::{ToolWork, journaled};
use amelia_graph::node::NodeCx;
use amelia_store::memory::MemoryStore;
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::toy::{Count, Notes, Tries, World, asks, does, note, works, yes};

/// Takes `left` more writes; the one after that is lost, or written without an answer, and everything later fails.
struct Mortal {
    store: Arc<MemoryStore>,
    left: AtomicUsize,
    last_words: LastWords,
}

#[derive(Clone, Copy)]
enum LastWords {
    Lost,
    Written,
}

#[async_trait]
impl StoreLayer for Mortal {
    fn inner(&self) -> &dyn Store {
        &*self.store
    }

    fn commit(&self, run: RunId, after: Seq, commit: Commit) -> StoreFuture<CommitReceipt> {
        let left =
            self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| Some(left.saturating_sub(1)));
        match left.unwrap_or(0) {
            0 => Box::pin(std::future::ready(Err(StoreError::Closed))),
            1 => {
                if matches!(self.last_words, LastWords::Written) {
                    drop(self.store.commit(run, after, commit));
                }
                Box::pin(std::future::ready(Err(StoreError::Closed)))
            }
            _ => self.store.commit(run, after, commit),
        }
    }
}

/// The outside world: it remembers what was done to it.
#[derive(Clone, Default)]
struct Outside {
    done: Arc<std::sync::Mutex<Vec<Effect>>>,
}

#[async_trait]
impl EffectProvider for Outside {
    async fn perform(&self, effect: &Effect) -> Result<Value, Problem> {
        self.done.lock().unwrap().push(effect.clone());
        Ok(json!({"done": true}))
    }

    async fn probe(&self, effect: &Effect) -> Result<Option<Value>, Problem> {
        let done = self.done.lock().unwrap().iter().any(|done| done.id == effect.id);
        Ok(done.then(|| json!({"done": true})))
    }
}

/// Everything a run can do: a loop, a fork, a join, a question, tool calls, an effect.
fn everything(tries: &Tries, writes: &Count, reads: &Count, outside: &Outside) -> Graph<Notes> {
    let (writes, reads, outside) = (writes.clone(), reads.clone(), outside.clone());
    let tools = does(move |cx: &NodeCx, _: &Notes| {
        let (writes, reads, outside) = (writes.clone(), reads.clone(), outside.clone());
        Box::pin(async move {
            let agent = AgentName::system();
            let mut outputs = Vec::new();
            for (name, risk, count) in [("read", Risk::Read, &reads), ("write", Risk::Write, &writes)] {
                let call = ToolCall {
                    id: CallId::new(format!("{name}-{}", cx.step())).unwrap(),
                    tool: ToolName::builtin(name),
                    args: Object::new(),
                    at: None,
                    options: amelia_core::tool::CallOptions::default(),
                };
                let work = ToolWork { agent: agent.clone(), call: call.clone(), risk };
                let result = journaled(cx, &work, |_| async {
                    count.add();
                    Ok(ToolResult {
                        error: None,
                        output: "fine".to_owned(),
                        ..ToolResult::interrupted(&call)
                    })
                });
                outputs.push(if result.await?.is_success() { name } else { "interrupted" });
            }
            let intent = Intent { key: "note", kind: "sample.note", target: "outside", content: b"hello" };
            perform(cx, &agent, intent, &outside).await?;
            Ok(note(cx, "worked"))
        })
    });
    Graph::builder("toy")
        .entry("plan")
        .node("plan", works(tries))
        .fork(["ask", "left"])
        .node("ask", asks())
        .edge("merge")
        .node("left", works(tries))
        .edge("merge")
        .node("merge", works(tries))
        .join(["ask", "left"])
        .edge("develop")
        .node("develop", tools)
        .edge("review")
        .node("review", works(tries))
        .route(|notes: &Notes| if notes.count("review") < 3 { "develop" } else { END }, ["develop", END])
        .build()
        .unwrap()
}

/// Moves a run as far as it comes, answering what it asks.
async fn live(world: &World, run: RunId, graph: &Graph<Notes>) -> Result<Stop, EngineError> {
    let mut stop = world.go(run, graph).await?;
    while stop == Stop::Waiting(HumanKind::Approval) {
        let request = world.pending(run).await.remove(0);
        stop = world.reply(run, graph, yes(&request, "go")).await?;
    }
    Ok(stop)
}

#[tokio::test]
async fn a_run_survives_a_crash_after_every_single_write() {
    let expected = {
        let world = World::new();
        let run = world.create().await;
        let graph = everything(&Tries::default(), &Count::default(), &Count::default(), &Outside::default());
        live(&world, run, &graph).await.unwrap();
        world.notes(run).await
    };
    let mut crashes = 0;
    for last_words in [LastWords::Lost, LastWords::Written] {
        for writes_before_death in 1.. {
            let store = Arc::new(MemoryStore::new());
            let (tries, writes, reads, outside) = <(Tries, Count, Count, Outside)>::default();
            let graph = everything(&tries, &writes, &reads, &outside);
            let run = World::on(store.clone()).create().await;

            let mortal =
                Mortal { store: store.clone(), left: AtomicUsize::new(writes_before_death), last_words };
            let died = live(&World::on(Arc::new(mortal)), run, &graph).await.is_err();

            let world = World::on(store.clone());
            if store.run(run).await.unwrap().unwrap().view.status != RunStatus::Completed {
                assert_eq!(
                    live(&world, run, &graph).await,
                    Ok(Stop::Completed),
                    "write {writes_before_death}"
                );
            }
            assert_eq!(world.notes(run).await, expected, "write {writes_before_death}");
            check_log(&world, run).await;
            // The node in flight may be tried again, nothing else.
            let total: u32 = ["plan", "left", "merge", "review"].map(|node| tries.of(node)).iter().sum();
            assert!(total <= 6 + 2, "write {writes_before_death}: {total} tries");
            assert!(writes.get() <= 3, "a tool that writes ran twice after write {writes_before_death}");
            assert!(reads.get() <= 4, "only the interrupted read runs again");
            assert_eq!(outside.done.lock().unwrap().len(), 3, "effects after write {writes_before_death}");
            if !died {
                break;
            }
            crashes += 1;
        }
    }
    assert!(crashes > 60, "only {crashes} crashes were tried");
}

/// The log has no gap, and its fold is what the store says.
async fn check_log(world: &World, run: RunId) {
    let events = world.store.events(run, Seq::START, 10_000).await.unwrap();
    let mut view = RunView::default();
    for (event, seq) in events.iter().zip(1..) {
        assert_eq!(event.seq, Seq(seq));
        view.apply(event);
    }
    assert_eq!(view, world.store.run(run).await.unwrap().unwrap().view);
    assert_eq!(view.active_nodes().count(), 0);
}

#[tokio::test]
async fn a_run_that_is_dropped_in_the_middle_goes_on() {
    let world = World::new();
    let (tries, writes, reads, outside) = <(Tries, Count, Count, Outside)>::default();
    let graph = everything(&tries, &writes, &reads, &outside);
    let run = world.create().await;
    // Polled a few times only: the futures of the engine and its nodes are dropped wherever they are.
    for polls in 0..12 {
        let mut moving = Box::pin(live(&world, run, &graph));
        for _ in 0..polls {
            if futures_util::poll!(moving.as_mut()).is_ready() {
                break;
            }
        }
        drop(moving);
        if world.store.run(run).await.unwrap().unwrap().view.status == RunStatus::Completed {
            break;
        }
    }
    if world.store.run(run).await.unwrap().unwrap().view.status != RunStatus::Completed {
        assert_eq!(live(&world, run, &graph).await, Ok(Stop::Completed));
    }
    check_log(&world, run).await;
    assert_eq!(outside.done.lock().unwrap().len(), 3);
}
