//! People are asked, answer, and step in.

use amelia_core::event::{Draft, HumanEvent};
use amelia_core::human::{HumanAction, HumanKind, HumanReply, HumanRequest};
use amelia_core::human_tool::REQUEST;
use amelia_core::message::Object;
use serde_json::Value;

use super::shape::{ExecutionEvent, RequestType, ResponseType};
use crate::facts::{Facts, milliseconds};

pub(super) fn event(kind: &HumanEvent, draft: &Draft, facts: &Facts) -> Option<ExecutionEvent> {
    match kind {
        HumanEvent::Requested(request) => requested(request, draft),
        HumanEvent::Replied(reply) => replied(reply, facts.requests.get(&reply.request), draft),
        // It is the answer to a question, which is an event of its own.
        HumanEvent::Intervened(intervention) if intervention.details.contains_key(REQUEST) => None,
        HumanEvent::Intervened(intervention) => Some(ExecutionEvent::UserIntervention {
            intervention_id: intervention.id.clone(),
            intervention_type: intervention.kind,
            details: intervention.details.clone(),
            timestamp: draft.at,
            user_id: intervention.by.clone(),
        }),
    }
}

/// How a stop is called here.
enum Ask {
    Hitl(RequestType),
    Breakpoint,
    /// Said by the pause that goes with it.
    Nothing,
}

fn ask(kind: HumanKind) -> Ask {
    match kind {
        HumanKind::Approval => Ask::Hitl(RequestType::Approval),
        HumanKind::Question => Ask::Hitl(RequestType::Feedback),
        // A limit was reached: a person has to decide how to continue.
        HumanKind::Escalation
        | HumanKind::StepLimit
        | HumanKind::Budget
        | HumanKind::Quota
        | HumanKind::Rounds => Ask::Hitl(RequestType::Escalation),
        HumanKind::Breakpoint => Ask::Breakpoint,
        HumanKind::Step | HumanKind::Pause => Ask::Nothing,
    }
}

fn requested(request: &HumanRequest, draft: &Draft) -> Option<ExecutionEvent> {
    match ask(request.kind) {
        Ask::Hitl(request_type) => Some(ExecutionEvent::HitlRequest {
            request_id: request.id.to_string(),
            request_type,
            agent_name: request.by.to_string(),
            context: context(request),
            timeout: request.deadline.map(|deadline| milliseconds(request.at, deadline) / 1000),
            timestamp: draft.at,
        }),
        Ask::Breakpoint => Some(ExecutionEvent::BreakpointHit {
            breakpoint_id: request.id.to_string(),
            breakpoint_type: request.context.get("type").and_then(Value::as_str).unwrap_or("node").to_owned(),
            context: context(request),
            timestamp: draft.at,
            agent_name: Some(request.by.to_string()),
        }),
        Ask::Nothing => None,
    }
}

/// What was asked, and what the asker added.
fn context(request: &HumanRequest) -> Object {
    let mut context = match &request.context {
        Value::Object(context) => context.clone(),
        Value::Null => Object::new(),
        other @ (Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            Object::from_iter([("value".to_owned(), other.clone())])
        }
    };
    context.entry("prompt").or_insert_with(|| request.prompt.clone().into());
    context
}

/// An answer to a stop that was no request here is none either.
fn replied(reply: &HumanReply, request: Option<&HumanRequest>, draft: &Draft) -> Option<ExecutionEvent> {
    match request.map(|request| ask(request.kind)) {
        Some(Ask::Breakpoint | Ask::Nothing) => return None,
        Some(Ask::Hitl(_)) | None => {}
    }
    let mut response_data = Object::new();
    if let Some(message) = &reply.message {
        response_data.insert("message".to_owned(), message.clone().into());
    }
    if let Some(updates) = &reply.updates {
        response_data.insert("updates".to_owned(), updates.clone());
    }
    if let Some(by) = &reply.by {
        response_data.insert("by".to_owned(), by.clone().into());
    }
    Some(ExecutionEvent::HitlResponse {
        request_id: reply.request.to_string(),
        response_type: match reply.action {
            HumanAction::Approve => ResponseType::Approved,
            HumanAction::Reject => ResponseType::Rejected,
            HumanAction::Modify => ResponseType::Modified,
            HumanAction::TimedOut => ResponseType::Timeout,
        },
        response_data,
        response_time_ms: request.map_or(0, |request| milliseconds(request.at, reply.at)),
        timestamp: draft.at,
    })
}
