//! The nodes at work. They are polled even while the engine commits: a node that holds its place in the
//! journal's queue must be able to finish, or both would wait for ever.

use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;

use amelia_core::event::{AgentEvent, Draft, EventKind};
use amelia_core::id::{NodeId, Step};
use futures_util::future::{Either, FutureExt, select};
use futures_util::stream::{FuturesUnordered, StreamExt};

use crate::node::{BoxedWork, Node, NodeCx, NodeError, Outcome};
use crate::notes::Notes;
use crate::state::State;

/// A node that has come to its end.
pub(crate) struct FinishedVisit<U> {
    pub(crate) node: NodeId,
    pub(crate) step: Step,
    pub(crate) started: jiff::Timestamp,
    /// What it noted and nothing has carried yet.
    pub(crate) noted: Vec<Draft>,
    pub(crate) outcome: Result<Outcome<U>, NodeError>,
}

/// All visits at work, and those that finished between two looks.
pub(crate) struct Visits<U> {
    working: FuturesUnordered<BoxedWork<FinishedVisit<U>>>,
    finished: VecDeque<FinishedVisit<U>>,
    /// What those at work have noted.
    notes: BTreeMap<Step, Arc<Notes>>,
}

impl<U: Send + 'static> Visits<U> {
    pub(crate) fn new() -> Self {
        Self { working: FuturesUnordered::new(), finished: VecDeque::new(), notes: BTreeMap::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.working.is_empty() && self.finished.is_empty()
    }

    /// Puts a node to work. A panic in it is that node's failure, not the program's.
    pub(crate) fn start<S: State<Update = U>>(&mut self, work: Arc<dyn Node<S>>, cx: NodeCx, state: Arc<S>) {
        self.notes.insert(cx.step, Arc::clone(&cx.notes));
        self.working.push(Box::pin(async move {
            let started = cx.now();
            let outcome = AssertUnwindSafe(work.run(&cx, &state)).catch_unwind().await;
            let outcome = outcome.unwrap_or_else(|panic| Err(panicked(panic.as_ref())));
            cx.shared.journal.turn_of(cx.step).await;
            FinishedVisit { noted: cx.notes.take(), node: cx.node, step: cx.step, started, outcome }
        }));
    }

    /// The next visit to finish; never, when none is at work.
    pub(crate) async fn next(&mut self) -> FinishedVisit<U> {
        let finished = match self.finished.pop_front() {
            Some(finished) => Some(finished),
            None => self.working.next().await,
        };
        match finished {
            Some(finished) => {
                self.notes.remove(&finished.step);
                finished
            }
            None => std::future::pending().await,
        }
    }

    /// Stops them all where they are, as if the process had died. Returns what was used and is not written yet, also by
    /// calls that are dropped here; all else that they noted is made again when they are.
    pub(crate) fn stop(&mut self) -> Vec<Draft> {
        self.working = FuturesUnordered::new();
        let finished = std::mem::take(&mut self.finished).into_iter().flat_map(|finished| finished.noted);
        let working = std::mem::take(&mut self.notes).into_values().flat_map(|notes| notes.take());
        let is_use = |draft: &Draft| matches!(draft.kind, EventKind::Agent(AgentEvent::Used(_)));
        finished.chain(working).filter(is_use).collect()
    }

    /// Awaits `other` while the nodes continue.
    pub(crate) async fn meanwhile<T>(&mut self, other: impl Future<Output = T>) -> T {
        let mut other = pin!(other);
        loop {
            if self.working.is_empty() {
                return other.await;
            }
            match select(&mut other, self.working.next()).await {
                Either::Left((answer, _)) => return answer,
                Either::Right((finished, _)) => self.finished.extend(finished),
            }
        }
    }
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> NodeError {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    NodeError::new("node_panicked", format!("the node panicked: {text}"))
}
