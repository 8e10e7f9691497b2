//! What to do about a run that has failed, for every place that says so. Pure.

use amelia_core::event::run::DAMAGED;
use amelia_core::problem::Problem;
use amelia_core::view::RunRow;
use amelia_wire::rest::why::{
    BAD_CONDITION, BAD_TEMPLATE, TOOL_FAILED, UNKNOWN_MODEL, may_need_other_agents,
};

/// What the failure says itself, and the command that resumes the run if that helps.
pub(crate) fn after_failure(row: &RunRow, me: &str) -> String {
    let run = row.run.number;
    let resume = format!("{me} resume {run}");
    let Some(failure) = &row.view.failure else { return resume };
    if [BAD_CONDITION, BAD_TEMPLATE].contains(&failure.code.as_str()) {
        return after_values(row, me);
    }
    if failure.code == TOOL_FAILED {
        return after_tool(row, me);
    }
    let others = may_need_other_agents(row);
    let Some(hint) = Problem::parse(&failure.message).hint else {
        return match others {
            true => format!("{resume}. {}", other_agents(row, me)),
            false => resume,
        };
    };
    match (failure.code == UNKNOWN_MODEL, others) {
        (true, true) => format!("{hint}; then {}", with_agents(row, me)),
        (true, false) => hint,
        // Only another run can continue.
        (false, _) if failure.code == DAMAGED => hint,
        (false, _) => {
            if others && let Some((here, change)) = in_profile(&hint) {
                return format!("{here}, then `{resume}`; or {change}, then `{}`", with_agents(row, me));
            }
            // A hint is stored as text, and some name the command: a wrong guess here only says it twice, or not at all.
            let way = if hint.contains(" resume ") { hint } else { format!("{hint}; then {resume}") };
            match others {
                true => format!("{way}. {}", other_agents(row, me)),
                false => way,
            }
        }
    }
}

/// What helps without the profile, and what is changed in it instead, of a hint that names both.
fn in_profile(hint: &str) -> Option<(&str, &str)> {
    hint.split_once("; or ").filter(|(here, change)| {
        change.contains(" in the profile") && !here.contains(" in the profile") && !hint.contains(" resume ")
    })
}

/// A route or a template that could not be evaluated fails in the same way again, until its values or the file are others.
fn after_values(row: &RunRow, me: &str) -> String {
    let run = row.run.number;
    let state = format!("{me} state {run} --set NAME=VALUE, then {me} resume {run}");
    match is_workflow(row) {
        true => format!("{state}; or correct the file, then {me} fork {run} --definition-from-file"),
        false => state,
    }
}

/// A resumed visit reads the failed result from the log; the same visit of a fork makes the call.
fn after_tool(row: &RunRow, me: &str) -> String {
    let run = row.run.number;
    match is_workflow(row) {
        true => format!(
            "correct the file, then {me} fork {run} --definition-from-file; or, to repeat the same call, {me} fork {run}"
        ),
        false => format!("{me} fork {run}"),
    }
}

fn is_workflow(row: &RunRow) -> bool {
    row.run.spec.graph.as_str() == "workflow"
}

/// The other way, in a sentence of its own.
fn other_agents(row: &RunRow, me: &str) -> String {
    format!("After a change of the profile: {}", with_agents(row, me))
}

/// The command that lets the profile's agents of today continue a run.
pub(crate) fn with_agents(row: &RunRow, me: &str) -> String {
    format!("{me} resume {} --agents-from-profile", row.run.number)
}

#[cfg(test)]
mod tests {
    use amelia_core::clock::{Clock as _, SystemClock};
    use amelia_core::event::run::RunFailure;
    use amelia_core::id::{GraphName, RunId, RunNumber};
    use amelia_core::run::{Run, RunSpec};
    use amelia_core::view::RunView;

    use super::*;

    fn way(profile: Option<&str>, code: &str, message: &str) -> String {
        way_of("g", profile, code, message)
    }

    fn way_of(graph: &str, profile: Option<&str>, code: &str, message: &str) -> String {
        let spec = RunSpec::new(GraphName::new(graph).unwrap(), "a run");
        let run = Run {
            id: RunId(SystemClock.new_id()),
            number: RunNumber(4),
            created_at: SystemClock.now(),
            spec: RunSpec {
                profile: profile.map(str::to_owned),
                input: serde_json::json!({"profile": {}}),
                ..spec
            },
        };
        let failure = Some(RunFailure { code: code.into(), message: message.into(), node: None });
        after_failure(&RunRow { run, view: RunView { failure, ..RunView::default() } }, "amelia")
    }

    #[test]
    fn a_run_is_resumed_only_where_that_helps() {
        assert_eq!(way(None, "x", "It broke."), "amelia resume r4");
        assert_eq!(way(None, DAMAGED, "It broke.\n  hint: fork it"), "fork it");
        assert_eq!(way(None, "x", "It broke.\n  hint: repair it"), "repair it; then amelia resume r4");
        assert_eq!(way(None, UNKNOWN_MODEL, "No.\n  hint: name another"), "name another");
        assert_eq!(way(None, "x", "No.\n  hint: run amelia resume r4 soon"), "run amelia resume r4 soon");
    }

    #[test]
    fn a_route_that_cannot_be_decided_is_repaired_before_the_run_is_resumed() {
        let way = way(None, BAD_CONDITION, "the route after `review` cannot be chosen");
        assert_eq!(way, "amelia state r4 --set NAME=VALUE, then amelia resume r4");
    }

    #[test]
    fn what_resuming_only_repeats_is_set_or_forked() {
        assert_eq!(
            way_of("workflow", None, BAD_TEMPLATE, "it uses `dsh`, which is not set"),
            "amelia state r4 --set NAME=VALUE, then amelia resume r4; or correct the file, then amelia fork r4 \
             --definition-from-file"
        );
        assert_eq!(
            way_of("workflow", None, TOOL_FAILED, "`path` is missing"),
            "correct the file, then amelia fork r4 --definition-from-file; or, to repeat the same call, amelia fork r4"
        );
    }

    #[test]
    fn a_failure_of_an_agent_names_the_command_that_takes_the_profile_as_it_is_now() {
        let other = "amelia resume r4 --agents-from-profile";
        let unknown = way(Some("work"), UNKNOWN_MODEL, "No.\n  hint: name another");
        assert_eq!(unknown, format!("name another; then {other}"));
        let unreached = way(Some("work"), "unavailable", "No.\n  hint: start it");
        let expected = format!("start it; then amelia resume r4. After a change of the profile: {other}");
        assert_eq!(unreached, expected);
        let refused = way(Some("work"), "refused", "No.");
        assert_eq!(refused, format!("amelia resume r4. After a change of the profile: {other}"));
        let hint = "run `claude` once to sign in; or set `api_key_env` in the profile";
        let signed_out = way(Some("work"), "unauthorised", &format!("No.\n  hint: {hint}"));
        let expected = format!(
            "run `claude` once to sign in, then `amelia resume r4`; \
             or set `api_key_env` in the profile, then `{other}`"
        );
        assert_eq!(signed_out, expected);
        assert!(!way(Some("work"), "x", "No.\n  hint: repair it").contains(other));
    }
}
