//! Agents at work: turns, tools, files, memory.

use amelia_core::event::{AgentEvent, ArtifactEvent, Draft, MemoryEvent};
use amelia_core::object::Object;

use super::shape::ExecutionEvent;
use super::system::RETRY;
use crate::agentx::step_id;
use crate::facts::Facts;

pub(super) fn event(kind: &AgentEvent, draft: &Draft, facts: &Facts) -> Option<ExecutionEvent> {
    let agent_name = draft.agent.to_string();
    let timestamp = draft.at;
    match kind {
        AgentEvent::Started { context_tokens, memories, .. } => Some(ExecutionEvent::AgentStart {
            agent_name,
            step_id: step_id(draft.id.0),
            timestamp,
            context_size: *context_tokens,
            memory_retrieved: *memories,
        }),
        AgentEvent::Finished { tokens, duration_ms, memories_stored, .. } => {
            Some(ExecutionEvent::AgentComplete {
                agent_name,
                // The turn is named by the event that began it.
                step_id: step_id(draft.cause.unwrap_or(draft.id).0),
                timestamp,
                token_count: *tokens,
                execution_time_ms: *duration_ms,
                memory_stored: *memories_stored,
            })
        }
        AgentEvent::Called(call) => Some(ExecutionEvent::ToolCall {
            tool_call: call.clone().into(),
            agent_name,
            timestamp,
            sandbox_id: None,
        }),
        AgentEvent::Returned(result) => Some(ExecutionEvent::ToolResult {
            execution_time_ms: result.duration_ms,
            tool_result: result.clone().into(),
            timestamp,
            sandbox_id: None,
        }),
        // Its model has answered again.
        AgentEvent::Used(_) => facts.recovered_from(draft).map(|failed| ExecutionEvent::Recovery {
            error_id: failed.0.to_string(),
            recovery_strategy: RETRY.to_owned(),
            success: true,
            timestamp,
            details: Object::from_iter([("agent_name".to_owned(), agent_name.into())]),
        }),
        AgentEvent::Thought(_) | AgentEvent::Said(_) => None,
    }
}

pub(super) fn artifact(kind: &ArtifactEvent, draft: &Draft) -> Option<ExecutionEvent> {
    let timestamp = draft.at;
    match kind {
        ArtifactEvent::Created(artifact) => Some(ExecutionEvent::ArtifactCreated {
            created_by: artifact.created_by.clone().unwrap_or_else(|| draft.agent.to_string()),
            artifact: artifact.clone().into(),
            timestamp,
        }),
        ArtifactEvent::Modified { uri, version, changes, .. } => Some(ExecutionEvent::ArtifactModified {
            artifact_uri: uri.clone(),
            modified_by: draft.agent.to_string(),
            changes: changes.clone(),
            version: version.clone(),
            timestamp,
        }),
        ArtifactEvent::Versioned { uri, old, new, reason } => Some(ExecutionEvent::ArtifactVersioned {
            artifact_uri: uri.clone(),
            old_version: old.clone(),
            new_version: new.clone(),
            reason: reason.clone(),
            timestamp,
        }),
        ArtifactEvent::Deleted { .. } => None,
    }
}

pub(super) fn memory(kind: &MemoryEvent, draft: &Draft) -> ExecutionEvent {
    let agent_name = draft.agent.to_string();
    let timestamp = draft.at;
    match kind {
        MemoryEvent::Stored { memory, kind, size } => ExecutionEvent::MemoryStore {
            memory_id: memory.clone(),
            memory_type: *kind,
            agent_name,
            content_size: *size,
            timestamp,
        },
        MemoryEvent::Retrieved { query, results, threshold } => ExecutionEvent::MemoryRetrieve {
            query: query.clone(),
            results_count: *results,
            agent_name,
            timestamp,
            relevance_threshold: *threshold,
        },
        MemoryEvent::Consolidated { topic, items, summary_length } => ExecutionEvent::MemoryConsolidate {
            topic: topic.clone(),
            items_consolidated: *items,
            timestamp,
            summary_length: *summary_length,
        },
    }
}
