//! Guardrails as agents meet them: where texts and calls are checked, and what is found. What is allowed is decided behind
//! [`Guardrails`]; nothing here reads a policy.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::EventKind;
use crate::event::guardrail::{GuardPoint, GuardrailAction, GuardrailEvent};
use crate::id::CallId;
use crate::message::{CheckKind, CheckStatus, GuardrailCheck, GuardrailPart};
use crate::problem::Problem;
use crate::review::Severity;
use crate::tool_call::{Risk, ToolCall, ToolName, ToolResult};

/// What is checked.
#[derive(Debug, Clone, Copy)]
pub struct CheckedContent<'a> {
    pub point: GuardPoint,
    /// Whose it is; empty when it is a person's.
    pub agent: &'a str,
    /// For a call, its arguments as JSON.
    pub text: &'a str,
    pub call: Option<CheckedCall<'a>>,
    pub at: Timestamp,
}

/// A call that is checked, or whose result is.
#[derive(Debug, Clone, Copy)]
pub struct CheckedCall<'a> {
    pub call: &'a ToolCall,
    pub risk: Risk,
    pub result: Option<&'a ToolResult>,
    /// It ends the turn, so its arguments are part of the answer, too.
    pub ends_turn: bool,
    /// Calls that the agent made before.
    pub earlier: &'a [MadeCall],
}

/// A call that an agent has made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeCall {
    pub tool: ToolName,
    pub at: Timestamp,
}

/// A rule of a policy that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    pub id: String,
    pub policy: String,
    pub check: CheckKind,
    pub severity: Severity,
    pub action: GuardrailAction,
    pub point: GuardPoint,
    /// What is wrong, for the agent or the person.
    pub message: String,
    /// The beginning of what was checked, or where the problem is, without secrets.
    pub sample: String,
}

impl Violation {
    /// As a fact, of this call if it is about one.
    #[must_use]
    pub fn event(&self, call: Option<&CallId>) -> EventKind {
        EventKind::Guardrail(GuardrailEvent::Violated {
            id: self.id.clone(),
            check: self.check,
            severity: self.severity,
            policy: self.policy.clone(),
            sample: Some(self.sample.clone()),
            action: self.action,
            point: Some(self.point),
            message: Some(self.message.clone()),
            call: call.cloned(),
        })
    }

    #[must_use]
    pub fn is_block(&self) -> bool {
        self.action == GuardrailAction::Blocked
    }
}

/// What a person has said, as it is let through.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CheckedInput {
    /// Perhaps with something replaced in it.
    pub text: String,
    pub violations: Vec<Violation>,
}

impl CheckedInput {
    /// What was found, as facts.
    #[must_use]
    pub fn events(&self) -> Vec<EventKind> {
        self.violations.iter().map(|violation| violation.event(None)).collect()
    }

    /// Why it is refused, if it is.
    #[must_use]
    pub fn refusal(&self) -> Option<Problem> {
        let block = first_block(&self.violations)?;
        let message = format!("refused by the guardrail policy `{}`: {}", block.policy, block.message);
        Some(Problem::new(message).with_hint("write it in a different way"))
    }
}

/// The first of these violations that blocks.
#[must_use]
pub fn first_block(violations: &[Violation]) -> Option<&Violation> {
    violations.iter().find(|violation| violation.is_block())
}

/// What a turn shows of its violations; those that are only logged are not shown.
#[must_use]
pub fn part_of(violations: &[Violation]) -> Option<GuardrailPart> {
    let check = |violation: &Violation| {
        let status = status_of(violation.action)?;
        Some(GuardrailCheck {
            id: violation.id.clone(),
            kind: violation.check,
            status,
            message: Some(violation.message.clone()),
            policy: Some(violation.policy.clone()),
            severity: Some(violation.severity),
        })
    };
    let checks: Vec<GuardrailCheck> = violations.iter().filter_map(check).collect();
    let overall = checks.iter().map(|check| check.status).max()?;
    Some(GuardrailPart { checks, overall })
}

/// How a check is shown that led to this; nothing when it was only logged.
#[must_use]
pub fn status_of(action: GuardrailAction) -> Option<CheckStatus> {
    match action {
        GuardrailAction::Blocked => Some(CheckStatus::Failed),
        GuardrailAction::Warned => Some(CheckStatus::Warning),
        GuardrailAction::Logged => None,
    }
}

/// Decides what is allowed. Pure: the same content and state are judged the same.
pub trait Guardrails: Send + Sync {
    /// Every rule that does not hold. `state` says a value of the run by its name; `metadata.KEY` is one that agents set.
    fn check(&self, content: &CheckedContent<'_>, state: &dyn Fn(&str) -> Value) -> Vec<Violation>;

    /// The text with what rules replace in it; `None` when they replace nothing.
    fn replaced(&self, point: GuardPoint, text: &str) -> Option<String>;

    /// Whether any rule holds there.
    fn holds_at(&self, point: GuardPoint) -> bool;

    /// Whether an answer must be checked before anyone sees a part of it.
    fn holds_back_answers(&self) -> bool;

    /// Whether the calls that an agent made before are needed.
    fn counts_calls(&self) -> bool;
}
