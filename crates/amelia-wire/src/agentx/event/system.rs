//! Guardrails, errors, health.

use amelia_core::event::{Draft, GuardrailEvent, SystemEvent};
use amelia_core::id::AgentName;
use jiff::Timestamp;

use super::shape::ExecutionEvent;

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

pub(super) fn event(kind: &SystemEvent, timestamp: Timestamp) -> Option<ExecutionEvent> {
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
        SystemEvent::Warned { .. } => None,
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
