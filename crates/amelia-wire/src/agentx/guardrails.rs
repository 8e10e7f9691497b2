//! What the guardrails of a task have found, in one document.

use std::collections::BTreeMap;

use amelia_core::event::guardrail::GuardrailAction;
use amelia_core::event::{Event, EventKind, GuardrailEvent};
use serde::{Deserialize, Serialize};

use super::event::{ExecutionEvent, execution_event};
use crate::facts::Facts;

/// `.amelia/guardrails.json`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GuardrailReport {
    pub violations: Vec<ExecutionEvent>,
    pub totals: GuardrailTotals,
}

/// How many violations there were.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardrailTotals {
    pub blocked: u64,
    pub warned: u64,
    pub logged: u64,
    pub by_policy: BTreeMap<String, u64>,
}

impl GuardrailReport {
    /// All violations in a log.
    #[must_use]
    pub fn of(events: &[Event]) -> Self {
        let mut report = Self::default();
        for event in events {
            let EventKind::Guardrail(GuardrailEvent::Violated { policy, action, .. }) = &event.draft.kind
            else {
                continue;
            };
            report.violations.extend(execution_event(event, &Facts::default()));
            let totals = &mut report.totals;
            *totals.by_policy.entry(policy.clone()).or_default() += 1;
            match action {
                GuardrailAction::Blocked => totals.blocked += 1,
                GuardrailAction::Warned => totals.warned += 1,
                GuardrailAction::Logged => totals.logged += 1,
            }
        }
        report
    }
}
