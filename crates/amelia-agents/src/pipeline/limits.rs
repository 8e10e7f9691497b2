//! What becomes of an agent that did not finish: a limit is a question to a person, anything else a failure that can be
//! tried again.

use amelia_core::budget::LimitReached;
use amelia_core::driver::DriverError;
use amelia_core::human::{HumanKind, HumanRequest};
use amelia_core::problem::Problem;
use amelia_core::quota::ExhaustedQuota;
use amelia_graph::node::{NodeCx, NodeError, Outcome};
use serde_json::json;

use crate::agent::AgentStop;
use crate::asking;

/// In the context of a question about a limit that is not the run's own: whose it is.
pub const WHOSE: &str = "whose";

/// In the context of a question about a budget: which limit was reached, and its numbers.
pub const LIMIT: &str = "limit";

/// The code of an agent that a person did not let continue.
pub(crate) const STOPPED: &str = "stopped";

/// Refuses to continue when a person said no to a limit. "No" to a question of the agent is an answer.
pub fn check_answer(cx: &NodeCx) -> Result<(), NodeError> {
    let said_no = cx.answered().is_some_and(|answered| {
        !asking::is_question(answered) && is_limit(answered.request.kind) && !answered.is_approval()
    });
    if said_no { Err(NodeError::new(STOPPED, "a person stopped the agent")) } else { Ok(()) }
}

fn is_limit(kind: HumanKind) -> bool {
    matches!(kind, HumanKind::Budget | HumanKind::Quota | HumanKind::Rounds | HumanKind::Escalation)
}

/// The end of a visit whose agent has stopped.
pub fn stopped<U>(cx: &NodeCx, stopped: AgentStop) -> Result<Outcome<U>, NodeError> {
    match stopped {
        AgentStop::Node(error) => Err(error),
        AgentStop::Asks(requests) => Ok(Outcome::Wait(requests)),
        AgentStop::Driver(error) => match question(cx, &error) {
            Some(request) => Ok(Outcome::ask(request)),
            None => Err(NodeError::new(code(&error), error)),
        },
    }
}

/// The question to a person, where the agent can continue if they say so.
pub(crate) fn question(cx: &NodeCx, error: &DriverError) -> Option<HumanRequest> {
    let kind = match error {
        DriverError::Budget(_) => HumanKind::Budget,
        DriverError::Quota { .. } => HumanKind::Quota,
        DriverError::Guardrail { .. } => HumanKind::Escalation,
        DriverError::Loop { .. }
        | DriverError::Silent { .. }
        | DriverError::Endless { .. }
        | DriverError::Turns { .. } => HumanKind::Rounds,
        DriverError::Unauthorised { .. }
        | DriverError::UnknownModel { .. }
        | DriverError::Refused { .. }
        | DriverError::Unusable { .. }
        | DriverError::TooLong { .. }
        | DriverError::Unavailable { .. }
        | DriverError::Held { .. }
        | DriverError::BadAnswer(_)
        | DriverError::Program { .. }
        | DriverError::Setup(_) => return None,
    };
    let request = cx.request(kind, format!("{error}: continue?"));
    Some(match error {
        DriverError::Budget(limit) => about(limit, request),
        DriverError::Guardrail { policy, .. } => {
            let context = json!({"asks": "guardrail", "reason": "guardrail", "policy": policy});
            HumanRequest { context, ..request }
        }
        DriverError::Quota { provider, resets_at: Some(resets_at), account: Some(account), .. } => {
            let (account, provider) = (account.clone(), provider.clone());
            let used_up = ExhaustedQuota { account, provider, resets_at: *resets_at };
            HumanRequest { context: used_up.context(), ..request }
        }
        _ => request,
    })
}

/// Which limit it is, as data. One that is not raised by the answer also says what is to be done first.
fn about(reached: &LimitReached, request: HumanRequest) -> HumanRequest {
    let limit = reached.limit;
    let Some(remedy) = reached.remedy() else {
        return HumanRequest { context: json!({ LIMIT: limit }), ..request };
    };
    HumanRequest {
        prompt: Problem::new(request.prompt).with_hint(remedy).to_text(),
        context: json!({ WHOSE: reached.whose, LIMIT: limit }),
        ..request
    }
}

/// Stable names for machines.
fn code(error: &DriverError) -> &'static str {
    match error {
        DriverError::Unauthorised { .. } => "unauthorised",
        DriverError::UnknownModel { .. } => "unknown_model",
        DriverError::Refused { .. } => "refused",
        DriverError::Unusable { .. } => "unusable",
        DriverError::TooLong { .. } => "too_long",
        DriverError::Unavailable { .. } => "unavailable",
        DriverError::Held { .. } => "held",
        DriverError::BadAnswer(_) => "bad_answer",
        DriverError::Guardrail { .. } => "guardrail",
        DriverError::Program { .. } => "program",
        DriverError::Setup(_) => "setup",
        DriverError::Budget(_) => "budget",
        DriverError::Quota { .. } => "quota",
        DriverError::Loop { .. } => "loop",
        DriverError::Silent { .. } => "silent",
        DriverError::Endless { .. } => "endless",
        DriverError::Turns { .. } => "turns",
    }
}

#[cfg(test)]
#[path = "limits_tests.rs"]
mod tests;
