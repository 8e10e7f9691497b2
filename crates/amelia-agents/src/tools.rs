//! A toolbox whose calls are written down before they start and when they have ended. A tool never knows that it is
//! watched.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use amelia_core::event::{AgentEvent, Draft, Event, EventKind};
use amelia_core::id::{AgentName, CallId};
use amelia_core::message::{Message, Part};
use amelia_core::tool::{Risk, ToolBox, ToolCall, ToolCx, ToolName, ToolResult, ToolSpec};
use amelia_graph::journaled::{Entry, Found, Interrupted, ToolWork, journaled};
use amelia_graph::node::NodeCx;
use async_trait::async_trait;

/// Tools of one agent in one node visit.
pub struct JournaledTools {
    inner: Arc<dyn ToolBox>,
    cx: NodeCx,
    agent: AgentName,
    /// Kept, because the specs are large and every call asks.
    risks: BTreeMap<ToolName, Risk>,
    /// Calls that are in the log and have not started.
    announced: Mutex<BTreeSet<CallId>>,
}

impl JournaledTools {
    /// Watches `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn ToolBox>, cx: NodeCx, agent: AgentName) -> Self {
        let risks = inner.specs().into_iter().map(|spec| (spec.name, spec.risk)).collect();
        Self { inner, cx, agent, risks, announced: Mutex::default() }
    }

    /// The calls of a turn that come next for certain, to be written together with it: all when all only read, else
    /// the first one. A later one is not written before it is its turn: after a crash it must not look as if it had
    /// been begun.
    pub(crate) fn announce(&self, turn: &Message) -> Vec<Draft> {
        let mut calls: Vec<&ToolCall> = turn
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::ToolCall(call) => Some(call),
                _ => None,
            })
            .collect();
        if !calls.iter().all(|call| self.risks.get(&call.tool) == Some(&Risk::Read)) {
            calls.truncate(1);
        }
        let mut announced = self.announced.lock().unwrap_or_else(PoisonError::into_inner);
        announced.extend(calls.iter().map(|call| call.id.clone()));
        let called = |call: &ToolCall| EventKind::Agent(AgentEvent::Called(call.clone()));
        calls.into_iter().map(|call| self.cx.draft(&self.agent, called(call))).collect()
    }

    /// A tool that nobody knows is not run at all, so it may be "run" again.
    fn risk(&self, call: &ToolCall) -> Risk {
        self.risks.get(&call.tool).copied().unwrap_or(Risk::Read)
    }
}

#[async_trait]
impl ToolBox for JournaledTools {
    fn specs(&self) -> Vec<ToolSpec> {
        self.inner.specs()
    }

    async fn call(&self, cx: &ToolCx, call: &ToolCall) -> ToolResult {
        let is_announced = self.announced.lock().unwrap_or_else(PoisonError::into_inner).remove(&call.id);
        let work = ToolWork { agent: self.agent.clone(), call: call.clone(), risk: self.risk(call) };
        let done = journaled(&self.cx, &Watched { work, is_announced }, |_| async {
            Ok(match call.unreadable() {
                Some(error) => ToolResult { error: Some(error), ..ToolResult::interrupted(call) },
                None => self.inner.call(cx, call).await,
            })
        })
        .await;
        // The log cannot be written: the driver must not go on as if it could.
        done.unwrap_or_else(|error| ToolResult {
            error: Some(format!("not run: {error}")),
            ..ToolResult::interrupted(call)
        })
    }
}

/// A tool call whose beginning may be in the log already, and whose end may wait a moment when it can be repeated.
struct Watched {
    work: ToolWork,
    is_announced: bool,
}

impl Entry for Watched {
    type Value = ToolResult;

    fn agent(&self) -> &AgentName {
        self.work.agent()
    }

    fn begun(&self) -> Option<EventKind> {
        if self.is_announced { None } else { self.work.begun() }
    }

    fn ended(&self, result: &ToolResult) -> Vec<EventKind> {
        self.work.ended(result)
    }

    fn end_may_wait(&self) -> bool {
        self.work.risk.is_repeatable()
    }

    fn find(&self, past: &[Event]) -> Found<ToolResult> {
        // What was announced in this life cannot be of an earlier one: no need to look through a long past.
        if self.is_announced { Found::Nothing } else { self.work.find(past) }
    }

    fn interrupted(&self) -> Interrupted<ToolResult> {
        self.work.interrupted()
    }
}
