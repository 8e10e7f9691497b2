//! What to do about a run that has failed, for every place that says so. Pure.

use amelia_core::problem::Problem;
use amelia_core::view::RunRow;
use amelia_wire::rest::why::{UNKNOWN_MODEL, may_need_other_agents};

/// What the failure says itself, and the command that resumes the run if that helps.
pub(crate) fn after_failure(row: &RunRow, me: &str) -> String {
    let run = row.run.number;
    let resume = format!("{me} resume {run}");
    let Some(failure) = &row.view.failure else { return resume };
    let others = may_need_other_agents(row);
    let Some(hint) = Problem::parse(&failure.message).hint else {
        return match others {
            true => format!("{resume}; or change the profile, then {}", with_agents(row, me)),
            false => resume,
        };
    };
    match (failure.code == UNKNOWN_MODEL, others) {
        (true, true) => format!("{hint}; then {}", with_agents(row, me)),
        (true, false) => hint,
        (false, _) => {
            // It may name the command.
            let way = if hint.contains(" resume ") { hint } else { format!("{hint}; then {resume}") };
            match others {
                true => format!("{way}; or change the profile, then {}", with_agents(row, me)),
                false => way,
            }
        }
    }
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
        let spec = RunSpec::new(GraphName::new("g").unwrap(), "a run");
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
        assert_eq!(way(None, "x", "It broke.\n  hint: repair it"), "repair it; then amelia resume r4");
        assert_eq!(way(None, UNKNOWN_MODEL, "No.\n  hint: name another"), "name another");
        assert_eq!(way(None, "x", "No.\n  hint: run amelia resume r4 soon"), "run amelia resume r4 soon");
    }

    #[test]
    fn a_failure_of_an_agent_names_the_command_that_takes_the_profile_as_it_is_now() {
        let other = "amelia resume r4 --agents-from-profile";
        let unknown = way(Some("work"), UNKNOWN_MODEL, "No.\n  hint: name another");
        assert_eq!(unknown, format!("name another; then {other}"));
        let unreached = way(Some("work"), "unavailable", "No.\n  hint: start it");
        let expected = format!("start it; then amelia resume r4; or change the profile, then {other}");
        assert_eq!(unreached, expected);
        let refused = way(Some("work"), "refused", "No.");
        assert_eq!(refused, format!("amelia resume r4; or change the profile, then {other}"));
        assert!(!way(Some("work"), "x", "No.\n  hint: repair it").contains(other));
    }
}
