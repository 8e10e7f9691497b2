//! What goes over a WebSocket, both ways.

use amelia_core::driver::DeltaKind;
use amelia_core::event::{Event, EventLevel};
use amelia_core::id::{AgentName, RunId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::Place;
use super::log::Numbered;
use crate::agentx::event::ExecutionEvent;
use crate::agentx::step::StreamChunk;
use crate::amelia::driver::AgenticMessage;
use crate::amelia::event::stream::StreamEvent;
use crate::amelia::event::{EventType, WorkflowEvent};
use crate::error::ErrorInfo;

/// `/ws/events`
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FeedQuery {
    /// Send all events after this cursor first. Default: only new events.
    #[param(value_type = Option<u64>)]
    pub since: Option<Place>,
    /// What to subscribe to from the start: `all`, or comma-separated ids.
    pub subscribe: Option<String>,
}

/// `/tasks/{id}/stream`, `/events` and `/content`
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct StreamQuery {
    /// Send all events after this sequence number first. Default: the whole log.
    #[param(value_type = Option<u64>)]
    pub after: Option<Place>,
    #[param(inline)]
    pub format: StreamFormat,
    /// Begin with the output so far of agents that are still writing.
    pub unfinished: bool,
}

/// The format of the messages on a run's socket.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StreamFormat {
    #[default]
    Agentx,
    /// Messages of the drivers, as AgenticMessage.
    Agentic,
    /// Every event as stored, with its level and a summary.
    Log,
    /// The same, but a frame can contain several messages, one per line.
    Lines,
}

/// What a server says on `/ws/events`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Said {
    Event {
        cursor: u64,
        payload: Box<WorkflowEvent>,
    },
    /// STREAM: a piece of what an agent is thinking, saying or printing; not in the log.
    Chunk {
        workflow_id: Uuid,
        payload: StreamEvent,
    },
    Ping {
        timestamp: Timestamp,
    },
    /// Everything that was there has been said; what comes now is new.
    BackfillComplete {
        cursor: u64,
        count: u64,
    },
    /// The reader is slow. Events were read from the log again and none is missing; chunks may be.
    Lagged {
        #[serde(skip_serializing_if = "Option::is_none")]
        missed_chunks: Option<u64>,
    },
    Error {
        error: ErrorInfo,
    },
}

/// What a server says on a run's own stream: notifications and chunks as they are.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SaidOfRun {
    Event(Box<Numbered<ExecutionEvent>>),
    Message(Box<Numbered<AgenticMessage>>),
    Chunk(StreamChunk),
    Other(Said),
}

/// What a server says on a stream with `?format=log`, beside [`Said`]: every event of the log, and every piece of
/// what is being thought, said or printed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SaidOfLog<'a> {
    Event {
        payload: LogEvent<'a>,
    },
    Delta {
        agent: &'a AgentName,
        /// The conversation, when it is not the run's own: an agent may have several at a time.
        #[serde(skip_serializing_if = "Option::is_none")]
        session: Option<RunId>,
        kind: DeltaKind,
        text: &'a str,
    },
}

/// An event as it is stored, with what a person reads of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LogEvent<'a> {
    #[serde(flatten)]
    event: &'a Event,
    level: EventLevel,
    summary: String,
}

impl<'a> From<&'a Event> for LogEvent<'a> {
    fn from(event: &'a Event) -> Self {
        let kind = &event.draft.kind;
        Self { event, level: kind.level(), summary: kind.summary() }
    }
}

/// The same, as a reader takes it. What else is said there is of no use to it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum HeardOfLog {
    Event {
        #[cfg_attr(test, ts(as = "LogEvent<'static>"))]
        payload: Box<Event>,
    },
    Delta {
        agent: AgentName,
        #[serde(default)]
        #[cfg_attr(test, ts(optional))]
        session: Option<RunId>,
        kind: DeltaKind,
        text: String,
    },
    /// No worker moves the run any more, and its log cannot say so.
    Error { error: ErrorInfo },
    /// Pieces of text are missing.
    Lagged {},
    #[serde(other)]
    Other,
}

/// What a client says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Heard {
    Subscribe { workflow_id: Uuid },
    Unsubscribe { workflow_id: Uuid },
    SubscribeAll,
    Pong,
}

impl EventType {
    /// What a screen with all runs needs to know: their beginnings, ends and questions.
    #[must_use]
    pub fn is_lifecycle(self) -> bool {
        matches!(
            self,
            Self::WorkflowCreated
                | Self::WorkflowStarted
                | Self::WorkflowCompleted
                | Self::WorkflowFailed
                | Self::WorkflowCancelled
                | Self::ApprovalRequired
                | Self::ApprovalGranted
                | Self::ApprovalRejected
        )
    }
}
