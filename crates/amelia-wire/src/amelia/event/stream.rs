//! What an agent is doing, for a screen that follows it: the same four words for every driver.

use amelia_core::driver::DeltaKind;
use amelia_core::event::{AgentEvent, Event, EventKind};
use amelia_core::message::Object;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::live::Live;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StreamEventType {
    ClaudeThinking,
    ClaudeToolCall,
    ClaudeToolResult,
    AgentOutput,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StreamEvent {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: StreamEventType,
    pub content: Option<String>,
    pub timestamp: Timestamp,
    pub agent: String,
    pub workflow_id: String,
    pub tool_name: Option<String>,
    pub tool_input: Option<Object>,
}

impl From<&Live> for StreamEvent {
    /// A piece of what is being thought, said or printed; ephemeral, and no event of the log.
    fn from(live: &Live) -> Self {
        let kind = match live.kind {
            DeltaKind::Thinking => StreamEventType::ClaudeThinking,
            DeltaKind::Text => StreamEventType::AgentOutput,
            DeltaKind::Tool => StreamEventType::ClaudeToolResult,
        };
        Self {
            id: live.id.to_string(),
            kind,
            content: Some(live.text.clone()),
            timestamp: live.at,
            agent: live.agent.to_string(),
            workflow_id: live.run.to_string(),
            tool_name: None,
            tool_input: None,
        }
    }
}

/// The event as a stream event; `None` when it is not an agent at work.
#[must_use]
pub fn stream_event(event: &Event) -> Option<StreamEvent> {
    let EventKind::Agent(agent) = &event.draft.kind else { return None };
    let (kind, content, tool_name, tool_input) = match agent {
        AgentEvent::Thought(thought) => {
            (StreamEventType::ClaudeThinking, Some(thought.text.clone()), None, None)
        }
        AgentEvent::Called(call) => {
            (StreamEventType::ClaudeToolCall, None, Some(call.tool.to_string()), Some(call.args.clone()))
        }
        AgentEvent::Returned(result) => {
            let content = result.error.clone().unwrap_or_else(|| result.output.clone());
            (StreamEventType::ClaudeToolResult, Some(content), Some(result.tool.to_string()), None)
        }
        AgentEvent::Finished { text, .. } => (StreamEventType::AgentOutput, Some(text.clone()), None, None),
        AgentEvent::Started { .. } | AgentEvent::Said(_) | AgentEvent::Used(_) => return None,
    };
    Some(StreamEvent {
        id: event.draft.id.to_string(),
        kind,
        content,
        timestamp: event.draft.at,
        agent: event.draft.agent.to_string(),
        workflow_id: event.run.to_string(),
        tool_name,
        tool_input,
    })
}
