//! Whether a run can stop where a person wants it to: conditions that can be read, events that exist, names that it knows.

use std::collections::BTreeSet;

use amelia_agents::{asking, consulting, delegating};
use amelia_core::event::names::{STOPPABLE_EVENTS, UNSTOPPABLE_EVENTS};
use amelia_core::object::Object;
use amelia_core::problem::Problem;
use amelia_core::stop_rule::{StopPlace, StopRule};
use amelia_core::view::RunRow;
use amelia_orchestrator::service::ServiceError;
use amelia_tools::builtin;

use crate::error::service_error;
use crate::pipelines::{self, AnyPipeline, RunNames};

/// Tools that Amelia answers itself.
const OWN_TOOLS: [&str; 6] =
    [asking::NAME, delegating::NAME, consulting::NAME, "update_state", "handoff", "finish"];

/// What a person should know about rules that may never be met; a rule that cannot be used is an error.
pub(super) fn check(row: &RunRow, rules: &BTreeSet<StopRule>) -> Result<Vec<String>, ServiceError> {
    let pipeline = pipelines::of(row).map_err(service_error)?;
    let names = pipeline.names(row).map_err(service_error)?;
    let mut warnings = Vec::new();
    for rule in rules {
        check_rule(&*pipeline, rule)?;
        warnings.extend(names.as_ref().and_then(|names| warning(rule, names)));
    }
    Ok(warnings)
}

pub(super) fn check_rule(pipeline: &dyn AnyPipeline, rule: &StopRule) -> Result<(), ServiceError> {
    if let Some(condition) = &rule.condition {
        pipeline.check_condition(condition).map_err(|reason| {
            let problem = Problem::new(format!("breakpoint `{rule}`: the condition `{condition}`: {reason}"));
            let hint = "docs/workflows.md lists what a condition can look at, such as `state.score > 0.5`";
            ServiceError::Invalid(problem.with_hint(hint))
        })?;
    }
    let StopPlace::Event(name) = &rule.place else { return Ok(()) };
    if STOPPABLE_EVENTS.contains(&name.as_str()) {
        return Ok(());
    }
    let message = match UNSTOPPABLE_EVENTS.contains(&name.as_str()) {
        true => {
            format!("breakpoint `{rule}`: no step follows `{name}`, so the run cannot stop after it")
        }
        false => format!("breakpoint `{rule}`: there is no event `{name}`"),
    };
    let hint = format!("the events are {}", STOPPABLE_EVENTS.join(", "));
    Err(ServiceError::Invalid(Problem::new(message).with_hint(hint)))
}

fn warning(rule: &StopRule, names: &RunNames) -> Option<String> {
    match &rule.place {
        StopPlace::Agent(agent) if !names.agents.contains(agent) => Some(format!(
            "`{rule}` is never met: the run has no agent `{agent}` (its agents: {})",
            names.agents.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
        )),
        StopPlace::Tool(glob) if !names.has_programs && !fits_a_tool(rule, names) => {
            Some(format!("`{rule}` is never met: no tool of the run is called `{glob}`"))
        }
        _ => None,
    }
}

fn fits_a_tool(rule: &StopRule, names: &RunNames) -> bool {
    let nothing = Object::new();
    let known = builtin::NAMES.into_iter().chain(OWN_TOOLS).chain(names.tools.iter().map(String::as_str));
    let mut known = known.filter(|tool| rule.holds(tool, &nothing, ""));
    known.next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> RunNames {
        RunNames {
            agents: ["writer".to_owned()].into(),
            tools: ["memory:read_graph".to_owned()].into(),
            has_programs: false,
        }
    }

    #[test]
    fn names_that_the_run_does_not_have_are_warned_about() {
        let warned = |text: &str| warning(&StopRule::parse(text).unwrap(), &names());
        for known in
            ["agent:writer", "tool:shell", "tool:memory:*", "tool:read_*", "tool:update_state", "turn"]
        {
            assert_eq!(warned(known), None, "{known}");
        }
        assert!(warned("agent:nobody").unwrap().contains("no agent `nobody` (its agents: writer)"));
        assert!(warned("tool:teleport").unwrap().contains("`teleport`"));
        let program = RunNames { has_programs: true, ..names() };
        assert_eq!(warning(&StopRule::parse("tool:Bash").unwrap(), &program), None);
    }
}
