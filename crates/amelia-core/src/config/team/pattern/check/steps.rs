//! What is wrong with the steps of a `custom` pattern: each one for itself, and how they lead to each other.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Fields;
use crate::config::problem::{ProblemReport, find_cycle};
use crate::config::team::pattern::CollaborationPattern;
use crate::config::team::pattern::settings::{CustomSettings, CustomStep};
use crate::object::Object;

/// Steps of a `custom` pattern.
const MAX_STEPS: usize = 200;
const STEP_KEYS: [&str; 11] = [
    "step",
    "agent",
    "ask",
    "check",
    "task",
    "next_on_success",
    "next_on_failure",
    "next_on_approve",
    "next_on_reject",
    "next_on_pass",
    "next_on_fail",
];
/// Who or what does a step.
const WORKERS: [&str; 3] = ["agent", "ask", "check"];

/// Reports what is wrong with the config of a `custom` pattern.
pub(super) fn check(pattern: &CollaborationPattern, fields: &mut Fields<'_>) {
    fields.only(&["workflow"]);
    let Some(Value::Array(steps)) = fields.of.get("workflow") else {
        return fields.report.refuse("workflow", "must be a list of steps when type is `custom`");
    };
    if steps.is_empty() || steps.len() > MAX_STEPS {
        return fields.report.refuse("workflow", format!("must have 1 to {MAX_STEPS} steps"));
    }
    let mut is_readable = true;
    for (index, step) in steps.iter().enumerate() {
        fields.report.within(format_args!("workflow[{index}]"), |report| {
            is_readable &= shape_of_step(step, report);
        });
    }
    // What follows looks at all steps together.
    if let (true, Ok(settings)) = (is_readable, pattern.settings::<CustomSettings>()) {
        steps_together(&settings.workflow, pattern, fields.report);
    }
}

fn shape_of_step(step: &Value, report: &mut ProblemReport) -> bool {
    let Value::Object(step) = step else {
        report.refuse("", "must be a mapping with `step`, and `agent`, `ask` or `check`");
        return false;
    };
    let mut fields = Fields { of: step, report };
    fields.only(&STEP_KEYS);
    let mut is_readable = step.keys().all(|key| STEP_KEYS.contains(&key.as_str()));
    for key in STEP_KEYS {
        let is_needed = key == "step";
        match step.get(key) {
            None if is_needed => fields.report.refuse("", format!("`{key}` is missing")),
            None => continue,
            Some(Value::Null) if !is_needed => continue,
            Some(Value::String(text)) if !text.trim().is_empty() => continue,
            Some(_) => fields.report.refuse(key, "must be text"),
        }
        is_readable = false;
    }
    is_readable && has_one_worker(step, fields.report)
}

/// Whether it is said once who or what does the step, and the other keys fit that.
fn has_one_worker(step: &Object, report: &mut ProblemReport) -> bool {
    let is_given = |key: &str| step.get(key).is_some_and(|value| !value.is_null());
    let given: Vec<&str> = WORKERS.into_iter().filter(|key| is_given(key)).collect();
    let [worker] = given.as_slice() else {
        report.refuse("", "must have exactly one of `agent`, `ask` and `check`");
        return false;
    };
    let allowed: &[&str] = match *worker {
        "ask" => &["next_on_approve", "next_on_reject"],
        "check" => &["next_on_pass", "next_on_fail"],
        _ => return true,
    };
    let others = STEP_KEYS.into_iter().filter(|key| *key == "task" || key.starts_with("next_on_"));
    for key in others.filter(|key| is_given(key) && !allowed.contains(key)) {
        report.refuse(key, format!("has no meaning together with `{worker}`; use {}", allowed.join(", ")));
    }
    true
}

/// Names, agents and ways between steps.
fn steps_together(steps: &[CustomStep], pattern: &CollaborationPattern, report: &mut ProblemReport) {
    let names: BTreeSet<&str> = steps.iter().map(|step| step.step.as_str()).collect();
    report.unique("workflow", "step", steps.iter().map(|step| step.step.as_str()));
    let agents: BTreeSet<&str> = pattern.members().collect();
    for (index, step) in steps.iter().enumerate() {
        report.within(format_args!("workflow[{index}]"), |report| {
            match &step.agent {
                Some(agent) if !agents.contains(agent.as_str()) => {
                    report.refuse("agent", format!("`{agent}` is not among the agents of the pattern"));
                }
                // What is said in the step would look like words of the agent.
                None if agents.contains(step.step.as_str()) => {
                    report.refuse("step", format!("`{}` is already the name of an agent", step.step));
                }
                Some(_) | None => {}
            }
            for (outcome, target) in step.targets() {
                report.known(format_args!("next_on_{outcome}"), "step", target, &names);
            }
        });
    }
    check_endless(steps, report);
    let reached = reached_steps(steps);
    for (index, step) in steps.iter().enumerate() {
        if !reached.contains(step.step.as_str()) {
            report
                .refuse(format_args!("workflow[{index}].step"), format!("`{}` is never reached", step.step));
        }
    }
}

/// Commands that lead only to each other never end.
fn check_endless(steps: &[CustomStep], report: &mut ProblemReport) {
    let checks = steps.iter().filter(|step| step.check.is_some());
    let ways: BTreeMap<&str, Vec<&str>> = checks
        .map(|step| (step.step.as_str(), step.targets().into_iter().map(|(_, target)| target).collect()))
        .collect();
    if let Some(cycle) = find_cycle(&ways) {
        let message = format!(
            "{} is a cycle of commands in which nothing changes: let an agent or a person follow one of them",
            cycle.join(" → ")
        );
        report.refuse("workflow", message);
    }
}

/// The steps that the first one leads to.
fn reached_steps(steps: &[CustomStep]) -> BTreeSet<&str> {
    let by_name: BTreeMap<&str, &CustomStep> = steps.iter().map(|step| (step.step.as_str(), step)).collect();
    let mut reached = BTreeSet::new();
    let mut next: Vec<&str> = steps.first().map(|step| step.step.as_str()).into_iter().collect();
    while let Some(name) = next.pop() {
        if reached.insert(name)
            && let Some(step) = by_name.get(name)
        {
            next.extend(step.targets().into_iter().map(|(_, target)| target));
        }
    }
    reached
}
