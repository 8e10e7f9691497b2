//! The life of a task.

use amelia_core::event::run::ResumeReason;
use amelia_core::event::{Event, RunEvent};
use amelia_core::human::HumanKind;
use amelia_core::message::{ExecutionMode, Object};
use amelia_core::run::RunSpec;
use serde::Deserialize;
use serde_json::Value;

use super::shape::{ExecutionEvent, FinalStatus};
use crate::facts::{Facts, milliseconds};

pub(super) fn event(kind: &RunEvent, event: &Event, facts: &Facts) -> Option<ExecutionEvent> {
    let task_id = event.run.to_string();
    let timestamp = event.draft.at;
    let complete = |final_status, summary| ExecutionEvent::TaskComplete {
        task_id: task_id.clone(),
        timestamp,
        final_status,
        summary,
        artifacts_created: facts.artifacts.clone(),
        total_steps: facts.steps,
        total_duration_ms: facts.started_at.map_or(0, |start| milliseconds(start, timestamp)),
    };
    match kind {
        RunEvent::Created { .. }
        | RunEvent::Queued
        | RunEvent::Limited { .. }
        | RunEvent::ChecksReplaced { .. }
        | RunEvent::AgentsReplaced { .. }
        | RunEvent::DefinitionReplaced { .. }
        | RunEvent::StateEdited { .. }
        | RunEvent::TeamReplaced { .. }
        | RunEvent::Archived { .. }
        | RunEvent::PermissionGranted(_)
        | RunEvent::Steered(_) => None,
        RunEvent::Started => Some(ExecutionEvent::TaskStart {
            task_id,
            timestamp,
            initial_prompt: prompt(facts.spec.as_ref()),
            execution_mode: mode(facts.spec.as_ref()),
            team_config: team(facts.spec.as_ref()),
        }),
        RunEvent::Paused { reason } => Some(ExecutionEvent::TaskPaused {
            task_id,
            timestamp,
            reason: pause_reason(*reason).to_owned(),
            context: Object::new(),
        }),
        RunEvent::Resumed { reason } => Some(ExecutionEvent::TaskResumed {
            task_id,
            timestamp,
            reason: resume_reason(*reason).to_owned(),
            context: Object::new(),
        }),
        RunEvent::Completed { summary } => Some(complete(FinalStatus::Success, summary.clone())),
        RunEvent::Failed { failure } => Some(complete(FinalStatus::Error, Some(failure.message.clone()))),
        RunEvent::Cancelled { .. } => Some(complete(FinalStatus::Cancelled, None)),
    }
}

/// The document's four words where they fit, our own where it has none.
fn pause_reason(reason: HumanKind) -> &'static str {
    match reason {
        HumanKind::Step => "step_mode",
        HumanKind::Breakpoint => "breakpoint",
        HumanKind::Pause => "user_request",
        HumanKind::Approval | HumanKind::Question | HumanKind::Escalation => "hitl_intervention",
        HumanKind::StepLimit => "step_limit",
        HumanKind::Budget => "budget",
        HumanKind::Quota => "quota",
        HumanKind::Rounds => "rounds",
    }
}

fn resume_reason(reason: ResumeReason) -> &'static str {
    match reason {
        ResumeReason::Replied | ResumeReason::Forked => "user_request",
        ResumeReason::Recovered => "recovery",
        ResumeReason::Retried => "retry",
    }
}

fn input<'a>(spec: Option<&'a RunSpec>, name: &str) -> Option<&'a Value> {
    spec.and_then(|spec| spec.input.get(name))
}

fn prompt(spec: Option<&RunSpec>) -> String {
    let given = input(spec, "prompt").and_then(Value::as_str);
    given.map_or_else(|| spec.map(|spec| spec.title.clone()).unwrap_or_default(), str::to_owned)
}

fn mode(spec: Option<&RunSpec>) -> ExecutionMode {
    input(spec, "execution_mode").and_then(|mode| ExecutionMode::deserialize(mode).ok()).unwrap_or_default()
}

fn team(spec: Option<&RunSpec>) -> Object {
    input(spec, "team_config").and_then(Value::as_object).cloned().unwrap_or_default()
}
