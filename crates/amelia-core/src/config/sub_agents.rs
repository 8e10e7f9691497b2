//! How many sub-agents a run may have.

use serde::{Deserialize, Serialize};

use super::problem::{ProblemReport, Validate};

/// How many sub-agents a run may have. A run keeps the limits that it was started with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SubAgentLimits {
    /// Levels below an agent of the run.
    pub depth: u32,
    pub per_run: u32,
    pub at_once: u32,
}

impl Default for SubAgentLimits {
    fn default() -> Self {
        Self { depth: 3, per_run: 50, at_once: 8 }
    }
}

impl Validate for SubAgentLimits {
    fn check(&self, report: &mut ProblemReport) {
        report.range("depth", &self.depth, &(1..=10));
        report.range("per_run", &self.per_run, &(1..=1000));
        report.range("at_once", &self.at_once, &(1..=64));
    }
}
