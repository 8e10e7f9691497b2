//! How a tool call is written down: before it starts and when it has ended, with what it did to files.

use std::sync::Arc;

use amelia_core::event::{Event, EventKind};
use amelia_core::id::AgentName;
use amelia_core::redact::Redactor;
use amelia_core::tool::ToolResult;
use amelia_graph::journaled::{Interrupted, JournalState, JournaledWork, ToolWork};

/// A tool call whose beginning may be in the log already, and whose end may wait a moment when it can be repeated.
pub(crate) struct Watched {
    pub(crate) work: ToolWork,
    pub(crate) is_announced: bool,
    /// It writes, and may be made again all the same.
    pub(crate) may_repeat: bool,
    pub(crate) redactor: Arc<Redactor>,
}

/// What came of a call, and what it did to files.
pub(crate) struct CallResult {
    pub(crate) result: ToolResult,
    pub(crate) files: Vec<EventKind>,
}

impl From<ToolResult> for CallResult {
    fn from(result: ToolResult) -> Self {
        Self { result, files: Vec::new() }
    }
}

impl JournaledWork for Watched {
    type Value = CallResult;

    fn agent(&self) -> &AgentName {
        self.work.agent()
    }

    fn begun(&self) -> Option<EventKind> {
        if self.is_announced { None } else { self.work.begun() }
    }

    fn ended(&self, done: &CallResult) -> Vec<EventKind> {
        let files = done.files.iter().cloned().map(|kind| self.redactor.clean(kind));
        files.chain(self.work.ended(&done.result)).collect()
    }

    fn end_may_wait(&self) -> bool {
        self.work.risk.is_repeatable()
    }

    fn find(&self, past: &[Event]) -> JournalState<CallResult> {
        // What was announced in this life cannot be of an earlier one: no need to look through a long past.
        if self.is_announced {
            return JournalState::Nothing;
        }
        match self.work.find(past) {
            JournalState::Nothing => JournalState::Nothing,
            JournalState::Begun => JournalState::Begun,
            JournalState::Ended(result) => JournalState::Ended(result.into()),
        }
    }

    fn interrupted(&self) -> Interrupted<CallResult> {
        match self.work.interrupted() {
            _ if self.may_repeat => Interrupted::Repeat,
            Interrupted::Repeat => Interrupted::Repeat,
            Interrupted::Assume(result) => Interrupted::Assume(result.into()),
            Interrupted::Ask => Interrupted::Ask,
        }
    }
}
