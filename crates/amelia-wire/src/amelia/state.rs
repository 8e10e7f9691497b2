//! Pipeline states, as far as the log and the run's row tell them; what only the graph's own state knows is
//! given by the caller.

pub mod fold;
pub mod log;
pub mod shown;

use amelia_core::view::RunRow;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::driver::{ToolCall, ToolResult};
use super::oracle::OracleConsultation;
use super::plan::{Design, Issue};
use crate::status::{AgenticStatus, Status};
use fold::StateFold;
use log::FromLog;

/// One action of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryEntry {
    pub timestamp: Timestamp,
    pub agent: String,
    pub message: String,
}

/// What every pipeline has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BasePipelineState {
    pub workflow_id: Uuid,
    pub pipeline_type: String,
    pub profile_id: String,
    pub created_at: Timestamp,
    pub status: Status,
    pub history: Vec<HistoryEntry>,
    pub pending_user_input: bool,
    pub user_message: Option<String>,
    pub driver_session_id: Option<String>,
    pub final_response: Option<String>,
    pub error: Option<String>,
    pub oracle_consultations: Vec<OracleConsultation>,
}

/// What the implementation pipeline has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImplementationState {
    #[serde(flatten)]
    pub base: BasePipelineState,
    #[serde(flatten)]
    pub log: FromLog,
    pub agentic_status: AgenticStatus,
    #[serde(flatten)]
    pub given: Given,
}

/// The part that only the graph's state knows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Given {
    pub issue: Option<Issue>,
    pub design: Option<Design>,
    pub goal: Option<String>,
    pub base_commit: Option<String>,
    pub plan_markdown: Option<String>,
    pub raw_architect_output: Option<String>,
    pub architect_error: Option<String>,
    pub plan_path: Option<String>,
    pub key_files: Vec<String>,
    pub code_changes_for_review: Option<String>,
    pub approved_items: Vec<u32>,
    pub review_pass: u32,
    pub max_review_passes: u32,
    pub external_plan: bool,
}

impl Default for Given {
    fn default() -> Self {
        Self {
            issue: None,
            design: None,
            goal: None,
            base_commit: None,
            plan_markdown: None,
            raw_architect_output: None,
            architect_error: None,
            plan_path: None,
            key_files: Vec::new(),
            code_changes_for_review: None,
            approved_items: Vec::new(),
            review_pass: 0,
            max_review_passes: 3,
            external_plan: false,
        }
    }
}

/// One agent at work on one goal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgenticState {
    pub workflow_id: Uuid,
    pub issue_key: String,
    pub goal: String,
    pub system_prompt: Option<String>,
    pub tool_calls: Vec<ToolCall>,
    pub tool_results: Vec<ToolResult>,
    pub final_response: Option<String>,
    pub status: AgenticStatus,
    pub error: Option<String>,
    pub session_id: Option<String>,
}

/// The state that all pipelines share.
#[must_use]
pub fn base_state(row: &RunRow, fold: &StateFold) -> BasePipelineState {
    let spec = &row.run.spec;
    BasePipelineState {
        workflow_id: row.run.id.0,
        pipeline_type: spec.graph.to_string(),
        profile_id: spec.profile.clone().unwrap_or_else(|| "default".to_owned()),
        created_at: row.run.created_at,
        status: row.view.status.into(),
        history: fold.history.clone(),
        pending_user_input: !row.view.pending.is_empty(),
        user_message: fold.user_message.clone(),
        driver_session_id: fold.driver_session.clone(),
        final_response: row.view.summary.clone(),
        error: row.view.failure.as_ref().map(|failure| failure.message.clone()),
        oracle_consultations: fold.consultations.iter().cloned().map(Into::into).collect(),
    }
}

/// The state of an implementation run.
#[must_use]
pub fn implementation_state(row: &RunRow, fold: &StateFold, given: Given) -> ImplementationState {
    ImplementationState {
        base: base_state(row, fold),
        log: fold.log(),
        agentic_status: row.view.status.into(),
        given,
    }
}

/// The state of a run with a single agent. The issue is in the run's input, if anywhere.
#[must_use]
pub fn agentic_state(row: &RunRow, fold: &StateFold, system_prompt: Option<String>) -> AgenticState {
    let log = fold.log();
    let input =
        |name: &str| row.run.spec.input.get(name).and_then(serde_json::Value::as_str).map(str::to_owned);
    AgenticState {
        workflow_id: row.run.id.0,
        issue_key: input("issue_id").unwrap_or_default(),
        goal: input("goal").or_else(|| input("prompt")).unwrap_or_else(|| row.run.spec.title.clone()),
        system_prompt,
        tool_calls: log.tool_calls,
        tool_results: log.tool_results,
        final_response: row.view.summary.clone(),
        status: row.view.status.into(),
        error: row.view.failure.as_ref().map(|failure| failure.message.clone()),
        session_id: fold.driver_session.clone(),
    }
}
