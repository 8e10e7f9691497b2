//! The part of a pipeline's state that is a fold of the log.

use amelia_core::event::{AgentEvent, Event, EventKind, HumanEvent, PlanEvent, ReviewEvent, TaskEvent};
use amelia_core::human::HumanKind;
use serde::{Deserialize, Serialize};

use crate::amelia::driver::{ToolCall, ToolResult};
use crate::amelia::plan::PlanValidationResult;
use crate::amelia::review::{EvaluationResult, ReviewResult, Severity};
use crate::facts::Facts;

/// What the log knows.
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

impl FromLog {
    /// Forgets all calls and results but the last `count`.
    pub(super) fn keep_last(&mut self, count: usize) {
        self.tool_calls.drain(..self.tool_calls.len().saturating_sub(count));
        self.tool_results.drain(..self.tool_results.len().saturating_sub(count));
    }

    /// `facts` are those after the event.
    pub(super) fn apply(&mut self, event: &Event, facts: &Facts) {
        match &event.draft.kind {
            EventKind::Agent(AgentEvent::Called(call)) => {
                // Most drivers leave the time of a call to the log.
                let timestamp = call.at.or(Some(event.draft.at));
                self.tool_calls.push(ToolCall { timestamp, ..call.clone().into() });
            }
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
            | EventKind::Task(
                TaskEvent::Failed { .. } | TaskEvent::Checked { .. } | TaskEvent::Committed { .. },
            )
            | EventKind::Run(_)
            | EventKind::Node(_)
            | EventKind::Team(_)
            | EventKind::Artifact(_)
            | EventKind::Memory(_)
            | EventKind::Guardrail(_)
            | EventKind::Ingest(_)
            | EventKind::System(_)
            | EventKind::Effect(_)
            | EventKind::Delivery(_) => {}
        }
    }

    fn apply_plan(&mut self, event: &PlanEvent) {
        match event {
            PlanEvent::Validated { tasks, .. } => {
                self.total_tasks = *tasks;
                self.plan_validation_result =
                    Some(PlanValidationResult { valid: true, issues: Vec::new(), severity: Severity::None });
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
            ReviewEvent::Evaluated { evaluation, .. } | ReviewEvent::RevisionRequested { evaluation, .. } => {
                self.evaluation_result = Some(evaluation.clone().into());
            }
        }
    }
}
