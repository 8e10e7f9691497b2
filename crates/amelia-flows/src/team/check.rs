//! What is wrong with a team beyond its shape: conditions, criteria, templates, cycles that nothing ends, teams inside
//! themselves. Everything at once, each with the path of its field. Pure.

mod criteria;
mod nesting;
mod templates;
mod tools;

use std::collections::BTreeMap;

use amelia_core::config::problem::{ConfigProblem, KnownNames, ProblemReport, find_cycle};
use amelia_core::config::team::TeamConfig;
use amelia_core::config::team::execution::breakpoint_parts;
use amelia_core::message::ExecutionMode;

use crate::condition::Condition;
use crate::guardrail::check_rules;

pub use nesting::nested;
pub use templates::sample;

/// What the condition of a breakpoint sees, beside the state.
const OF_BREAKPOINTS: [&str; 6] = ["tool", "args", "risk", "result", "error", "event"];

/// Every problem of a team that its own rules do not find. `texts` are the contents of template files, by the names that agents
/// give; a file that is not among them has been refused already.
#[must_use]
pub fn check(
    team: &TeamConfig,
    texts: &BTreeMap<String, String>,
    known: &KnownNames<'_>,
) -> Vec<ConfigProblem> {
    let mut report = ProblemReport::default();
    team.check_references(known, &mut report);
    check_conditions(team, &mut report);
    check_breakpoints(team, &mut report);
    criteria::check(&team.execution_config, &mut report);
    for (index, policy) in team.guardrail_policies.iter().enumerate() {
        report.within(format_args!("guardrail_policies[{index}]"), |report| check_rules(policy, report));
    }
    tools::check(team, &mut report);
    templates::check(team, texts, &mut report);
    report.into_problems()
}

/// What is not wrong, and perhaps not meant.
#[must_use]
pub fn notes(team: &TeamConfig) -> Vec<ConfigProblem> {
    let mut report = ProblemReport::default();
    let execution = &team.execution_config;
    if execution.mode == ExecutionMode::Autonomous && !execution.human_intervention_points.is_empty() {
        report.refuse(
            "execution_config.human_intervention_points",
            "has no effect in mode `autonomous`: set execution_config.mode to `hitl` or `step`",
        );
    }
    report.into_problems()
}

fn check_conditions(team: &TeamConfig, report: &mut ProblemReport) {
    let mut always: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (index, rule) in team.handoff_rules.iter().enumerate() {
        let Some(text) = rule.condition.as_ref().filter(|text| !text.trim().is_empty()) else { continue };
        match condition_problem(text, &[]) {
            Err(message) => report.refuse(format_args!("handoff_rules[{index}].condition"), message),
            Ok(condition) if condition.is_always_true() => {
                always.entry(&rule.from_agent).or_default().push(&rule.to_agent);
            }
            Ok(_) => {}
        }
    }
    // A handoff to itself is reported elsewhere.
    always.iter_mut().for_each(|(from, to)| to.retain(|to| to != from));
    if let (false, Some(cycle)) = (team.is_bounded(), find_cycle(&always)) {
        let message = format!(
            "{} is a cycle whose conditions are always true: change a condition, or set \
             execution_config.max_steps, stop_on or timeout, or a budget",
            cycle.join(" → ")
        );
        report.refuse("handoff_rules", message);
    }
}

fn check_breakpoints(team: &TeamConfig, report: &mut ProblemReport) {
    for (index, text) in team.execution_config.breakpoints.iter().enumerate() {
        if let Some(condition) = breakpoint_parts(text).1
            && let Err(message) = condition_problem(condition, &OF_BREAKPOINTS)
        {
            report.refuse(format_args!("execution_config.breakpoints[{index}]"), message);
        }
    }
}

/// A condition that is true or false, or what is wrong with it.
fn condition_problem(text: &str, more: &[&str]) -> Result<Condition, String> {
    let condition = Condition::parse_with(text, more).map_err(|error| error.to_string())?;
    match condition.is_label() {
        true => Err("column 1: must be true or false, but this is text".to_owned()),
        false => Ok(condition),
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
