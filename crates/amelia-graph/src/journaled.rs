//! Work inside a node that is written down as it happens, so that a node that is killed after an hour resumes
//! where it was. Tools and effects use [`journaled`]; they differ only in their [`Entry`]. A conversation needs none: its
//! turns are in the log, and a resumed agent reads them back.

use std::future::Future;

use amelia_core::event::{AgentEvent, Event, EventKind};
use amelia_core::id::AgentName;
use amelia_core::tool::{Risk, ToolCall, ToolResult};

use crate::node::{NodeCx, NodeError};

/// One piece of journaled work: how its beginning and end are written, and found again.
pub trait JournaledWork: Sync {
    type Value: Send;

    /// Who speaks.
    fn agent(&self) -> &AgentName;

    /// Written before the work starts. `None` when the work may simply be repeated, or this has been written.
    fn begun(&self) -> Option<EventKind>;

    /// Written when it has come to `value`, in one commit.
    fn ended(&self, value: &Self::Value) -> Vec<EventKind>;

    /// The end needs no commit of its own. Only for work that may be repeated: its end may be lost.
    fn end_may_wait(&self) -> bool {
        false
    }

    /// Looks for this work in what earlier tries recorded.
    fn find(&self, past: &[Event]) -> JournalState<Self::Value>;

    /// The process died after the beginning and before the end: what now?
    fn interrupted(&self) -> Interrupted<Self::Value>;
}

/// What a journal says about a piece of work.
#[derive(Debug, Clone, PartialEq)]
pub enum JournalState<V> {
    Nothing,
    Begun,
    Ended(V),
}

/// What to make of work that was begun and not ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Interrupted<V> {
    /// It changes nothing: run it again.
    Repeat,
    /// It may have happened: do not run it again, this is its value.
    Assume(V),
    /// Only the outside world knows: ask it, with the work given.
    Ask,
}

/// Does `work` once. When an earlier try of this visit has ended it, its recorded value is returned and `work`
/// is not called.
pub async fn journaled<E, F>(
    cx: &NodeCx,
    entry: &E,
    work: impl FnOnce(Attempt) -> F + Send,
) -> Result<E::Value, NodeError>
where
    E: JournaledWork,
    F: Future<Output = Result<E::Value, NodeError>> + Send,
{
    let attempt = match entry.find(cx.past().await?) {
        JournalState::Ended(value) => return Ok(value),
        JournalState::Nothing => {
            if let Some(begun) = entry.begun() {
                cx.record(vec![cx.draft(entry.agent(), begun)]).await?;
            }
            Attempt::First
        }
        JournalState::Begun => match entry.interrupted() {
            Interrupted::Repeat => Attempt::First,
            Interrupted::Ask => Attempt::InDoubt,
            Interrupted::Assume(value) => return end(cx, entry, value).await,
        },
    };
    let value = work(attempt).await?;
    end(cx, entry, value).await
}

/// Whether the work may have been done before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    First,
    /// It was begun before; its end is not known.
    InDoubt,
}

async fn end<E: JournaledWork>(cx: &NodeCx, entry: &E, value: E::Value) -> Result<E::Value, NodeError> {
    let ended = entry.ended(&value).into_iter().map(|kind| cx.draft(entry.agent(), kind)).collect();
    if entry.end_may_wait() {
        cx.note(ended);
    } else {
        cx.record(ended).await?;
    }
    Ok(value)
}

/// A tool call. Reading may run again; anything else that was interrupted is reported, and the model decides.
#[derive(Debug, Clone)]
pub struct ToolWork {
    pub agent: AgentName,
    pub call: ToolCall,
    pub risk: Risk,
}

impl JournaledWork for ToolWork {
    type Value = ToolResult;

    fn agent(&self) -> &AgentName {
        &self.agent
    }

    fn begun(&self) -> Option<EventKind> {
        Some(EventKind::Agent(AgentEvent::Called(self.call.clone())))
    }

    fn ended(&self, result: &ToolResult) -> Vec<EventKind> {
        vec![EventKind::Agent(AgentEvent::Returned(result.clone()))]
    }

    fn find(&self, past: &[Event]) -> JournalState<ToolResult> {
        let mut found = JournalState::Nothing;
        for event in past {
            match &event.draft.kind {
                EventKind::Agent(AgentEvent::Called(call)) if call.id == self.call.id => {
                    found = JournalState::Begun;
                }
                EventKind::Agent(AgentEvent::Returned(result)) if result.call == self.call.id => {
                    return JournalState::Ended(result.clone());
                }
                _ => {}
            }
        }
        found
    }

    fn interrupted(&self) -> Interrupted<ToolResult> {
        if self.risk.is_repeatable() {
            Interrupted::Repeat
        } else {
            Interrupted::Assume(ToolResult::interrupted(&self.call))
        }
    }
}
