//! An agent at work: what it thought, said, called and used.

use serde::{Deserialize, Serialize};

use super::EventLevel;
use crate::id::SessionId;
use crate::message::{Message, ThinkingPart};
use crate::text::one_line;
use crate::tool_call::{ToolCall, ToolResult};
use crate::usage::Usage;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum AgentEvent {
    Started {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context_tokens: Option<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        memories: Option<u64>,
        /// The vendor's conversation, by which it is found again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
    },
    Thought(ThinkingPart),
    Called(ToolCall),
    Returned(ToolResult),
    Said(Box<Message>),
    Used(Usage),
    Finished {
        text: String,
        is_error: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tokens: Option<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        duration_ms: Option<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        memories_stored: Option<u64>,
    },
}

impl AgentEvent {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Started { .. } => "agent.started",
            Self::Thought(_) => "agent.thought",
            Self::Called(_) => "agent.called",
            Self::Returned(_) => "agent.returned",
            Self::Said(_) => "agent.said",
            Self::Used(_) => "agent.used",
            Self::Finished { .. } => "agent.finished",
        }
    }

    pub(super) fn level(&self) -> EventLevel {
        match self {
            Self::Finished { is_error: true, .. } => EventLevel::Error,
            Self::Said(_) | Self::Finished { is_error: false, .. } => EventLevel::Info,
            Self::Started { .. } | Self::Thought(_) | Self::Called(_) | Self::Returned(_) | Self::Used(_) => {
                EventLevel::Debug
            }
        }
    }

    pub(super) fn summary(&self) -> String {
        match self {
            Self::Started { .. } => "agent started".to_owned(),
            Self::Thought(thought) => format!("thinks: {}", one_line(&thought.text)),
            Self::Called(call) => format!("calls {}", call.tool),
            Self::Returned(result) => match &result.error {
                Some(error) => format!("{} failed: {}", result.tool, one_line(error)),
                None => format!("{} returned {} bytes", result.tool, result.output.len()),
            },
            Self::Said(message) => one_line(&message.text()),
            Self::Used(usage) => {
                let cost = match usage.cost_usd {
                    Some(cost) => format!("{cost:.4} USD"),
                    None => "cost unknown".to_owned(),
                };
                let note = if usage.is_estimated { " (estimated)" } else { "" };
                format!("used {} tokens, {cost}{note}", usage.tokens())
            }
            Self::Finished { text, is_error: false, .. } => format!("done: {}", one_line(text)),
            Self::Finished { text, is_error: true, .. } => format!("gave up: {}", one_line(text)),
        }
    }
}
