//! Work inside a node that is written down as it happens.

use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use amelia_core::clock::{Clock as _, SystemClock};
use amelia_core::effect::{Effect, EffectState};
use amelia_core::event::{Draft, Event, EventKind, SystemEvent};
use amelia_core::id::{AgentName, CallId, EventId, RunId, Seq};
use amelia_core::journal::Journal as _;
use amelia_core::message::Object;
use amelia_core::problem::Problem;
use amelia_core::recording::{Channel, FrameSource};
use amelia_core::run::Domain;
use amelia_core::store::{Commit, CommitReceipt, Store, StoreError, StoreFuture, StoreLayer};
use amelia_core::tool::{CallOptions, Risk, ToolCall, ToolName, ToolResult};
use amelia_graph::effect::{EffectProvider, Intent, perform};
use amelia_graph::engine::Stop;
use amelia_graph::graph::{END, Graph};
use amelia_graph::journaled::{ToolWork, journaled};
use amelia_graph::node::{Node, NodeCx, NodeError};
use amelia_orchestrator::bus::Bus;
use amelia_orchestrator::recorder::Recorder;
use amelia_orchestrator::runs::Move;
use amelia_orchestrator::tape::Waiting;
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::toy::{Count, Notes, World, does, note};

fn one_node(node: impl Node<Notes> + 'static) -> Graph<Notes> {
    Graph::builder("toy").entry("a").node("a", node).edge(END).build().unwrap()
}

fn call(id: &str, tool: &str) -> ToolCall {
    ToolCall {
        id: CallId::new(id).unwrap(),
        tool: ToolName::builtin(tool),
        args: Object::new(),
        at: None,
        options: CallOptions::default(),
    }
}

/// Fails the node after a tool was called and before it returned, once; the tool's result is noted on the retry.
async fn interrupted(risk: Risk) -> (u32, String) {
    let world = World::new();
    let runs = Count::default();
    let counted = runs.clone();
    let node = does(move |cx: &NodeCx, _: &Notes| {
        let runs = counted.clone();
        Box::pin(async move {
            let work = ToolWork { agent: AgentName::system(), call: call("c1", "tool"), risk };
            let result = journaled(cx, &work, |_| async {
                match runs.add() {
                    1 => Err(NodeError::new("killed", "as if the process had died here")),
                    _ => Ok(ToolResult { error: None, ..ToolResult::interrupted(&work.call) }),
                }
            });
            Ok(note(cx, result.await?.error.unwrap_or_else(|| "returned".to_owned())))
        })
    });
    let graph = one_node(node);
    let run = world.create().await;
    assert!(matches!(world.go(run, &graph).await, Ok(Stop::Failed(_))));
    assert_eq!(world.go(run, &graph).await, Ok(Stop::Completed));
    let outcome = world.notes(run).await.of("a").concat();
    (runs.get(), outcome)
}

#[tokio::test]
async fn an_interrupted_read_runs_again_and_anything_else_does_not() {
    assert_eq!(interrupted(Risk::Read).await, (2, "returned".to_owned()));
    for risk in [Risk::Write, Risk::Execute, Risk::External] {
        let told = "interrupted, outcome unknown, check before repeating".to_owned();
        assert_eq!(interrupted(risk).await, (1, told), "{risk:?}");
    }
}

#[tokio::test]
async fn much_that_comes_from_outside_is_written_although_nothing_happens() {
    let world = World::new();
    let run = world.create().await;
    let tape = Arc::new(Waiting::default());
    let (channel, store) =
        (Channel::new(Arc::clone(&tape) as Arc<_>, "agent"), Arc::clone(world.runs.store()));
    let node = does(move |cx: &NodeCx, _: &Notes| {
        let (channel, store) = (channel.clone(), Arc::clone(&store));
        Box::pin(async move {
            let before = store.events(run, Seq::START, 100).await?.len();
            for _ in 0..5 {
                channel.add(FrameSource::Proxy, vec![b'x'; 60_000]);
            }
            while store.frames(run).await?.is_empty() {
                tokio::task::yield_now().await;
            }
            let after = store.events(run, Seq::START, 100).await?.len();
            Ok(note(cx, format!("{} frames, {} facts", store.frames(run).await?.len(), after - before)))
        })
    });
    let how = Move { tape, ..Move::default() };
    let stop = world.runs.run(run, &one_node(node), Notes::default(), how).await;
    assert_eq!(stop, Ok(Stop::Completed));
    assert_eq!(world.notes(run).await.of("a"), ["5 frames, 0 facts"]);
}

/// A provider whose answers can be lost, and which can be unreachable.
#[derive(Clone, Default)]
struct Provided(Arc<Mutex<Outside>>);

#[derive(Default)]
struct Outside {
    done: Vec<Effect>,
    loses_answers: bool,
    loses_requests: bool,
    is_unreachable: bool,
}

#[async_trait]
impl EffectProvider for Provided {
    async fn perform(&self, effect: &Effect) -> Result<Value, Problem> {
        let mut outside = self.0.lock().unwrap();
        if !outside.loses_requests {
            outside.done.push(effect.clone());
        }
        if outside.loses_answers || outside.loses_requests {
            Err("timed out".into())
        } else {
            Ok(json!("receipt"))
        }
    }

    async fn probe(&self, effect: &Effect) -> Result<Option<Value>, Problem> {
        let outside = self.0.lock().unwrap();
        if outside.is_unreachable {
            return Err("no route to host".into());
        }
        Ok(outside.done.iter().any(|done| done.id == effect.id).then(|| json!("found")))
    }
}

fn noting(provided: &Provided, contents: &'static [&'static [u8]]) -> Graph<Notes> {
    let (provided, tries) = (provided.clone(), Count::default());
    one_node(does(move |cx: &NodeCx, _: &Notes| {
        let (provided, tries) = (provided.clone(), tries.clone());
        Box::pin(async move {
            let index = usize::try_from(tries.add()).unwrap() - 1;
            let content = contents[index.min(contents.len() - 1)];
            let intent = Intent { key: "k", kind: "sample.note", target: "outside", content };
            let receipt = perform(cx, &AgentName::system(), intent, &provided).await?;
            Ok(note(cx, receipt.to_string()))
        })
    }))
}

#[tokio::test]
async fn an_effect_whose_answer_was_lost_is_found_and_not_repeated() {
    let (world, provided) = (World::new(), Provided::default());
    provided.0.lock().unwrap().loses_answers = true;
    let run = world.create().await;
    assert_eq!(world.go(run, &noting(&provided, &[b"x"])).await, Ok(Stop::Completed));
    assert_eq!(provided.0.lock().unwrap().done.len(), 1);
    assert_eq!(world.notes(run).await.of("a"), ["\"found\""]);
}

#[tokio::test]
async fn an_effect_in_doubt_waits_until_the_provider_can_be_asked() {
    let (world, provided) = (World::new(), Provided::default());
    {
        let mut outside = provided.0.lock().unwrap();
        (outside.loses_answers, outside.is_unreachable) = (true, true);
    }
    let graph = noting(&provided, &[b"x"]);
    let run = world.create().await;
    let Ok(Stop::Failed(failure)) = world.go(run, &graph).await else { panic!("it should fail") };
    assert_eq!(failure.code, "effect_in_doubt");
    let [entry] = world.store.effects(run).await.unwrap().try_into().unwrap();
    assert_eq!(entry.state, EffectState::Unknown { why: "no route to host".to_owned() });

    provided.0.lock().unwrap().is_unreachable = false;
    assert_eq!(world.go(run, &graph).await, Ok(Stop::Completed));
    assert_eq!(provided.0.lock().unwrap().done.len(), 1, "it happened once");
    let [entry] = world.store.effects(run).await.unwrap().try_into().unwrap();
    assert_eq!(entry.state, EffectState::Done { receipt: json!("found") });
}

#[tokio::test]
async fn an_effect_that_did_not_happen_is_said_not_to_have_happened() {
    let (world, provided) = (World::new(), Provided::default());
    provided.0.lock().unwrap().loses_requests = true;
    let graph = noting(&provided, &[b"x"]);
    let run = world.create().await;
    let Ok(Stop::Failed(failure)) = world.go(run, &graph).await else { panic!("it should fail") };
    assert_eq!(failure.message, "sample.note on outside did not happen: timed out");
    provided.0.lock().unwrap().loses_requests = false;
    assert_eq!(world.go(run, &graph).await, Ok(Stop::Completed));
    assert_eq!(provided.0.lock().unwrap().done.len(), 1);
}

#[tokio::test]
async fn an_effect_that_was_begun_with_other_content_is_not_guessed_at() {
    let (world, provided) = (World::new(), Provided::default());
    provided.0.lock().unwrap().loses_requests = true;
    let graph = noting(&provided, &[b"x", b"y"]);
    let run = world.create().await;
    assert!(matches!(world.go(run, &graph).await, Ok(Stop::Failed(_))));
    let Ok(Stop::Failed(failure)) = world.go(run, &graph).await else { panic!("it should fail") };
    assert_eq!(failure.code, "effect_changed");
}

fn warned(cx: &NodeCx, message: &str) -> Vec<Draft> {
    let warned = SystemEvent::Warned { message: message.to_owned(), details: Object::new() };
    vec![cx.draft(&AgentName::system(), EventKind::System(warned))]
}

async fn warnings(world: &World, run: RunId) -> Vec<String> {
    let events = world.runs.store().events(run, Seq::START, usize::MAX).await.unwrap();
    let message = |event: &Event| match &event.draft.kind {
        EventKind::System(SystemEvent::Warned { message, .. }) => Some(message.clone()),
        _ => None,
    };
    events.iter().filter_map(message).collect()
}

#[tokio::test]
async fn what_is_noted_goes_with_the_next_facts_or_the_end_of_the_visit() {
    let world = World::new();
    let graph = one_node(does(|cx: &NodeCx, _: &Notes| {
        Box::pin(async move {
            cx.note(warned(cx, "first"));
            cx.record(warned(cx, "second")).await?;
            cx.note(warned(cx, "third"));
            Err(NodeError::new("failed", "the note is kept all the same"))
        })
    }));
    let run = world.create().await;
    assert!(matches!(world.go(run, &graph).await, Ok(Stop::Failed(_))));
    assert_eq!(warnings(&world, run).await, ["first", "second", "third"]);
}

#[tokio::test]
async fn what_is_noted_does_not_wait_for_ever() {
    let world = World::new();
    let graph = one_node(does(|cx: &NodeCx, _: &Notes| {
        Box::pin(async move {
            cx.note(warned(cx, "alone"));
            cx.write_noted().await?;
            std::future::pending().await
        })
    }));
    let run = world.create().await;
    let mut watch = world.runs.watch(run, Seq::START);
    let seen = async { while watch.next().await.unwrap().draft.kind.name() != "system.warned" {} };
    tokio::select! {
        stop = world.go(run, &graph) => panic!("the node came to an end: {stop:?}"),
        () = seen => {}
    }
    assert_eq!(warnings(&world, run).await, ["alone"]);
}

/// Counts the events that are read.
struct Counting {
    inner: Arc<dyn Store>,
    read: Mutex<usize>,
}

#[async_trait]
impl StoreLayer for Counting {
    fn inner(&self) -> &dyn Store {
        &*self.inner
    }

    async fn events(&self, run: RunId, after: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        let events = self.inner.events(run, after, limit).await?;
        *self.read.lock().unwrap() += events.len();
        Ok(events)
    }
}

/// What is said in a conversation.
fn said(text: &str, session: Option<RunId>) -> Commit {
    let kind = EventKind::System(SystemEvent::Warned { message: text.to_owned(), details: Object::new() });
    let clock = SystemClock;
    let draft = Draft {
        id: EventId(clock.new_id()),
        at: clock.now(),
        agent: AgentName::system(),
        domain: Domain::default(),
        session,
        step: None,
        cause: None,
        kind,
    };
    Commit { drafts: vec![draft], ..Commit::default() }
}

/// Its commits take a while.
struct Slow(Arc<dyn Store>);

impl StoreLayer for Slow {
    fn inner(&self) -> &dyn Store {
        &*self.0
    }

    fn commit(&self, run: RunId, after: Seq, commit: Commit) -> StoreFuture<CommitReceipt> {
        let inner = Arc::clone(&self.0);
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(20)).await;
            inner.commit(run, after, commit).await
        })
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_submitted_is_read_also_when_its_caller_was_dropped() {
    let world = World::new();
    let run = world.create().await;
    let end = world.runs.store().run(run).await.unwrap().unwrap().view.seq;
    let slow = Arc::new(Slow(Arc::clone(world.runs.store())));
    let recorder = Recorder::new(slow as Arc<dyn Store>, Bus::default(), run, end);
    let session = RunId(SystemClock.new_id());
    tokio::select! {
        biased;
        committed = recorder.commit(said("ours", Some(session))) => panic!("{committed:?}"),
        () = std::future::ready(()) => {}
    }
    assert_eq!(recorder.session(session).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_conversation_that_was_read_back_is_read_on_from_there() {
    let world = World::new();
    let run = world.create().await;
    let end = world.runs.store().run(run).await.unwrap().unwrap().view.seq;
    let counting = Arc::new(Counting { inner: Arc::clone(world.runs.store()), read: Mutex::default() });
    let recorder = Recorder::new(Arc::clone(&counting) as Arc<dyn Store>, Bus::default(), run, end);
    let session = RunId(SystemClock.new_id());
    let say = async |text: &str, session: Option<RunId>| {
        recorder.commit(said(text, session)).await.unwrap();
    };
    let mut costs = Vec::new();
    // The last events are still in memory, of many only the last.
    for (turn, others) in (1..).zip([100, 100, 100, 3, 3]) {
        for _ in 0..others {
            say("by another", None).await;
        }
        say("ours", Some(session)).await;
        let before = *counting.read.lock().unwrap();
        assert_eq!(recorder.session(session).await.unwrap().len(), turn);
        costs.push(*counting.read.lock().unwrap() - before);
    }
    assert_eq!(costs[1..], [101, 101, 0, 0], "only what is new");
}
