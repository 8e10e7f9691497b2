//! Guardrails, errors, health.

use std::collections::BTreeMap;

use amelia_core::event::{Draft, GuardrailEvent, NodeEvent, SystemEvent};
use amelia_core::id::AgentName;
use amelia_core::object::Object;
use jiff::Timestamp;

use super::shape::ExecutionEvent;

/// What is done about a model that did not answer.
pub(super) const RETRY: &str = "retry";

/// How long a visit of a node took. The visit of an agent is its turn.
pub(super) fn visit(kind: &NodeEvent, timestamp: Timestamp) -> Option<ExecutionEvent> {
    match kind {
        NodeEvent::Entered { .. } => None,
        NodeEvent::Left { node, step, duration_ms } => Some(ExecutionEvent::PerformanceMetric {
            metric_name: "turn_ms".to_owned(),
            metric_value: *duration_ms as f64,
            metric_unit: "ms".to_owned(),
            component: node.to_string(),
            timestamp,
            tags: BTreeMap::from([("step".to_owned(), step.to_string())]),
        }),
    }
}

pub(super) fn guardrail(kind: &GuardrailEvent, draft: &Draft) -> ExecutionEvent {
    match kind {
        GuardrailEvent::Violated { id, check, severity, policy, sample, action, .. } => {
            ExecutionEvent::GuardrailViolation {
                violation_id: id.clone(),
                check_type: *check,
                severity: (*severity).into(),
                policy_violated: policy.clone(),
                agent_name: (draft.agent != AgentName::system()).then(|| draft.agent.to_string()),
                content_sample: sample.clone(),
                action_taken: *action,
                timestamp: draft.at,
            }
        }
        GuardrailEvent::PolicyChanged { policy, change, by } => ExecutionEvent::GuardrailPolicyUpdate {
            policy_name: policy.clone(),
            update_type: *change,
            updated_by: by.clone(),
            timestamp: draft.at,
        },
    }
}

pub(super) fn event(kind: &SystemEvent, draft: &Draft) -> Option<ExecutionEvent> {
    let timestamp = draft.at;
    match kind {
        SystemEvent::Failed(error) => Some(ExecutionEvent::Error {
            error_id: error.id.clone(),
            error_type: error.code.clone(),
            error_message: error.message.clone(),
            context: error.context.clone(),
            timestamp,
            recoverable: error.recoverable,
            recovery_action: error.recovery.clone(),
            stack_trace: error.stack.clone(),
        }),
        SystemEvent::Recovered { error, strategy, success, details } => Some(ExecutionEvent::Recovery {
            error_id: error.clone(),
            recovery_strategy: strategy.clone(),
            success: *success,
            timestamp,
            details: details.clone(),
        }),
        // A model did not answer, and is asked again.
        SystemEvent::Warned { .. } => kind.as_retry().map(|message| ExecutionEvent::Error {
            error_id: draft.id.0.to_string(),
            error_type: "model_unavailable".to_owned(),
            error_message: message.to_owned(),
            context: Object::from_iter([("agent_name".to_owned(), draft.agent.to_string().into())]),
            timestamp,
            recoverable: true,
            recovery_action: Some(RETRY.to_owned()),
            stack_trace: None,
        }),
        SystemEvent::Checked { component, status, metrics } => Some(ExecutionEvent::HealthCheck {
            component: component.clone(),
            status: *status,
            metrics: metrics.clone(),
            timestamp,
        }),
        SystemEvent::Measured { name, value, unit, component, tags } => {
            Some(ExecutionEvent::PerformanceMetric {
                metric_name: name.clone(),
                metric_value: *value,
                metric_unit: unit.clone(),
                component: component.clone(),
                timestamp,
                tags: tags.clone(),
            })
        }
    }
}
