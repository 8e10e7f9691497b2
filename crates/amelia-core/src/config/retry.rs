//! How often, and how patiently, a transient failure is tried again.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::problem::{ProblemReport, Validate};

/// Exponential backoff with a cap.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RetryConfig {
    pub max_retries: u32,
    /// Seconds before the first retry.
    pub base_delay: f64,
    /// Seconds that no delay exceeds.
    pub max_delay: f64,
}

impl Default for RetryConfig {
    fn default() -> Self {
        Self { max_retries: 3, base_delay: 1.0, max_delay: 60.0 }
    }
}

impl RetryConfig {
    /// How long to wait before retry `attempt` (from 0); `None` when there is none left.
    #[must_use]
    pub fn delay(&self, attempt: u32) -> Option<Duration> {
        if attempt >= self.max_retries {
            return None;
        }
        let doubled = self.base_delay * 2_f64.powi(i32::try_from(attempt).unwrap_or(i32::MAX));
        Duration::try_from_secs_f64(doubled.min(self.max_delay)).ok()
    }

    /// The message before retry `attempt` (from 0): when it comes, and how many tries there are.
    #[must_use]
    pub fn words(&self, attempt: u32, wait: Duration) -> String {
        let (next, tries) = (attempt.saturating_add(2), self.max_retries.saturating_add(1));
        format!("trying again in {:.1} s ({next} of {tries})", wait.as_secs_f64())
    }
}

impl Validate for RetryConfig {
    fn check(&self, report: &mut ProblemReport) {
        report.range("max_retries", &self.max_retries, &(0..=10));
        report.range("base_delay", &self.base_delay, &(0.1..=30.0));
        report.range("max_delay", &self.max_delay, &(1.0..=300.0));
    }
}
