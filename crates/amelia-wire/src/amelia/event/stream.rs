//! What an agent is doing, for a screen that follows it: the same four words for every driver.

use amelia_core::driver::DeltaKind;
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
