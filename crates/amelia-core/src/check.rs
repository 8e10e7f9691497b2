//! A check of the repository that the orchestrator itself ran: tests, lint.

use serde::{Deserialize, Serialize};

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

impl CheckResult {
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
