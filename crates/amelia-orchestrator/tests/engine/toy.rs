//! A toy state and toy nodes: every visit leaves a note.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use amelia_core::clock::TickingClock;
use amelia_core::human::{HumanKind, HumanReply, HumanRequest};
use amelia_core::id::{GraphName, RunId, Seq};
use amelia_core::run::RunSpec;
use amelia_core::store::{CheckpointAt, Store};
use amelia_graph::engine::{EngineError, Stop};
use amelia_graph::graph::Graph;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use amelia_graph::position::approval;
use amelia_graph::state::{State, rebuild};
use amelia_orchestrator::runs::{Move, Runs};
use amelia_store::memory::MemoryStore;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};

/// Notes by who left them; a branch writes only its own.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Notes(pub(crate) BTreeMap<String, Vec<String>>);

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Note {
    pub(crate) by: String,
    pub(crate) text: String,
}

impl State for Notes {
    type Update = Note;

    fn apply(&mut self, note: Note) {
        self.0.entry(note.by).or_default().push(note.text);
    }

    /// `NAME` is true once the node has left a note; `?` cannot be decided.
    fn decide(&self, condition: &str) -> Result<bool, String> {
        match condition {
            "?" => Err("nothing is known".to_owned()),
            name => Ok(self.count(name) > 0),
        }
    }
}

impl Notes {
    pub(crate) fn count(&self, by: &str) -> usize {
        self.0.get(by).map_or(0, Vec::len)
    }

    pub(crate) fn of(&self, by: &str) -> Vec<&str> {
        self.0.get(by).into_iter().flatten().map(String::as_str).collect()
    }
}

pub(crate) fn note(cx: &NodeCx, text: impl Into<String>) -> Outcome<Note> {
    Outcome::Done(vec![Note { by: cx.node().to_string(), text: text.into() }])
}

/// A node made of an async closure.
pub(crate) fn does<F>(work: F) -> impl Node<Notes>
where
    F: for<'a> Fn(&'a NodeCx, &'a Notes) -> Doing<'a> + Send + Sync,
{
    Does(work)
}

struct Does<F>(F);

#[async_trait]
impl<F> Node<Notes> for Does<F>
where
    F: for<'a> Fn(&'a NodeCx, &'a Notes) -> Doing<'a> + Send + Sync,
{
    async fn run(&self, cx: &NodeCx, state: &Notes) -> Result<Outcome<Note>, NodeError> {
        (self.0)(cx, state).await
    }
}

pub(crate) type Doing<'a> =
    std::pin::Pin<Box<dyn Future<Output = Result<Outcome<Note>, NodeError>> + Send + 'a>>;

/// A node that counts its tries and leaves a note.
pub(crate) fn works(tries: &Tries) -> impl Node<Notes> + use<> {
    let tries = tries.clone();
    does(move |cx: &NodeCx, _: &Notes| {
        let tries = tries.clone();
        Box::pin(async move {
            tries.add(cx.node().as_str());
            Ok(note(cx, "worked"))
        })
    })
}

/// A node that asks once and notes the answer.
pub(crate) fn asks() -> impl Node<Notes> {
    does(|cx: &NodeCx, _: &Notes| {
        Box::pin(async move {
            let Some(answered) = cx.answered() else {
                return Ok(Outcome::ask(
                    cx.request(HumanKind::Approval, format!("may {} go on?", cx.node())),
                ));
            };
            let word = if answered.is_approval() { "yes" } else { "no" };
            let message = answered.reply.message.clone().unwrap_or_default();
            Ok(note(cx, format!("{word} {message}")))
        })
    })
}

/// A node that never ends by itself.
pub(crate) fn hangs() -> impl Node<Notes> {
    does(|_: &NodeCx, _: &Notes| Box::pin(std::future::pending()))
}

/// How often each node was tried.
#[derive(Clone, Default)]
pub(crate) struct Tries(Arc<Mutex<BTreeMap<String, u32>>>);

impl Tries {
    pub(crate) fn add(&self, node: &str) -> u32 {
        let mut tries = self.0.lock().unwrap();
        let count = tries.entry(node.to_owned()).or_default();
        *count += 1;
        *count
    }

    pub(crate) fn of(&self, node: &str) -> u32 {
        self.0.lock().unwrap().get(node).copied().unwrap_or(0)
    }
}

/// A counter for everything else.
#[derive(Clone, Default)]
pub(crate) struct Count(Arc<AtomicU32>);

impl Count {
    pub(crate) fn add(&self) -> u32 {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }

    pub(crate) fn get(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }
}

/// A store in memory with runs on it.
pub(crate) struct World {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) runs: Runs,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::on(Arc::new(MemoryStore::new()))
    }

    pub(crate) fn on(store: Arc<dyn Store>) -> Self {
        let runs = Runs::new(Arc::clone(&store), Arc::new(TickingClock::default()));
        Self { store, runs }
    }

    pub(crate) fn spec() -> RunSpec {
        RunSpec::new(GraphName::new("toy").unwrap(), "a toy run")
    }

    pub(crate) async fn create(&self) -> RunId {
        self.runs.create(Self::spec()).await.unwrap()
    }

    pub(crate) async fn go(&self, run: RunId, graph: &Graph<Notes>) -> Result<Stop, EngineError> {
        self.runs.run(run, graph, Notes::default(), Move::default()).await
    }

    pub(crate) async fn reply(
        &self,
        run: RunId,
        graph: &Graph<Notes>,
        reply: HumanReply,
    ) -> Result<Stop, EngineError> {
        let how = Move { replies: vec![reply], ..Move::default() };
        self.runs.run(run, graph, Notes::default(), how).await
    }

    pub(crate) async fn notes(&self, run: RunId) -> Notes {
        let loaded = self.store.load(run, CheckpointAt::Latest).await.unwrap().unwrap();
        rebuild(&loaded).unwrap()
    }

    pub(crate) async fn pending(&self, run: RunId) -> Vec<HumanRequest> {
        self.store.run(run).await.unwrap().unwrap().view.pending
    }

    /// The log as one line per event.
    pub(crate) async fn log(&self, run: RunId) -> String {
        let events = self.store.events(run, Seq::START, 1000).await.unwrap();
        let lines = events.iter().map(|event| {
            format!("{} {}: {}", event.seq, event.draft.kind.name(), event.draft.kind.summary())
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

pub(crate) fn yes(request: &HumanRequest, message: &str) -> HumanReply {
    HumanReply { message: Some(message.to_owned()), ..approval(request, request.at) }
}
