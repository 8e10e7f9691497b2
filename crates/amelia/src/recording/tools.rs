//! Tools whose results come from the log of the run that is played: nothing is run.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use amelia_core::event::{AgentEvent, Event, EventKind};
use amelia_core::id::{CallId, Seq};
use amelia_core::tool::{Ground, ToolBox, ToolCall, ToolCx, ToolResult, ToolSpec};
use async_trait::async_trait;

/// What tools returned, by call.
#[derive(Default)]
pub(crate) struct Results {
    by_call: HashMap<CallId, Vec<(Seq, ToolResult)>>,
    /// Where the log ends in the life that is played.
    until: Mutex<Seq>,
}

impl Results {
    pub(crate) fn of(events: &[Event]) -> Self {
        let mut by_call: HashMap<CallId, Vec<(Seq, ToolResult)>> = HashMap::new();
        for event in events {
            if let EventKind::Agent(AgentEvent::Returned(result)) = &event.draft.kind {
                by_call.entry(result.call.clone()).or_default().push((event.seq, result.clone()));
            }
        }
        Self { by_call, until: Mutex::default() }
    }

    pub(crate) fn go_on(&self, until: Seq) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    fn of_call(&self, call: &ToolCall) -> Option<ToolResult> {
        let until = *self.until.lock().unwrap_or_else(PoisonError::into_inner);
        let (seq, result) = self.by_call.get(&call.id)?.first()?;
        (*seq <= until).then(|| result.clone())
    }
}

/// The tools of a role, without hands.
pub(crate) struct PlayedTools {
    pub(crate) inner: Arc<dyn ToolBox>,
    pub(crate) ground: Ground,
    pub(crate) results: Arc<Results>,
}

#[async_trait]
impl ToolBox for PlayedTools {
    fn specs(&self) -> Vec<ToolSpec> {
        self.inner.specs()
    }

    fn ground(&self) -> Option<Ground> {
        Some(self.ground.clone())
    }

    async fn call(&self, _: &ToolCx, call: &ToolCall) -> ToolResult {
        match self.results.of_call(call) {
            Some(result) => result,
            // It had not returned when the process died.
            None => std::future::pending().await,
        }
    }
}
