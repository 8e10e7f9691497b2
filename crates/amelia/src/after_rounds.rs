//! What to do about a run whose rounds are used up, whose checks fail or cannot run, or whose call was interrupted, for every
//! place that says so. Pure.

use std::fmt::Display;

/// What a person should know before they accept the work.
pub(crate) const NOTHING_TO_ACCEPT: &str = "The run has changed nothing so far.";

/// What such a run leaves to a person.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RoundsChoice {
    /// The work can be accepted as it is.
    pub(crate) can_accept: bool,
    /// Other checks may help: those of the run stay the same until a person says otherwise.
    pub(crate) is_about_checks: bool,
}

impl RoundsChoice {
    /// The commands, each to be copied alone, and what they lead to where the option does not say it.
    pub(crate) fn ways(self, run: impl Display, me: &str) -> String {
        let same = if self.is_about_checks { " (with the same checks)" } else { "" };
        let mut ways = vec![format!("{me} resume {run} --approve{same}")];
        if self.can_accept {
            ways.push(format!("{me} resume {run} --accept (the work as it is)"));
        }
        if self.is_about_checks {
            ways.push(format!("{me} resume {run} --checks-from-profile (with those that it has now)"));
        }
        ways.push(format!("{me} cancel {run}"));
        ways.join("; ")
    }
}

/// The commands that decide about a call that was interrupted, in the same form.
pub(crate) fn after_interrupted_call(run: impl Display, me: &str) -> String {
    format!(
        "{me} approve {run} (runs the tool again); {me} reject {run} (continues without its result); \
         {me} resume {run} --accept (continues because it is done); {me} cancel {run}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_answer_to_an_interrupted_call_is_a_command_with_what_it_leads_to() {
        assert_eq!(
            after_interrupted_call("r1", "amelia"),
            "amelia approve r1 (runs the tool again); amelia reject r1 (continues without its result); \
             amelia resume r1 --accept (continues because it is done); amelia cancel r1"
        );
    }

    #[test]
    fn the_checks_of_a_run_change_only_with_the_option_that_says_so() {
        let ways =
            |can_accept, is_about_checks| RoundsChoice { can_accept, is_about_checks }.ways("r1", "amelia");
        assert_eq!(ways(false, false), "amelia resume r1 --approve; amelia cancel r1");
        assert_eq!(
            ways(true, true),
            "amelia resume r1 --approve (with the same checks); amelia resume r1 --accept (the work as it is); \
             amelia resume r1 --checks-from-profile (with those that it has now); amelia cancel r1"
        );
    }
}
