//! What happens to a question without an answer, in a few words. Pure.

use amelia_core::human::{OnTimeout, WaitMode};
use jiff::Timestamp;

/// What silence until a deadline leads to, and who waits.
pub(super) fn silence(
    mode: Option<WaitMode>,
    deadline: Option<Timestamp>,
    on_timeout: OnTimeout,
) -> Option<String> {
    let waits = match mode {
        Some(WaitMode::Asynchronous) => Some("only the agent waits for the answer".to_owned()),
        Some(WaitMode::Advisory) => Some("nothing waits for the answer".to_owned()),
        Some(WaitMode::Synchronous) | None => None,
    };
    let then = match on_timeout {
        OnTimeout::Reject => "counts as rejected",
        OnTimeout::Approve => "counts as approved",
        OnTimeout::Escalate => "is asked again",
    };
    let until =
        deadline.map(|at| format!("without an answer until {} it {then}", at.strftime("%Y-%m-%d %H:%M:%SZ")));
    let parts: Vec<String> = until.into_iter().chain(waits).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}
