//! What drivers say, as flat messages, and what it cost.

use amelia_core::driver::{AgentMessage, Usage};
use amelia_core::event::{AgentEvent, Event, EventKind};
use amelia_core::message::Object;
use amelia_core::tool;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::facts::Facts;

/// A call made by a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    pub id: String,
    pub tool_name: String,
    pub tool_input: Object,
    pub timestamp: Option<Timestamp>,
}

impl From<tool::ToolCall> for ToolCall {
    fn from(call: tool::ToolCall) -> Self {
        Self {
            id: call.id.to_string(),
            tool_name: call.tool.to_string(),
            tool_input: call.args,
            timestamp: call.at,
        }
    }
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    pub call_id: String,
    pub tool_name: String,
    pub output: String,
    pub success: bool,
    pub error: Option<String>,
    pub duration_ms: Option<u64>,
}

impl From<tool::ToolResult> for ToolResult {
    fn from(result: tool::ToolResult) -> Self {
        Self {
            call_id: result.call.to_string(),
            tool_name: result.tool.to_string(),
            success: result.is_success(),
            output: result.output,
            error: result.error,
            duration_ms: result.duration_ms,
        }
    }
}

/// What a driver knows about tokens; all of it optional.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DriverUsage {
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    pub cache_read_tokens: Option<u64>,
    pub cache_creation_tokens: Option<u64>,
    /// Not in the document: of these, those that are kept for an hour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_creation_1h_tokens: Option<u64>,
    pub cost_usd: Option<f64>,
    pub duration_ms: Option<u64>,
    pub num_turns: Option<u32>,
    pub model: Option<String>,
    /// Not in the document: the tokens were not told.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_estimated: bool,
}

same_fields!(
    DriverUsage = Usage {
        input_tokens,
        output_tokens,
        cache_read_tokens,
        cache_creation_tokens,
        cache_creation_1h_tokens,
        cost_usd,
        duration_ms,
        num_turns,
        model,
        is_estimated,
    }
);

/// Tokens that an agent has used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TokenUsage {
    pub id: String,
    pub workflow_id: String,
    pub agent: String,
    pub model: String,
    /// Includes `cache_read_tokens`, but not `cache_creation_tokens`.
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_read_tokens: u64,
    pub cache_creation_tokens: u64,
    /// `null` when the price is unknown.
    #[schema(required)]
    pub cost_usd: Option<f64>,
    pub timestamp: Timestamp,
}

/// The model that is meant when a driver names none.
const DEFAULT_MODEL: &str = "claude-sonnet-4-20250514";

/// The row that a usage event becomes; `None` for every other event.
#[must_use]
pub fn token_usage(event: &Event) -> Option<TokenUsage> {
    let EventKind::Agent(AgentEvent::Used(usage)) = &event.draft.kind else { return None };
    Some(TokenUsage {
        id: event.draft.id.to_string(),
        workflow_id: event.run.to_string(),
        agent: event.draft.agent.to_string(),
        model: usage.model.clone().unwrap_or_else(|| DEFAULT_MODEL.to_owned()),
        input_tokens: usage.input_tokens.unwrap_or(0),
        output_tokens: usage.output_tokens.unwrap_or(0),
        cache_read_tokens: usage.cache_read_tokens.unwrap_or(0),
        cache_creation_tokens: usage.cache_creation_tokens.unwrap_or(0),
        cost_usd: usage.cost_usd,
        timestamp: event.draft.at,
    })
}

/// Adds what an event says of consumption to that of the same agent and model. A cost is known only when that of every
/// call is.
pub(crate) fn add_usage(all: &mut Vec<TokenUsage>, event: &Event) {
    let Some(usage) = token_usage(event) else { return };
    let is_same = |other: &&mut TokenUsage| other.agent == usage.agent && other.model == usage.model;
    match all.iter_mut().find(is_same) {
        Some(sum) => sum.add(&usage),
        None => all.push(usage),
    }
}

impl TokenUsage {
    fn add(&mut self, other: &Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.cache_read_tokens = self.cache_read_tokens.saturating_add(other.cache_read_tokens);
        self.cache_creation_tokens = self.cache_creation_tokens.saturating_add(other.cache_creation_tokens);
        self.cost_usd = self.cost_usd.zip(other.cost_usd).map(|(one, two)| one + two);
        self.timestamp = other.timestamp;
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgenticMessageType {
    Thinking,
    ToolCall,
    ToolResult,
    #[default]
    Result,
    Usage,
}

/// One message of a driver.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AgenticMessage {
    #[serde(rename = "type")]
    pub kind: AgenticMessageType,
    pub content: Option<String>,
    pub tool_name: Option<String>,
    pub tool_input: Option<Object>,
    pub tool_output: Option<String>,
    pub tool_call_id: Option<String>,
    pub session_id: Option<String>,
    #[serde(default)]
    pub is_error: bool,
    pub model: Option<String>,
    pub usage: Option<DriverUsage>,
}

/// The message in Amelia's words; `None` for what is no message there: deltas, notices, and whole turns, whose
/// pieces are said one by one.
#[must_use]
pub fn agentic_message(message: AgentMessage) -> Option<AgenticMessage> {
    let empty = AgenticMessage::default();
    Some(match message {
        AgentMessage::Nested { message, .. } => return agentic_message(*message),
        AgentMessage::Delta { .. }
        | AgentMessage::Session(_)
        | AgentMessage::Said(_)
        | AgentMessage::Notice { .. }
        | AgentMessage::ScriptedModel
        | AgentMessage::Retry { .. } => return None,
        AgentMessage::Thinking { text } => {
            AgenticMessage { kind: AgenticMessageType::Thinking, content: Some(text), ..empty }
        }
        AgentMessage::ToolCall(call) => AgenticMessage {
            kind: AgenticMessageType::ToolCall,
            tool_name: Some(call.tool.to_string()),
            tool_input: Some(call.args),
            tool_call_id: Some(call.id.to_string()),
            ..empty
        },
        AgentMessage::ToolResult(result) => AgenticMessage {
            kind: AgenticMessageType::ToolResult,
            tool_name: Some(result.tool.to_string()),
            is_error: !result.is_success(),
            tool_output: Some(result.error.unwrap_or(result.output)),
            tool_call_id: Some(result.call.to_string()),
            ..empty
        },
        AgentMessage::Usage(usage) => AgenticMessage {
            kind: AgenticMessageType::Usage,
            model: usage.model.clone(),
            usage: Some(usage.into()),
            ..empty
        },
        AgentMessage::Result { text, session, is_error } => AgenticMessage {
            kind: AgenticMessageType::Result,
            content: Some(text),
            session_id: session.map(|session| session.to_string()),
            is_error,
            ..empty
        },
    })
}

/// The message that a driver gave and an event keeps; `None` when the event keeps none. Session and model are those of the
/// agent, as far as the log has named them.
#[must_use]
pub fn message_of(event: &Event, facts: &Facts) -> Option<AgenticMessage> {
    let EventKind::Agent(agent) = &event.draft.kind else { return None };
    let message = agentic_message(match agent {
        AgentEvent::Started { .. } | AgentEvent::Said(_) => return None,
        AgentEvent::Thought(thought) => AgentMessage::Thinking { text: thought.text.clone() },
        AgentEvent::Called(call) => AgentMessage::ToolCall(call.clone()),
        AgentEvent::Returned(result) => AgentMessage::ToolResult(result.clone()),
        AgentEvent::Used(usage) => AgentMessage::Usage(usage.clone()),
        AgentEvent::Finished { text, is_error, session, .. } => {
            AgentMessage::Result { text: text.clone(), session: session.clone(), is_error: *is_error }
        }
    })?;
    let name = &event.draft.agent;
    Some(AgenticMessage {
        session_id: message.session_id.or_else(|| facts.sessions.get(name).map(ToString::to_string)),
        model: message.model.or_else(|| facts.models.get(name).cloned()),
        ..message
    })
}
