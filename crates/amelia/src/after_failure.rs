//! What to do about a run that has failed, for every place that says so. Pure.

use amelia_core::problem::Problem;
use amelia_core::view::RunRow;

/// The code of a failure that resuming repeats: a run keeps the profile that it was started with.
const UNKNOWN_MODEL: &str = "unknown_model";

/// What the failure says itself, and the command that resumes the run if that helps.
pub(crate) fn after_failure(row: &RunRow, me: &str) -> String {
    let run = row.run.number;
    let resume = format!("{me} resume {run}");
    let Some(failure) = &row.view.failure else { return resume };
    match Problem::parse(&failure.message).hint {
        // It names the command.
        Some(hint) if hint.contains(" resume ") => hint,
        Some(hint) if failure.code == UNKNOWN_MODEL => hint,
        Some(hint) => format!("{hint}; then {resume}"),
        None => resume,
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::clock::{Clock as _, SystemClock};
    use amelia_core::event::run::RunFailure;
    use amelia_core::id::{GraphName, RunId, RunNumber};
    use amelia_core::run::{Run, RunSpec};
    use amelia_core::view::RunView;

    use super::*;

    #[test]
    fn a_run_is_resumed_only_where_that_helps() {
        let way = |code: &str, message: &str| {
            let run = Run {
                id: RunId(SystemClock.new_id()),
                number: RunNumber(4),
                created_at: SystemClock.now(),
                spec: RunSpec::new(GraphName::new("g").unwrap(), "a run"),
            };
            let failure = Some(RunFailure { code: code.into(), message: message.into(), node: None });
            after_failure(&RunRow { run, view: RunView { failure, ..RunView::default() } }, "amelia")
        };
        assert_eq!(way("x", "It broke."), "amelia resume r4");
        assert_eq!(way("x", "It broke.\n  hint: repair it"), "repair it; then amelia resume r4");
        assert_eq!(way(UNKNOWN_MODEL, "No.\n  hint: name another"), "name another");
        assert_eq!(way("x", "No.\n  hint: run amelia resume r4 soon"), "run amelia resume r4 soon");
    }
}
