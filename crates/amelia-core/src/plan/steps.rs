//! A task step by step: who does which one, and whether a command did what the plan expects of it. Pure.

use serde::{Deserialize, Serialize};

use super::PlanStep;
use super::shell::is_commit;
use crate::check::CheckResult;
use crate::text::squeezed;

/// How far a task has come.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Steps {
    /// Place of the next one.
    pub next: usize,
    /// How often it was tried.
    pub tries: u32,
    /// What came of it the last time, when that was not what the plan expects: to be fixed.
    pub failed: Option<CheckResult>,
}

impl Steps {
    /// Nothing was done yet.
    #[must_use]
    pub fn is_new(&self) -> bool {
        *self == Self::default()
    }

    /// The next one was tried and did not come out as expected.
    pub fn fail(&mut self, result: CheckResult) {
        self.tries = self.tries.saturating_add(1);
        self.failed = Some(result);
    }
}

/// What comes next of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextWork {
    /// The Developer does these steps; places in the plan.
    Do(std::ops::Range<usize>),
    /// This command is run.
    Run { place: usize, command: String },
    /// The Developer fixes what a command did not do.
    Fix(CheckResult),
    /// The Developer finishes what a command may have done in part: it is not run twice.
    Finish { place: usize, interrupted: CheckResult },
    /// Nothing is left.
    Nothing,
}

/// What comes next.
#[must_use]
pub fn next(steps: &[PlanStep], so_far: &Steps) -> NextWork {
    match &so_far.failed {
        Some(failed) if failed.interrupted => {
            return NextWork::Finish { place: so_far.next, interrupted: failed.clone() };
        }
        Some(failed) => return NextWork::Fix(failed.clone()),
        None => {}
    }
    let left = steps.get(so_far.next..).unwrap_or_default();
    let Some(first) = left.first() else { return NextWork::Nothing };
    if let Some(command) = to_run(first) {
        return NextWork::Run { place: so_far.next, command: command.to_owned() };
    }
    let together = left.iter().take_while(|step| to_run(step).is_none()).count();
    NextWork::Do(so_far.next..so_far.next + together)
}

/// The command of a step, unless it is for what happens anyway once the task is reviewed: its commit.
fn to_run(step: &PlanStep) -> Option<&str> {
    let command = step.command.as_deref().filter(|command| !command.trim().is_empty())?;
    (!is_commit(command)).then_some(command)
}

/// Whether a command that ended with `exit_code` and printed `output` did what is expected. An expectation that begins
/// with a word like `FAIL` wants it to fail, all others want it to succeed; what is quoted in it, or all of it when it
/// says neither `PASS` nor `FAIL`, must be in the output.
#[must_use]
pub fn is_expected(expected: Option<&str>, exit_code: Option<i32>, output: &str) -> bool {
    let succeeded = exit_code == Some(0);
    let Some(expected) = expected.map(str::trim).filter(|expected| !expected.is_empty()) else {
        return succeeded;
    };
    let first: String = expected.chars().take_while(|c| c.is_alphabetic()).collect::<String>().to_lowercase();
    let wants_failure =
        ["fail", "fails", "failed", "failing", "failure", "error", "errors"].contains(&first.as_str());
    let wants_success =
        ["pass", "passes", "passed", "passing", "success", "succeeds"].contains(&first.as_str());
    let quoted = quoted(expected);
    let parts = if quoted.is_empty() && !wants_failure && !wants_success { vec![expected] } else { quoted };
    let output = squeezed(output);
    let has_ended_so = if wants_failure { exit_code.is_some() && !succeeded } else { succeeded };
    has_ended_so && parts.iter().all(|part| output.contains(&squeezed(part)))
}

/// Between backticks, or between double quotes.
fn quoted(text: &str) -> Vec<&str> {
    let sign = if text.contains('`') { '`' } else { '"' };
    let pieces: Vec<&str> = text.split(sign).collect();
    // What follows the last sign is not closed.
    let closed = pieces.len().saturating_sub(1);
    pieces.iter().take(closed).skip(1).step_by(2).filter(|piece| !piece.trim().is_empty()).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(command: Option<&str>) -> PlanStep {
        PlanStep { command: command.map(str::to_owned), ..PlanStep::default() }
    }

    #[test]
    fn steps_without_a_command_are_done_together_and_commands_one_by_one() {
        let steps =
            [step(None), step(None), step(Some("./test.sh")), step(None), step(Some("git commit -m x"))];
        let at = |next| super::next(&steps, &Steps { next, ..Steps::default() });
        assert_eq!(at(0), NextWork::Do(0..2));
        assert_eq!(at(2), NextWork::Run { place: 2, command: "./test.sh".to_owned() });
        assert_eq!(at(3), NextWork::Do(3..5), "the commit is made when the task has been reviewed");
        assert_eq!(at(5), NextWork::Nothing);
        let both = "git add -A && ./test.sh";
        let run = NextWork::Run { place: 0, command: both.to_owned() };
        assert_eq!(super::next(&[step(Some(both))], &Steps::default()), run, "more than the commit");
        assert_eq!(at(99), NextWork::Nothing);
        let failed = CheckResult { name: "step 3".to_owned(), ..CheckResult::default() };
        let so_far = Steps { next: 2, tries: 1, failed: Some(failed.clone()) };
        assert_eq!(super::next(&steps, &so_far), NextWork::Fix(failed.clone()));
        let interrupted = CheckResult { interrupted: true, ..failed };
        let so_far = Steps { failed: Some(interrupted.clone()), ..so_far };
        assert_eq!(super::next(&steps, &so_far), NextWork::Finish { place: 2, interrupted });
    }

    #[test]
    fn what_a_command_did_is_compared_with_what_the_plan_expects() {
        for (expected, exit_code, output, is_so) in [
            (None, Some(0), "", true),
            (None, Some(1), "", false),
            (Some("ok"), Some(0), "all\n ok \n", true),
            (Some("ok"), Some(0), "nothing", false),
            (Some("ok"), Some(1), "ok", false),
            (Some("2 passed, 0 failed"), Some(0), "2 passed,\n0 failed", true),
            (Some("PASS"), Some(0), "whatever", true),
            (Some("PASS"), Some(1), "PASS", false),
            (Some("FAIL with \"no such function\""), Some(1), "error: no such function", true),
            (Some("FAIL with \"no such function\""), Some(1), "another error", false),
            (Some("FAIL"), Some(0), "FAIL", false),
            (Some("FAIL"), None, "killed", false),
            (Some("prints `5` and `6`"), Some(0), "5\n6\n", true),
            (Some("prints `5` and `6`"), Some(0), "5\n", false),
            (Some("an `open quote"), Some(0), "an `open quote", true),
            (Some("  "), Some(0), "", true),
        ] {
            assert_eq!(
                is_expected(expected, exit_code, output),
                is_so,
                "{expected:?} {exit_code:?} {output}"
            );
        }
    }
}
