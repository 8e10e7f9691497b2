//! Whether a run that is resumed would pause again at once, because a limit of its own is too small. Pure.

use amelia_agents::pipeline::limits::{LIMIT, WHOSE};
use amelia_core::budget::{Budget, BudgetExceeded};
use amelia_core::human::HumanKind;
use amelia_core::run::RunStatus;
use amelia_core::view::RunRow;
use amelia_wire::rest::request::{LimitName, Limits};
use serde::Deserialize as _;

use crate::cli_error::{CliError, Exit};

/// A limit that is too small: what it is, what the run needs at least, and the flag that says so.
struct TooSmall {
    limit: String,
    needed: String,
    flag: String,
}

/// Why a run is not resumed with these limits. One that waits for something else continues with the limits that it has.
pub(super) fn refusal(row: &RunRow, given: Option<&Limits>, me: &str) -> Option<CliError> {
    let is_stopped = row.view.status == RunStatus::Waiting(HumanKind::Budget);
    if row.view.status == RunStatus::Running || (given.is_none() && !is_stopped) {
        return None;
    }
    let budget = given.map_or(row.budget(), |limits| {
        Budget::from(limits.budget).or(LimitName::take_off(&limits.off, row.budget()))
    });
    let all = too_small(budget, row);
    if all.is_empty() {
        return None;
    }
    let list = |of: fn(&TooSmall) -> &str, between| all.iter().map(of).collect::<Vec<_>>().join(between);
    let (limits, needed) = (list(|one| &one.limit, " and "), list(|one| &one.needed, " and "));
    let run = row.run.number;
    let message =
        format!("run {run} would pause again at once: it needs {needed}, and its limit is {limits}");
    let hint = format!("{me} resume {run} {}, or more", list(|one| &one.flag, " "));
    Some(CliError::new(Exit::Conflict, message).with_hint(hint))
}

fn too_small(budget: Budget, row: &RunRow) -> Vec<TooSmall> {
    let (spent, reached) = (row.view.spend, reached(row));
    let mut all = Vec::new();
    let usd = match reached {
        Some(BudgetExceeded::Usd { would_be, .. }) => would_be.max(spent.usd),
        _ => spent.usd,
    };
    if let Some(limit) = budget.usd.filter(|limit| *limit < usd) {
        // Not a bit less than what is needed.
        let needed = (usd * 1e4).ceil() / 1e4;
        let (limit, needed) = (format!("{limit} USD"), format!("{needed:.4}"));
        all.push(TooSmall { limit, flag: format!("--budget {needed}"), needed: format!("{needed} USD") });
    }
    let tokens = match reached {
        Some(BudgetExceeded::Tokens { would_be, .. }) => would_be.max(spent.tokens),
        _ => spent.tokens,
    };
    if let Some(limit) = budget.tokens.filter(|limit| *limit < tokens) {
        let (limit, needed) = (format!("{limit} tokens"), format!("{tokens} tokens"));
        all.push(TooSmall { limit, needed, flag: format!("--max-tokens {tokens}") });
    }
    // At least one more.
    let calls = spent.calls.saturating_add(1);
    if let Some(limit) = budget.calls.filter(|limit| *limit < calls && spent.calls > 0) {
        let (limit, needed) = (format!("{limit} model calls"), format!("{calls} model calls"));
        all.push(TooSmall { limit, needed, flag: format!("--max-calls {calls}") });
    }
    let seconds = row.view.active_ms / 1000;
    if let Some(limit) = budget.wall_seconds.filter(|limit| *limit <= seconds) {
        let needed = seconds.saturating_add(1);
        let limit = format!("{limit} s");
        all.push(TooSmall {
            limit,
            flag: format!("--max-time {needed}s"),
            needed: format!("more than {seconds} s"),
        });
    }
    all
}

/// The limit of its own that a run has stopped at: with what the call would have made of it.
fn reached(row: &RunRow) -> Option<BudgetExceeded> {
    let stops = row.view.pending.iter().filter(|request| request.kind == HumanKind::Budget);
    let own = stops.filter(|request| request.context.get(WHOSE).is_none());
    own.filter_map(|request| request.context.get(LIMIT))
        .find_map(|limit| BudgetExceeded::deserialize(limit).ok())
}

#[cfg(test)]
mod tests {
    use amelia_core::budget::Spend;
    use amelia_core::id::{GraphName, RunId, RunNumber};
    use amelia_core::run::{Run, RunSpec};
    use amelia_core::view::RunView;
    use serde_json::{Value, json};

    use super::*;
    use crate::cli_error::problem_of;

    /// A run that has spent 0.0126 USD, 900 tokens, 2 calls and 40 seconds, and stopped at this limit.
    fn row(budget: Budget, context: &Value) -> RunRow {
        let spec = RunSpec { budget, ..RunSpec::new(GraphName::new("g").unwrap(), "a run") };
        let at = jiff::Timestamp::UNIX_EPOCH;
        let run = Run { id: RunId(uuid::Uuid::nil()), number: RunNumber(4), spec, created_at: at };
        let request = json!({"id": uuid::Uuid::nil(), "kind": "budget", "by": "engine", "at": at, "prompt": "?",
            "context": context});
        let view = RunView {
            status: RunStatus::Waiting(HumanKind::Budget),
            pending: vec![serde_json::from_value(request).unwrap()],
            spend: Spend { usd: 0.0126, tokens: 900, calls: 2, ..Spend::default() },
            active_ms: 40_000,
            ..RunView::default()
        };
        RunRow { run, view }
    }

    fn told(row: &RunRow, given: Value) -> Option<(String, String)> {
        let given: Limits = serde_json::from_value(given).unwrap();
        let problem = problem_of(&refusal(row, Some(&given), "amelia")?.into());
        Some((problem.message, problem.hint.unwrap()))
    }

    #[test]
    fn a_limit_that_is_still_too_small_is_refused_with_what_is_needed() {
        let stopped = json!({"limit": {"usd": {"limit": 0.01, "would_be": 0.018_91}}});
        let row = row(Budget { usd: Some(0.01), ..Budget::default() }, &stopped);
        let (message, hint) = told(&row, json!({"budget": {"usd": 0.015}})).unwrap();
        assert_eq!(
            message,
            "run r4 would pause again at once: it needs 0.0190 USD, and its limit is 0.015 USD"
        );
        assert_eq!(hint, "amelia resume r4 --budget 0.0190, or more");
        assert!(refusal(&row, None, "amelia").is_some(), "with the limit that it has");
        assert_eq!(told(&row, json!({"budget": {"usd": 0.019}})), None);
        assert_eq!(told(&row, json!({"budget": {}, "off": ["usd"]})), None);
    }

    #[test]
    fn each_limit_that_is_spent_is_named() {
        let row = row(Budget::default(), &json!({"whose": {"agent": "developer"}}));
        assert!(refusal(&row, None, "amelia").is_none(), "the limit is not the run's");
        let given = json!({"budget": {"tokens": 800, "calls": 2, "wall_seconds": 30}});
        let (message, hint) = told(&row, given).unwrap();
        assert!(message.contains("900 tokens and 3 model calls and more than 40 s"), "{message}");
        assert_eq!(hint, "amelia resume r4 --max-tokens 900 --max-calls 3 --max-time 41s, or more");
        assert_eq!(told(&row, json!({"budget": {"tokens": 1000, "calls": 3, "wall_seconds": 60}})), None);
        let mut running = row;
        running.view.status = RunStatus::Running;
        assert_eq!(told(&running, json!({"budget": {"calls": 1}})), None, "the server says that it runs");
    }
}
