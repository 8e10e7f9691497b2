//! The commands that answer what a run asks, for every place that shows a question. Pure.

use amelia_agents::pipeline::limits::{LIMIT, WHOSE};
use amelia_core::human::asks::INTERRUPTED_CALL;
use amelia_core::human_tool::HUMAN_TOOL;
use amelia_core::permission::PERMISSION;
use amelia_wire::rest::human::Pending;
use serde_json::Value;

use crate::after_rounds::{RoundsChoice, after_interrupted_call};
use crate::cli::LIMIT_FLAGS;
use crate::ui;

/// `has_others`: the run asks something else, too.
pub(super) fn way_out(item: &Pending, has_others: bool, me: &str) -> String {
    let run = &item.short_id;
    let context = |name: &str| item.context.get(name);
    let has_problems = context("problems").and_then(Value::as_array).is_some_and(|all| !all.is_empty());
    match item.kind.as_str() {
        "approval" if context(PERMISSION).is_some() => {
            let rule = context(PERMISSION).and_then(|asked| asked.get("rule")?.as_str());
            let rule = rule.map(|rule| format!("\n  rule: {}", ui::one_line(rule))).unwrap_or_default();
            let lasting = if item.can_allow_always { "--for-run or --always" } else { "--for-run" };
            format!("{me} approve {run} [{lasting}]; {me} reject {run} --feedback '…'{rule}")
        }
        // Saying yes to a plan that is not valid only brings it back, or runs into its problems.
        "approval" if has_problems => format!("{me} plan show {run}; {me} reject {run} --feedback '…'"),
        "approval" if context("plan_path").is_none() => {
            format!("{me} approve {run}; {me} reject {run} --feedback '…'")
        }
        "approval" => {
            format!("{me} plan show {run}; {me} approve {run}; {me} reject {run} --feedback '…'")
        }
        "escalation" if context(HUMAN_TOOL).is_some() && has_others => {
            format!("{me} answer {run} {} --message '…'", item.request_id)
        }
        "escalation" if context(HUMAN_TOOL).is_some() => format!("{me} answer {run} 'YOUR ANSWER'"),
        "escalation" if context("asks").is_some_and(|asks| asks == INTERRUPTED_CALL) => {
            after_interrupted_call(run, me)
        }
        "rounds" | "escalation" => {
            let choice = RoundsChoice { can_accept: item.can_accept, is_about_checks: item.about_checks };
            choice.ways(run, me)
        }
        // The question needs a name only beside others.
        "question" if has_others => format!("{me} answer {run} {} --message '…'", item.request_id),
        "question" => format!("{me} answer {run} 'YOUR ANSWER'"),
        // An agent's limit, or the server's, is not raised with the answer.
        "budget" if context(WHOSE).is_some_and(|whose| whose != "run") => {
            format!("{me} resume {run}; {me} cancel {run}")
        }
        "budget" if is_unpriced(item) => format!("{me} resume {run} --no-budget; {me} cancel {run}"),
        "budget" => format!("{me} resume {run} with a new limit: {LIMIT_FLAGS}; {me} cancel {run}"),
        "step" | "breakpoint" => format!("{me} step {run}; {me} continue {run}; {me} cancel {run}"),
        "pause" => format!("{me} resume {run}; {me} cancel {run}"),
        _ => format!("{me} resume {run} --approve; {me} cancel {run}"),
    }
}

/// Whether a limit in USD cannot be checked, because the price of a model is unknown.
fn is_unpriced(item: &Pending) -> bool {
    item.context.get(LIMIT).is_some_and(|limit| limit.get("unpriced").is_some())
}
