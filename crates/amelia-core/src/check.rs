//! A check of the repository that the orchestrator itself runs, such as tests, and what came of it.

use serde::{Deserialize, Serialize};

/// One check of the repository, such as its tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct CheckCommand {
    pub name: String,
    pub command: String,
    /// Seconds.
    #[serde(default = "default_check_timeout")]
    pub timeout: u64,
}

impl CheckCommand {
    /// Seconds a check may take by default.
    pub const DEFAULT_TIMEOUT: u64 = 600;
}

fn default_check_timeout() -> u64 {
    CheckCommand::DEFAULT_TIMEOUT
}

/// What came of one check.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct CheckResult {
    pub name: String,
    pub command: String,
    pub passed: bool,
    /// Nothing when it was killed: by a signal, or because it took too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(default)]
    pub timed_out: bool,
    /// The process that ran it died: nobody knows how it ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// The end of what it printed.
    pub output: String,
    pub duration_ms: u64,
}

/// Lines of a failing check that people are shown at once.
const TAIL: usize = 12;

impl CheckResult {
    /// The end of what it printed, if it failed.
    #[must_use]
    pub fn tail(&self) -> Option<String> {
        let lines: Vec<&str> = self.output.trim_end().lines().collect();
        let tail = lines.get(lines.len().saturating_sub(TAIL)..).unwrap_or_default().join("\n");
        (!self.passed && !tail.is_empty()).then_some(tail)
    }

    /// The program that the shell did not find, if it failed because of that. A path is none: it may be a file that an
    /// agent is still to write.
    #[must_use]
    pub fn missing_program(&self) -> Option<&str> {
        if self.exit_code != Some(127) {
            return None;
        }
        // `sh: 1: pytest: not found`, `bash: line 1: pytest: command not found`
        let told = self.output.lines().rev().find_map(|line| line.trim_end().strip_suffix(": not found"));
        let told = told.or_else(|| {
            self.output.lines().rev().find_map(|line| line.trim_end().strip_suffix(": command not found"))
        });
        let name = told?.rsplit(": ").next()?.trim();
        (!name.is_empty() && !name.contains('/')).then_some(name)
    }

    /// How it ended, in a few words.
    #[must_use]
    pub fn end(&self) -> String {
        if self.interrupted {
            return "was interrupted, its outcome is unknown".to_owned();
        }
        match (self.passed, self.timed_out, self.exit_code) {
            (true, ..) => "passed".to_owned(),
            (false, true, _) => "took too long".to_owned(),
            (false, false, Some(code)) => format!("failed with exit code {code}"),
            (false, false, None) => "was killed".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_not_installed_is_known_by_its_name() {
        let ended = |exit_code, output: &str| CheckResult {
            exit_code: Some(exit_code),
            output: output.to_owned(),
            ..CheckResult::default()
        };
        for (check, expected) in [
            (ended(127, "sh: 1: pytest: not found\n"), Some("pytest")),
            (ended(127, "bash: line 1: cargo: command not found"), Some("cargo")),
            (ended(127, "sh: 1: ./test.sh: not found"), None),
            (ended(1, "sh: 1: pytest: not found"), None),
            (ended(127, "no reason"), None),
        ] {
            assert_eq!(check.missing_program(), expected, "{check:?}");
        }
    }

    #[test]
    fn only_the_end_of_a_failing_check_is_shown() {
        let output: String = (0..20).map(|line| format!("{line}\n")).collect();
        let failed = CheckResult { output, ..CheckResult::default() };
        assert_eq!(failed.tail().unwrap().lines().next(), Some("8"));
        assert_eq!(CheckResult { passed: true, ..failed }.tail(), None);
        assert_eq!(CheckResult::default().tail(), None);
    }
}
