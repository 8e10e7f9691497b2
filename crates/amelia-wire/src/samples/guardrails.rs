//! Facts about guardrails.

use amelia_core::event::guardrail::{GuardPoint, GuardrailAction, PolicyChange};
use amelia_core::event::{EventKind, GuardrailEvent};
use amelia_core::message::CheckKind;
use amelia_core::review::Severity;

pub(super) fn guardrails() -> Vec<EventKind> {
    vec![
        EventKind::Guardrail(GuardrailEvent::Violated {
            id: "v1".into(),
            check: CheckKind::Policy,
            severity: Severity::High,
            policy: "pii".into(),
            sample: Some("…".into()),
            action: GuardrailAction::Blocked,
            point: Some(GuardPoint::Answer),
            message: Some("it contains an email address".into()),
            call: None,
        }),
        EventKind::Guardrail(GuardrailEvent::PolicyChanged {
            policy: "pii".into(),
            change: PolicyChange::Modified,
            by: "ada".into(),
        }),
    ]
}
