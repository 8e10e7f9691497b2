//! The first version's one state object, as a view of a run.

use amelia_core::config::profile as core;
use amelia_core::event::{AgentEvent, Event, EventKind, ReviewEvent};
use amelia_core::message::{Message, Part, Role};
use amelia_core::plan::Plan;
use amelia_core::run::RunStatus;
use amelia_core::tracker;
use amelia_core::view::RunRow;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::followed::followed;
use super::plan::TaskDAG;
use super::{Profile, Severity};
use crate::amelia::driver::ToolCall;
use crate::amelia::plan::Issue;
use crate::amelia::review::{comment, persona};
use crate::amelia::state::fold::{Extent, StateFold};

/// The state of a run in the format of the first version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ExecutionState {
    #[schema(value_type = Object)]
    pub profile: Profile,
    #[schema(value_type = Option<Object>, required)]
    pub issue: Option<Issue>,
    #[schema(value_type = Option<Object>, required)]
    pub plan: Option<TaskDAG>,
    #[schema(required)]
    pub current_task_id: Option<String>,
    #[schema(required)]
    pub human_approved: Option<bool>,
    #[schema(value_type = Vec<Object>)]
    pub review_results: Vec<ReviewResult>,
    #[schema(value_type = Vec<Object>)]
    pub messages: Vec<AgentMessage>,
    #[schema(required)]
    pub code_changes_for_review: Option<String>,
    #[schema(required)]
    pub claude_session_id: Option<String>,
    #[schema(value_type = String)]
    pub workflow_status: WorkflowStatus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkflowStatus {
    Running,
    Completed,
    Failed,
}

impl From<RunStatus> for WorkflowStatus {
    fn from(status: RunStatus) -> Self {
        match status {
            RunStatus::Pending | RunStatus::Running | RunStatus::Waiting(_) => Self::Running,
            RunStatus::Completed => Self::Completed,
            RunStatus::Failed | RunStatus::Cancelled => Self::Failed,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewResult {
    pub reviewer_persona: String,
    pub approved: bool,
    pub comments: Vec<String>,
    pub severity: Severity,
}

impl From<&amelia_core::review::Review> for ReviewResult {
    fn from(review: &amelia_core::review::Review) -> Self {
        Self {
            reviewer_persona: persona(&review.persona),
            approved: review.approved,
            comments: review.comments.iter().map(comment).collect(),
            severity: review.severity.into(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentMessage {
    pub role: Role,
    pub content: String,
    pub tool_calls: Option<Vec<Value>>,
}

impl From<&Message> for AgentMessage {
    fn from(message: &Message) -> Self {
        let calls = message.parts.iter().filter_map(|part| match part {
            Part::ToolCall(call) => serde_json::to_value(ToolCall::from(call.clone())).ok(),
            Part::Text(_)
            | Part::Thinking(_)
            | Part::ToolResult(_)
            | Part::Artifact(_)
            | Part::Image(_)
            | Part::Audio(_)
            | Part::Memory(_)
            | Part::Guardrail(_) => None,
        });
        let calls: Vec<Value> = calls.collect();
        Self { role: message.role, content: message.text(), tool_calls: (!calls.is_empty()).then_some(calls) }
    }
}

/// What only the graph's state knows.
#[derive(Debug, Clone, Default)]
pub struct Given {
    pub issue: Option<Issue>,
    pub plan: Option<Plan>,
    pub code_changes_for_review: Option<String>,
}

/// The run as the first version showed it, from its graph's state as JSON.
#[must_use]
pub fn shown(row: &RunRow, events: &[Event], state: &Value, changes: Option<String>) -> ExecutionState {
    let profile =
        row.run.spec.input.get("profile").and_then(|profile| core::Profile::deserialize(profile).ok());
    let issue = state.get("issue").and_then(|issue| tracker::Issue::deserialize(issue).ok());
    let (plan, current) = followed(row, state, issue.as_ref()).unzip();
    let given = Given { issue: issue.map(Into::into), plan, code_changes_for_review: changes };
    let shown = execution_state(row, events, Profile::from(&profile.unwrap_or_default()), given);
    ExecutionState { current_task_id: current.flatten().or(shown.current_task_id), ..shown }
}

/// The run as the first version showed it.
#[must_use]
pub fn execution_state(row: &RunRow, events: &[Event], profile: Profile, given: Given) -> ExecutionState {
    let fold = StateFold::of(events, Extent::Recent);
    ExecutionState {
        profile,
        issue: given.issue,
        plan: given.plan.map(Into::into),
        current_task_id: row.view.task.as_ref().map(|task| task.id.clone()),
        human_approved: fold.human_approved(),
        review_results: events.iter().filter_map(review).collect(),
        messages: events.iter().filter_map(message).collect(),
        code_changes_for_review: given.code_changes_for_review,
        claude_session_id: fold.driver_session,
        workflow_status: row.view.status.into(),
    }
}

fn review(event: &Event) -> Option<ReviewResult> {
    let EventKind::Review(ReviewEvent::Completed { review, .. }) = &event.draft.kind else { return None };
    Some(review.into())
}

fn message(event: &Event) -> Option<AgentMessage> {
    let EventKind::Agent(AgentEvent::Said(message)) = &event.draft.kind else { return None };
    Some((&**message).into())
}
