//! The structured payload of an event, in Amelia's words.

use amelia_core::event::{
    AgentEvent, ArtifactEvent, EffectEvent, EventKind, GuardrailEvent, HumanEvent, IngestEvent, NodeEvent,
    PlanEvent, ReviewEvent, RunEvent, SystemEvent, TaskEvent,
};
use amelia_core::human::HumanRequest;
use amelia_core::message::Object;
use serde_json::{Value, json};

use crate::amelia::plan::PlanValidationResult;
use crate::amelia::review::{EvaluationResult, ReviewResult, persona};
use crate::facts::Facts;

/// What an event carries beyond its message; `None` when the message says it all.
#[must_use]
pub fn data(kind: &EventKind, facts: &Facts) -> Option<Object> {
    let data = match kind {
        EventKind::Run(event) => of_run(event),
        EventKind::Node(NodeEvent::Entered { node, step }) => json!({"stage": node, "step": step}),
        EventKind::Node(NodeEvent::Left { node, step, duration_ms }) => {
            json!({"stage": node, "step": step, "duration_ms": duration_ms})
        }
        EventKind::Human(event) => of_human(event, facts),
        EventKind::Plan(PlanEvent::Validated { goal, tasks, key_files }) => {
            json!({"goal": goal, "total_tasks": tasks, "key_files": key_files})
        }
        EventKind::Plan(PlanEvent::Refused { verdict, revision }) => json!({
            "plan_validation_result": PlanValidationResult::from(verdict.clone()),
            "plan_revision_count": revision,
        }),
        EventKind::Task(event) => of_task(event),
        EventKind::Review(event) => of_review(event),
        EventKind::Agent(event) => of_agent(event),
        EventKind::Artifact(event) => of_artifact(event),
        EventKind::Guardrail(event) => of_guardrail(event),
        EventKind::Ingest(IngestEvent::Progressed { document, stage, done, total }) => {
            json!({"document": document, "stage": stage, "done": done, "total": total})
        }
        EventKind::System(event) => of_system(event),
        EventKind::Effect(EffectEvent::Doubted { effect, why }) => {
            json!({"effect_id": effect, "reason": why})
        }
        // Amelia has no event for these.
        EventKind::Effect(EffectEvent::Intended(_) | EffectEvent::Done { .. })
        | EventKind::Team(_)
        | EventKind::Memory(_)
        | EventKind::Delivery(_) => Value::Null,
    };
    match data {
        Value::Object(mut data) => {
            data.retain(|_, value| !value.is_null());
            Some(data)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
    }
}

fn of_run(event: &RunEvent) -> Value {
    match event {
        RunEvent::Created { spec } => json!({
            "pipeline_type": spec.graph,
            "title": spec.title,
            "profile_id": spec.profile,
            "parent_workflow_id": spec.parent,
        }),
        RunEvent::Queued
        | RunEvent::Limited { .. }
        | RunEvent::ChecksReplaced { .. }
        | RunEvent::AgentsReplaced { .. }
        | RunEvent::DefinitionReplaced { .. }
        | RunEvent::StateEdited { .. }
        | RunEvent::TeamReplaced { .. }
        | RunEvent::Archived { .. }
        | RunEvent::PermissionGranted(_)
        | RunEvent::Steered(_)
        | RunEvent::Started
        | RunEvent::Paused { .. }
        | RunEvent::Resumed { .. } => Value::Null,
        RunEvent::Completed { summary } => json!({"final_response": summary}),
        RunEvent::Failed { failure } => {
            json!({"error": failure.message, "error_code": failure.code, "stage": failure.node})
        }
        RunEvent::Cancelled { by } => json!({"cancelled_by": by}),
    }
}

/// What is decided: a plan, the use of a tool, or one of the other questions, which have their own words.
fn kind_of(request: &HumanRequest) -> String {
    if request.context.get("permission").is_some() {
        "permission".to_owned()
    } else if request.context.get("plan_path").is_some() {
        "plan".to_owned()
    } else {
        serde_json::to_value(request.kind)
            .ok()
            .and_then(|kind| Some(kind.as_str()?.to_owned()))
            .unwrap_or_default()
    }
}

fn of_human(event: &HumanEvent, facts: &Facts) -> Value {
    match event {
        HumanEvent::Requested(request) => json!({
            "kind": kind_of(request),
            "request_id": request.id,
            "request_type": request.kind,
            "prompt": request.prompt,
            "context": request.context,
            "deadline": request.deadline,
        }),
        HumanEvent::Replied(reply) => json!({
            "kind": facts.requests.get(&reply.request).map(kind_of),
            "request_id": reply.request,
            "action": reply.action,
            "feedback": reply.message,
            "updates": reply.updates,
            "by": reply.by,
        }),
        HumanEvent::Intervened(_) => Value::Null,
    }
}

fn of_task(event: &TaskEvent) -> Value {
    let (task, error) = match event {
        TaskEvent::Started(task)
        | TaskEvent::Completed(task)
        | TaskEvent::Checked { task, .. }
        | TaskEvent::Committed { task, .. } => (task, None),
        TaskEvent::Failed { task, error } => (task, Some(error)),
    };
    json!({
        "task_id": task.id,
        "title": task.title,
        "task_index": task.index,
        "total_tasks": task.total,
        "error": error,
    })
}

fn of_review(event: &ReviewEvent) -> Value {
    let (task, mut data) = match event {
        ReviewEvent::Requested { round, personas, task } => {
            let personas: Vec<String> = personas.iter().map(|name| persona(name)).collect();
            (task, json!({"review_iteration": round, "personas": personas}))
        }
        ReviewEvent::Completed { round, review, task } => {
            (task, json!({"review_iteration": round, "review": ReviewResult::from(review.clone())}))
        }
        ReviewEvent::Evaluated { round, evaluation, task }
        | ReviewEvent::RevisionRequested { round, evaluation, task } => {
            let evaluation = EvaluationResult::from(evaluation.clone());
            (task, json!({"review_iteration": round, "evaluation_result": evaluation}))
        }
    };
    if let (Some(task), Value::Object(fields)) = (task, &mut data) {
        fields.insert("task_id".to_owned(), json!(task.id));
        fields.insert("task_index".to_owned(), json!(task.index));
    }
    data
}

fn of_agent(event: &AgentEvent) -> Value {
    match event {
        AgentEvent::Thought(thought) => json!({"content": thought.text}),
        AgentEvent::Called(call) => json!({"tool_call_id": call.id}),
        AgentEvent::Returned(result) => json!({
            "tool_call_id": result.call,
            "tool_output": result.output,
            "error": result.error,
            "duration_ms": result.duration_ms,
            "exit_code": result.exit_code,
        }),
        AgentEvent::Said(message) => json!({"role": message.role, "content": message.text()}),
        AgentEvent::Finished { text, session, tokens, duration_ms, .. } => json!({
            "content": text,
            "driver_session_id": session,
            "tokens": tokens,
            "duration_ms": duration_ms,
        }),
        AgentEvent::Started { .. } | AgentEvent::Used(_) => Value::Null,
    }
}

fn of_artifact(event: &ArtifactEvent) -> Value {
    match event {
        ArtifactEvent::Created(artifact) => json!({
            "file_path": artifact.uri,
            "mime_type": artifact.mime_type,
            "size_bytes": artifact.size_bytes,
            "version": artifact.version,
        }),
        ArtifactEvent::Modified { uri, version, changes, .. } => {
            json!({"file_path": uri, "version": version, "changes": changes})
        }
        ArtifactEvent::Deleted { uri } => json!({"file_path": uri}),
        ArtifactEvent::Versioned { .. } => Value::Null,
    }
}

fn of_guardrail(event: &GuardrailEvent) -> Value {
    match event {
        GuardrailEvent::Violated { id, check, severity, policy, action, point, message, .. } => json!({
            "violation_id": id,
            "check_type": check,
            "severity": crate::amelia::review::Severity::from(*severity),
            "policy": policy,
            "action": action,
            "point": point,
            "message": message,
        }),
        GuardrailEvent::PolicyChanged { .. } => Value::Null,
    }
}

fn of_system(event: &SystemEvent) -> Value {
    match event {
        SystemEvent::Failed(error) => json!({
            "error_id": error.id,
            "error_code": error.code,
            "recoverable": error.recoverable,
            "recovery": error.recovery,
            "context": error.context,
        }),
        SystemEvent::Warned { details, .. } => Value::Object(details.clone()),
        SystemEvent::Recovered { .. } | SystemEvent::Checked { .. } | SystemEvent::Measured { .. } => {
            Value::Null
        }
    }
}
