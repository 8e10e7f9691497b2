//! The shapes of the notifications, field by field as the document has them.

use std::collections::BTreeMap;

use amelia_core::event::guardrail::{GuardrailAction, PolicyChange};
use amelia_core::event::human::InterventionKind;
use amelia_core::event::system::HealthStatus;
use amelia_core::event::team::HandoffKind;
use amelia_core::message::{CheckKind, ExecutionMode, MemoryKind, Object};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::agentx::Severity;
use crate::agentx::step::{Artifact, ToolCall, ToolResult};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum ExecutionEvent {
    #[serde(rename = "event_task_start")]
    TaskStart {
        task_id: String,
        timestamp: Timestamp,
        initial_prompt: String,
        execution_mode: ExecutionMode,
        team_config: Object,
    },
    #[serde(rename = "event_task_complete")]
    TaskComplete {
        task_id: String,
        timestamp: Timestamp,
        final_status: FinalStatus,
        summary: Option<String>,
        artifacts_created: Vec<String>,
        total_steps: u64,
        total_duration_ms: u64,
    },
    #[serde(rename = "event_task_paused")]
    TaskPaused { task_id: String, timestamp: Timestamp, reason: String, context: Object },
    #[serde(rename = "event_task_resumed")]
    TaskResumed { task_id: String, timestamp: Timestamp, reason: String, context: Object },
    #[serde(rename = "event_agent_start")]
    AgentStart {
        agent_name: String,
        step_id: String,
        timestamp: Timestamp,
        context_size: Option<u64>,
        memory_retrieved: Option<u64>,
    },
    #[serde(rename = "event_agent_complete")]
    AgentComplete {
        agent_name: String,
        step_id: String,
        timestamp: Timestamp,
        token_count: Option<u64>,
        execution_time_ms: Option<u64>,
        memory_stored: Option<u64>,
    },
    #[serde(rename = "event_agent_handoff")]
    AgentHandoff {
        from_agent: String,
        to_agent: String,
        reason: String,
        timestamp: Timestamp,
        context: Object,
        handoff_type: HandoffKind,
    },
    #[serde(rename = "event_parallel_start")]
    ParallelStart {
        agents: Vec<String>,
        coordination_agent: Option<String>,
        timestamp: Timestamp,
        sync_points: Vec<String>,
    },
    #[serde(rename = "event_parallel_sync")]
    ParallelSync {
        sync_point: String,
        completed_agents: Vec<String>,
        waiting_agents: Vec<String>,
        timestamp: Timestamp,
    },
    #[serde(rename = "event_consensus_proposal")]
    ConsensusProposal {
        proposal_id: String,
        proposer_agent: String,
        decision: String,
        stakeholders: Vec<String>,
        timestamp: Timestamp,
    },
    #[serde(rename = "event_consensus_vote")]
    ConsensusVote {
        proposal_id: String,
        voter_agent: String,
        vote: String,
        reasoning: String,
        timestamp: Timestamp,
    },
    #[serde(rename = "event_consensus_reached")]
    ConsensusReached {
        proposal_id: String,
        final_decision: String,
        votes: BTreeMap<String, String>,
        timestamp: Timestamp,
    },
    #[serde(rename = "event_tool_call")]
    ToolCall { tool_call: ToolCall, agent_name: String, timestamp: Timestamp, sandbox_id: Option<String> },
    #[serde(rename = "event_tool_result")]
    ToolResult {
        tool_result: ToolResult,
        timestamp: Timestamp,
        execution_time_ms: Option<u64>,
        sandbox_id: Option<String>,
    },
    #[serde(rename = "event_memory_store")]
    MemoryStore {
        memory_id: String,
        memory_type: MemoryKind,
        agent_name: String,
        content_size: u64,
        timestamp: Timestamp,
    },
    #[serde(rename = "event_memory_retrieve")]
    MemoryRetrieve {
        query: String,
        results_count: u64,
        agent_name: String,
        timestamp: Timestamp,
        relevance_threshold: Option<f64>,
    },
    #[serde(rename = "event_memory_consolidate")]
    MemoryConsolidate { topic: String, items_consolidated: u64, timestamp: Timestamp, summary_length: u64 },
    #[serde(rename = "event_hitl_request")]
    HitlRequest {
        request_id: String,
        request_type: RequestType,
        agent_name: String,
        context: Object,
        timeout: Option<u64>,
        timestamp: Timestamp,
    },
    #[serde(rename = "event_hitl_response")]
    HitlResponse {
        request_id: String,
        response_type: ResponseType,
        response_data: Object,
        response_time_ms: u64,
        timestamp: Timestamp,
    },
    #[serde(rename = "event_guardrail_violation")]
    GuardrailViolation {
        violation_id: String,
        check_type: CheckKind,
        severity: Severity,
        policy_violated: String,
        agent_name: Option<String>,
        content_sample: Option<String>,
        action_taken: GuardrailAction,
        timestamp: Timestamp,
    },
    #[serde(rename = "event_guardrail_policy_update")]
    GuardrailPolicyUpdate {
        policy_name: String,
        update_type: PolicyChange,
        updated_by: String,
        timestamp: Timestamp,
    },
    #[serde(rename = "event_artifact_created")]
    ArtifactCreated { artifact: Artifact, created_by: String, timestamp: Timestamp },
    #[serde(rename = "event_artifact_modified")]
    ArtifactModified {
        artifact_uri: String,
        modified_by: String,
        changes: Object,
        version: String,
        timestamp: Timestamp,
    },
    #[serde(rename = "event_artifact_versioned")]
    ArtifactVersioned {
        artifact_uri: String,
        old_version: String,
        new_version: String,
        reason: String,
        timestamp: Timestamp,
    },
    #[serde(rename = "event_error")]
    Error {
        error_id: String,
        error_type: String,
        error_message: String,
        context: Object,
        timestamp: Timestamp,
        recoverable: bool,
        recovery_action: Option<String>,
        stack_trace: Option<String>,
    },
    #[serde(rename = "event_recovery")]
    Recovery {
        error_id: String,
        recovery_strategy: String,
        success: bool,
        timestamp: Timestamp,
        details: Object,
    },
    #[serde(rename = "event_breakpoint_hit")]
    BreakpointHit {
        breakpoint_id: String,
        breakpoint_type: String,
        context: Object,
        timestamp: Timestamp,
        agent_name: Option<String>,
    },
    #[serde(rename = "event_user_intervention")]
    UserIntervention {
        intervention_id: String,
        intervention_type: InterventionKind,
        details: Object,
        timestamp: Timestamp,
        user_id: Option<String>,
    },
    #[serde(rename = "event_health_check")]
    HealthCheck { component: String, status: HealthStatus, metrics: Object, timestamp: Timestamp },
    #[serde(rename = "event_performance_metric")]
    PerformanceMetric {
        metric_name: String,
        metric_value: f64,
        metric_unit: String,
        component: String,
        timestamp: Timestamp,
        tags: BTreeMap<String, String>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinalStatus {
    Success,
    Error,
    Cancelled,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestType {
    Approval,
    Feedback,
    Escalation,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseType {
    Approved,
    Rejected,
    Modified,
    Timeout,
}
