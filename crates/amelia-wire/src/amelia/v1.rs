//! What only the first version of the data model had (the task graph, structured designs, one driver per
//! profile), and its spellings: read here, written in the newest form.

mod followed;
pub mod plan;
pub mod state;

use amelia_core::config::agent::DriverType;
use amelia_core::config::problem::ProblemReport;
use amelia_core::config::profile::{self as core, TrackerType, WorkMode};
use amelia_core::review::{self, ReviewStrategy};
use serde::{Deserialize, Serialize};

use super::config::profile::{StrategyType, strategy};
use super::spelling::{Driver, driver_word, tracker};
use crate::read::Incoming;

/// A profile with one driver.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    pub name: String,
    #[serde(serialize_with = "driver_word")]
    pub driver: Driver,
    #[serde(default, deserialize_with = "tracker")]
    pub tracker: TrackerType,
    #[serde(default)]
    pub strategy: StrategyType,
    #[serde(default = "structured")]
    pub execution_mode: WorkMode,
    #[serde(default = "plan_output_dir")]
    pub plan_output_dir: String,
    #[serde(default)]
    pub working_dir: Option<String>,
}

fn structured() -> WorkMode {
    WorkMode::Structured
}

fn plan_output_dir() -> String {
    "docs/plans".to_owned()
}

impl Incoming for Profile {
    type Core = core::Profile;

    fn into_core(self, report: &mut ProblemReport) -> core::Profile {
        let mut profile = core::Profile::new(self.name, self.working_dir.unwrap_or_else(|| ".".to_owned()));
        self.driver.fill(&mut profile.agents);
        profile.tracker = self.tracker;
        profile.strategy = strategy(self.strategy, &[], report);
        profile.execution_mode = self.execution_mode;
        profile.plan_output_dir = self.plan_output_dir;
        profile
    }
}

impl From<&core::Profile> for Profile {
    /// The Developer's driver speaks for all.
    fn from(profile: &core::Profile) -> Self {
        let agent = profile.agents.get("developer").or_else(|| profile.agents.values().next());
        Self {
            name: profile.name.clone(),
            driver: Driver { kind: agent.map_or(DriverType::Api, |agent| agent.driver), provider: None },
            tracker: profile.tracker,
            strategy: match &profile.strategy {
                ReviewStrategy::Single => StrategyType::Single,
                ReviewStrategy::Competitive { .. } => StrategyType::Competitive,
            },
            execution_mode: profile.execution_mode,
            plan_output_dir: profile.plan_output_dir.clone(),
            working_dir: Some(profile.repo_root.clone()),
        }
    }
}

/// Severity in the first version's words, which AgentX has for guardrails. Something that was checked and found is at
/// least `low`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(description = "How bad it is.")]
pub enum Severity {
    Low,
    Medium,
    High,
    Critical,
}

impl From<review::Severity> for Severity {
    fn from(severity: review::Severity) -> Self {
        match severity {
            review::Severity::None | review::Severity::Low => Self::Low,
            review::Severity::Medium => Self::Medium,
            review::Severity::High => Self::High,
            review::Severity::Critical => Self::Critical,
        }
    }
}

impl From<Severity> for review::Severity {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Low => Self::Low,
            Severity::Medium => Self::Medium,
            Severity::High => Self::High,
            Severity::Critical => Self::Critical,
        }
    }
}
