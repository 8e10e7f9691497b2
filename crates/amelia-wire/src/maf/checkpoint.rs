//! Checkpoints.

use amelia_core::checkpoint::{CheckpointInfo, Position, Visit};
use amelia_core::id::{NodeId, RunId};
use amelia_core::message::{Object, Role};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Builder;

use super::message::{Message, State};

/// A saved state of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = TaskCheckpoint)]
pub struct Checkpoint {
    pub checkpoint_id: String,
    pub task_id: String,
    /// The state of the run's graph; for graph workflows, a [`super::message::State`].
    pub state: Value,
    /// The node, or the nodes with commas between them.
    pub position: String,
    pub sequence: u32,
    pub created_at: Timestamp,
    pub awaiting_human: bool,
}

/// A checkpoint and the state there.
#[must_use]
pub fn checkpoint(run: RunId, info: &CheckpointInfo, state: Value) -> Checkpoint {
    Checkpoint {
        checkpoint_id: checkpoint_id(run, info.number),
        task_id: run.to_string(),
        state: state_of(state),
        position: position(&info.position),
        sequence: info.number,
        created_at: info.at,
        awaiting_human: is_awaiting(&info.position),
    }
}

/// The state of a run of a workflow has the fields of the document; that of another pipeline is left as it is.
fn state_of(state: Value) -> Value {
    let Ok(chat) = Chat::deserialize(&state) else { return state };
    let message = |said: ChatMessage| Message {
        role: said.role,
        content: said.text,
        tool_calls: Vec::new(),
        timestamp: said.at,
    };
    let shown = State {
        messages: chat.messages.into_iter().map(message).collect(),
        next_action: chat.next_action,
        current_agent: chat.current_agent.unwrap_or_default(),
        routing_key: chat.routing_key,
        metadata: chat.metadata,
    };
    serde_json::to_value(shown).unwrap_or(state)
}

/// What is read of the state of a workflow.
#[derive(Deserialize)]
struct Chat {
    messages: Vec<ChatMessage>,
    current_agent: Option<String>,
    next_action: Option<String>,
    routing_key: Option<String>,
    metadata: Object,
}

#[derive(Deserialize)]
struct ChatMessage {
    role: Role,
    text: String,
    at: Timestamp,
}

/// A checkpoint is known by its run and number; the document wants a UUID, so that is made of them.
fn checkpoint_id(run: RunId, number: u32) -> String {
    let bytes = (run.0.as_u128() ^ u128::from(number)).to_be_bytes();
    Builder::from_random_bytes(bytes).into_uuid().to_string()
}

/// Where the run is: the nodes it is in, else those it stopped before, else those it will enter.
fn position(position: &Position) -> String {
    let join = |nodes: Vec<&NodeId>| nodes.iter().map(|node| node.as_str()).collect::<Vec<_>>().join(",");
    let candidates: [Vec<&NodeId>; 3] = [
        position.entered.keys().collect(),
        position.stopped.keys().collect(),
        position.ready.keys().collect(),
    ];
    candidates.into_iter().find(|nodes| !nodes.is_empty()).map_or_else(
        || if position.ended { amelia_core::config::workflow::END.to_owned() } else { String::new() },
        join,
    )
}

fn is_awaiting(position: &Position) -> bool {
    position.entered.values().any(Visit::is_waiting)
        || !position.stopped.is_empty()
        || position.held.is_some()
}
