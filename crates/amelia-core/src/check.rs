//! A check of the repository that the orchestrator itself runs, such as tests, and what came of it.

mod missing_program;

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
    /// The process that ran it died: its result is not known.
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

    /// The program or the tool that it needs and this machine does not have, if it failed because of that.
    #[must_use]
    pub fn missing_program(&self) -> Option<&str> {
        missing_program::missing_program(self)
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
    fn only_the_end_of_a_failing_check_is_shown() {
        let output: String = (0..20).map(|line| format!("{line}\n")).collect();
        let failed = CheckResult { output, ..CheckResult::default() };
        assert_eq!(failed.tail().unwrap().lines().next(), Some("8"));
        assert_eq!(CheckResult { passed: true, ..failed }.tail(), None);
        assert_eq!(CheckResult::default().tail(), None);
    }
}
