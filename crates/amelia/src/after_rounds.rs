//! What to do about a run whose rounds are used up, or whose checks fail or cannot run, for every place that says so. Pure.

use std::fmt::Display;

/// What such a run leaves to a person.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RoundsChoice {
    /// The work can be accepted as it is.
    pub(crate) can_accept: bool,
    /// Other checks may help: those of the run stay the same until a person says otherwise.
    pub(crate) is_about_checks: bool,
}

impl RoundsChoice {
    /// The commands, and what each leads to.
    pub(crate) fn ways(self, run: impl Display, me: &str) -> String {
        let same = if self.is_about_checks { " with the same checks" } else { "" };
        let accept = if self.can_accept { ", --accept to accept the work as it is" } else { "" };
        let other = match self.is_about_checks {
            true => ", --checks-from-profile to continue with the checks that the profile has now",
            false => "",
        };
        format!("{me} resume {run} --approve to continue{same}{accept}{other}; or {me} cancel {run}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checks_of_a_run_change_only_with_the_option_that_says_so() {
        let ways =
            |can_accept, is_about_checks| RoundsChoice { can_accept, is_about_checks }.ways("r1", "amelia");
        assert_eq!(ways(false, false), "amelia resume r1 --approve to continue; or amelia cancel r1");
        assert_eq!(
            ways(true, true),
            "amelia resume r1 --approve to continue with the same checks, --accept to accept the work as it is, \
             --checks-from-profile to continue with the checks that the profile has now; or amelia cancel r1"
        );
    }
}
