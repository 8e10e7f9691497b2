//! One turn as a step with typed parts.
//!
//! The dialect has no part for a model's thinking: it is left out of `parts` and kept in `metadata.thinking`.
//! It has no role either: `metadata.role` says it for turns that are not an assistant's.

use std::collections::BTreeMap;

use amelia_core::message::{
    self as core, CheckKind, CheckStatus, ExecutionMode, MemoryKind, MemoryOperation, Message, Object, Part,
    Role,
};
use amelia_core::tool;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Severity, step_id};
use crate::live::Live;

/// One complete turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskStep {
    pub step_id: String,
    pub timestamp: Timestamp,
    pub agent_name: String,
    pub task_id: Option<String>,
    pub parent_step_id: Option<String>,
    pub execution_mode: ExecutionMode,
    pub memory_context: Object,
    pub parts: Vec<StepPart>,
    pub metadata: Object,
}

/// One piece of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum StepPart {
    Text {
        text: String,
        language: Option<String>,
        confidence: Option<f64>,
    },
    ToolCall {
        tool_call: ToolCall,
    },
    ToolResult {
        tool_result: ToolResult,
    },
    Artifact {
        artifact: Artifact,
    },
    Image {
        image_url: String,
        alt_text: Option<String>,
        dimensions: Option<BTreeMap<String, u32>>,
        format: Option<String>,
    },
    Audio {
        audio_url: String,
        transcript: Option<String>,
        duration_seconds: Option<f64>,
        format: Option<String>,
        sample_rate: Option<u32>,
    },
    Memory {
        operation: MemoryOperation,
        references: Vec<MemoryReference>,
        content: Option<Object>,
    },
    Guardrail {
        checks: Vec<GuardrailCheck>,
        overall_status: CheckStatus,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    pub id: String,
    pub tool_name: String,
    pub args: Object,
    pub expected_output_type: Option<String>,
    pub timeout: Option<u64>,
    pub retry_policy: Option<Object>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    pub tool_call_id: String,
    pub result: String,
    pub error: Option<String>,
    pub artifacts: Vec<String>,
    pub execution_time_ms: Option<u64>,
    pub resource_usage: Option<Object>,
    pub exit_code: Option<i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Artifact {
    pub uri: String,
    pub mime_type: String,
    pub size_bytes: Option<u64>,
    pub description: Option<String>,
    pub version: Option<String>,
    pub checksum: Option<String>,
    #[serde(default)]
    pub metadata: Object,
    pub created_by: Option<String>,
    #[serde(default)]
    pub tags: Vec<String>,
}

same_fields!(
    Artifact = core::Artifact {
        uri,
        mime_type,
        size_bytes,
        description,
        version,
        checksum,
        metadata,
        created_by,
        tags,
    }
);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryReference {
    pub memory_id: String,
    pub memory_type: MemoryKind,
    pub relevance_score: Option<f64>,
    pub retrieval_query: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardrailCheck {
    pub check_id: String,
    pub check_type: CheckKind,
    pub status: CheckStatus,
    pub message: Option<String>,
    pub policy_violated: Option<String>,
    pub severity: Option<Severity>,
}

/// A piece of an answer on its way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StreamChunk {
    #[serde(rename = "type")]
    pub kind: ContentChunk,
    pub step_id: String,
    pub agent_name: String,
    pub text: String,
    pub is_final: bool,
    pub token_count: Option<u64>,
    pub timestamp: Timestamp,
}

/// The only type of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContentChunk {
    ContentChunk,
}

impl From<&Live> for StreamChunk {
    fn from(live: &Live) -> Self {
        Self {
            kind: ContentChunk::ContentChunk,
            step_id: step_id(live.turn.0),
            agent_name: live.agent.to_string(),
            text: live.text.clone(),
            is_final: live.is_final,
            token_count: live.tokens,
            timestamp: live.at,
        }
    }
}

impl From<Message> for TaskStep {
    fn from(message: Message) -> Self {
        let mut metadata = message.metadata;
        match message.role {
            Role::Assistant => {}
            Role::System => drop(metadata.insert("role".to_owned(), "system".into())),
            Role::User => drop(metadata.insert("role".to_owned(), "user".into())),
            Role::Tool => drop(metadata.insert("role".to_owned(), "tool".into())),
        }
        let mut thinking: Vec<Value> = Vec::new();
        let mut parts = Vec::with_capacity(message.parts.len());
        for part in message.parts {
            match step_part(part) {
                Ok(part) => parts.push(part),
                Err(thought) => thinking.push(thought.text.into()),
            }
        }
        if !thinking.is_empty() {
            metadata.insert("thinking".to_owned(), thinking.into());
        }
        let mut memory_context = message.memory;
        if let Some(references) = referred(&parts) {
            memory_context.entry("references").or_insert(references);
        }
        Self {
            step_id: step_id(message.id.0),
            timestamp: message.at,
            agent_name: message.agent.to_string(),
            task_id: message.task,
            parent_step_id: message.parent.map(|parent| step_id(parent.0)),
            execution_mode: message.mode,
            memory_context,
            parts,
            metadata,
        }
    }
}

/// The entries of memory that a turn refers to.
fn referred(parts: &[StepPart]) -> Option<Value> {
    let ids = parts.iter().flat_map(|part| match part {
        StepPart::Memory { references, .. } => references.as_slice(),
        StepPart::Text { .. }
        | StepPart::ToolCall { .. }
        | StepPart::ToolResult { .. }
        | StepPart::Artifact { .. }
        | StepPart::Image { .. }
        | StepPart::Audio { .. }
        | StepPart::Guardrail { .. } => &[],
    });
    let ids: Vec<Value> = ids.map(|reference| reference.memory_id.clone().into()).collect();
    (!ids.is_empty()).then_some(Value::Array(ids))
}

/// The part in this dialect, or the thought that has none.
fn step_part(part: Part) -> Result<StepPart, core::ThinkingPart> {
    Ok(match part {
        Part::Thinking(thought) => return Err(thought),
        Part::Text(core::TextPart { text, language, confidence }) => {
            StepPart::Text { text, language, confidence }
        }
        Part::ToolCall(call) => StepPart::ToolCall { tool_call: call.into() },
        Part::ToolResult(result) => StepPart::ToolResult { tool_result: result.into() },
        Part::Artifact(artifact) => StepPart::Artifact { artifact: artifact.into() },
        Part::Image(core::ImagePart { url, alt_text, dimensions, format }) => StepPart::Image {
            image_url: url,
            alt_text,
            dimensions: dimensions.map(|size| {
                BTreeMap::from([("width".to_owned(), size.width), ("height".to_owned(), size.height)])
            }),
            format,
        },
        Part::Audio(core::AudioPart { url, transcript, duration_seconds, format, sample_rate }) => {
            StepPart::Audio { audio_url: url, transcript, duration_seconds, format, sample_rate }
        }
        Part::Memory(core::MemoryPart { operation, references, content }) => StepPart::Memory {
            operation,
            references: references.into_iter().map(Into::into).collect(),
            content,
        },
        Part::Guardrail(core::GuardrailPart { checks, overall }) => StepPart::Guardrail {
            checks: checks.into_iter().map(Into::into).collect(),
            overall_status: overall,
        },
    })
}

impl From<tool::ToolCall> for ToolCall {
    fn from(call: tool::ToolCall) -> Self {
        Self {
            id: call.id.to_string(),
            tool_name: call.tool.to_string(),
            args: call.args,
            expected_output_type: call.options.expects,
            timeout: call.options.timeout_seconds,
            retry_policy: call.options.retry,
        }
    }
}

impl From<tool::ToolResult> for ToolResult {
    fn from(result: tool::ToolResult) -> Self {
        Self {
            tool_call_id: result.call.to_string(),
            result: result.output,
            error: result.error,
            artifacts: result.artifacts,
            execution_time_ms: result.duration_ms,
            resource_usage: result.resources,
            exit_code: result.exit_code,
        }
    }
}

impl From<core::MemoryReference> for MemoryReference {
    fn from(reference: core::MemoryReference) -> Self {
        Self {
            memory_id: reference.memory,
            memory_type: reference.kind,
            relevance_score: reference.relevance,
            retrieval_query: reference.query,
        }
    }
}

impl From<core::GuardrailCheck> for GuardrailCheck {
    fn from(check: core::GuardrailCheck) -> Self {
        Self {
            check_id: check.id,
            check_type: check.kind,
            status: check.status,
            message: check.message,
            policy_violated: check.policy,
            severity: check.severity.map(Into::into),
        }
    }
}
