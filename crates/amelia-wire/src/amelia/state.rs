//! Pipeline states, as far as the log and the run's row tell them; what only the graph's own state knows is
//! given by the caller.

use amelia_core::event::{AgentEvent, Event, EventKind, HumanEvent, PlanEvent, ReviewEvent, TaskEvent};
use amelia_core::human::HumanKind;
use amelia_core::view::RunRow;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::driver::{ToolCall, ToolResult};
use super::oracle::OracleConsultation;
use super::plan::{Design, Issue, PlanValidationResult};
use super::review::{EvaluationResult, ReviewResult};
use crate::facts::Facts;
use crate::status::{AgenticStatus, Status};

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

/// The part that is a fold of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FromLog {
    pub tool_calls: Vec<ToolCall>,
    pub tool_results: Vec<ToolResult>,
    pub human_approved: Option<bool>,
    pub human_feedback: Option<String>,
    pub last_review: Option<ReviewResult>,
    pub review_iteration: u32,
    pub plan_validation_result: Option<PlanValidationResult>,
    pub plan_revision_count: u32,
    pub total_tasks: u32,
    pub current_task_index: u32,
    pub task_review_iteration: u32,
    pub evaluation_result: Option<EvaluationResult>,
}

impl Default for FromLog {
    fn default() -> Self {
        Self {
            tool_calls: Vec::new(),
            tool_results: Vec::new(),
            human_approved: None,
            human_feedback: None,
            last_review: None,
            review_iteration: 0,
            plan_validation_result: None,
            plan_revision_count: 0,
            total_tasks: 1,
            current_task_index: 0,
            task_review_iteration: 0,
            evaluation_result: None,
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
pub fn base_state(
    row: &RunRow,
    events: &[Event],
    consultations: Vec<OracleConsultation>,
) -> BasePipelineState {
    let spec = &row.run.spec;
    BasePipelineState {
        workflow_id: row.run.id.0,
        pipeline_type: spec.graph.to_string(),
        profile_id: spec.profile.clone().unwrap_or_else(|| "default".to_owned()),
        created_at: row.run.created_at,
        status: row.view.status.into(),
        history: events.iter().filter_map(history_entry).collect(),
        pending_user_input: !row.view.pending.is_empty(),
        user_message: last(events, user_message),
        driver_session_id: last(events, driver_session),
        final_response: row.view.summary.clone(),
        error: row.view.failure.as_ref().map(|failure| failure.message.clone()),
        oracle_consultations: consultations,
    }
}

/// The state of an implementation run.
#[must_use]
pub fn implementation_state(
    row: &RunRow,
    events: &[Event],
    consultations: Vec<OracleConsultation>,
    given: Given,
) -> ImplementationState {
    ImplementationState {
        base: base_state(row, events, consultations),
        log: from_log(events),
        agentic_status: row.view.status.into(),
        given,
    }
}

/// The state of a run with a single agent. The issue and the system prompt are in the run's input, if anywhere.
#[must_use]
pub fn agentic_state(row: &RunRow, events: &[Event]) -> AgenticState {
    let log = from_log(events);
    let input =
        |name: &str| row.run.spec.input.get(name).and_then(serde_json::Value::as_str).map(str::to_owned);
    AgenticState {
        workflow_id: row.run.id.0,
        issue_key: input("issue_id").unwrap_or_default(),
        goal: input("goal").or_else(|| input("prompt")).unwrap_or_else(|| row.run.spec.title.clone()),
        system_prompt: input("system_prompt"),
        tool_calls: log.tool_calls,
        tool_results: log.tool_results,
        final_response: row.view.summary.clone(),
        status: row.view.status.into(),
        error: row.view.failure.as_ref().map(|failure| failure.message.clone()),
        session_id: last(events, driver_session),
    }
}

pub(crate) fn last(events: &[Event], take: fn(&Event) -> Option<String>) -> Option<String> {
    events.iter().rev().find_map(take)
}

fn history_entry(event: &Event) -> Option<HistoryEntry> {
    let EventKind::Agent(AgentEvent::Said(_) | AgentEvent::Finished { .. }) = &event.draft.kind else {
        return None;
    };
    Some(HistoryEntry {
        timestamp: event.draft.at,
        agent: event.draft.agent.to_string(),
        message: event.draft.kind.summary(),
    })
}

fn user_message(event: &Event) -> Option<String> {
    let EventKind::Human(HumanEvent::Replied(reply)) = &event.draft.kind else { return None };
    reply.message.clone()
}

pub(crate) fn driver_session(event: &Event) -> Option<String> {
    let EventKind::Agent(AgentEvent::Finished { session, .. }) = &event.draft.kind else { return None };
    session.as_ref().map(ToString::to_string)
}

pub(crate) fn from_log(events: &[Event]) -> FromLog {
    let facts = Facts::of(events);
    events.iter().fold(FromLog::default(), |mut log, event| {
        log.apply(&event.draft.kind, &facts);
        log
    })
}

impl FromLog {
    fn apply(&mut self, kind: &EventKind, facts: &Facts) {
        match kind {
            EventKind::Agent(AgentEvent::Called(call)) => self.tool_calls.push(call.clone().into()),
            EventKind::Agent(AgentEvent::Returned(result)) => self.tool_results.push(result.clone().into()),
            EventKind::Human(HumanEvent::Replied(reply)) => {
                let request = facts.requests.get(&reply.request);
                if request.is_some_and(|request| request.kind == HumanKind::Approval) {
                    self.human_approved = Some(facts.is_granted(reply));
                    self.human_feedback.clone_from(&reply.message);
                }
            }
            EventKind::Plan(plan) => self.apply_plan(plan),
            EventKind::Task(TaskEvent::Started(task)) => {
                self.total_tasks = task.total;
                self.current_task_index = task.index;
                self.task_review_iteration = 0;
            }
            EventKind::Task(TaskEvent::Completed(task)) => {
                self.current_task_index = task.index.saturating_add(1);
            }
            EventKind::Review(review) => self.apply_review(review),
            EventKind::Agent(
                AgentEvent::Started { .. }
                | AgentEvent::Thought(_)
                | AgentEvent::Said(_)
                | AgentEvent::Used(_)
                | AgentEvent::Finished { .. },
            )
            | EventKind::Human(HumanEvent::Requested(_) | HumanEvent::Intervened(_))
            | EventKind::Task(TaskEvent::Failed { .. })
            | EventKind::Run(_)
            | EventKind::Node(_)
            | EventKind::Team(_)
            | EventKind::Artifact(_)
            | EventKind::Memory(_)
            | EventKind::Guardrail(_)
            | EventKind::Ingest(_)
            | EventKind::System(_)
            | EventKind::Effect(_) => {}
        }
    }

    fn apply_plan(&mut self, event: &PlanEvent) {
        match event {
            PlanEvent::Validated { tasks, .. } => {
                self.total_tasks = *tasks;
                self.plan_validation_result = Some(PlanValidationResult {
                    valid: true,
                    issues: Vec::new(),
                    severity: super::review::Severity::None,
                });
            }
            PlanEvent::Refused { verdict, revision } => {
                self.plan_validation_result = Some(verdict.clone().into());
                self.plan_revision_count = *revision;
            }
        }
    }

    fn apply_review(&mut self, event: &ReviewEvent) {
        match event {
            ReviewEvent::Requested { round, .. } => {
                self.review_iteration = self.review_iteration.saturating_add(1);
                self.task_review_iteration = *round;
            }
            ReviewEvent::Completed { review, .. } => self.last_review = Some(review.clone().into()),
            ReviewEvent::RevisionRequested { evaluation, .. } => {
                self.evaluation_result = Some(evaluation.clone().into());
            }
        }
    }
}
