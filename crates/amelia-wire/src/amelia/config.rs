//! Settings and profiles, in and out. Unknown fields are refused; older spellings are read, never written.

pub mod budget;
pub mod profile;
pub mod sandbox;
pub mod server;

use std::collections::BTreeMap;

use amelia_core::config as core;
use core::problem::{ConfigProblem, ProblemReport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::read::Incoming;
use profile::Profile;

/// Profiles, and the active one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub active_profile: String,
    pub profiles: BTreeMap<String, Profile>,
    /// Of directories that have several profiles: the one that was activated last, by directory.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub active_in: BTreeMap<String, String>,
}

impl Incoming for Settings {
    type Core = core::settings::Settings;

    fn into_core(self, report: &mut ProblemReport) -> Self::Core {
        let profiles = self.profiles.into_iter().map(|(key, mut profile)| {
            if profile.name.is_empty() {
                profile.name.clone_from(&key);
            }
            let profile = report.within(format_args!("profiles.{key}"), |report| profile.into_core(report));
            (key, profile)
        });
        Self::Core {
            profiles: profiles.collect(),
            active_profile: self.active_profile,
            active_in: self.active_in,
        }
    }

    fn explained(problem: ConfigProblem) -> ConfigProblem {
        profile::misplaced_option(problem)
    }
}

impl From<core::settings::Settings> for Settings {
    fn from(settings: core::settings::Settings) -> Self {
        let profiles = settings.profiles.into_iter().map(|(key, profile)| (key, profile.into()));
        Self {
            active_profile: settings.active_profile,
            profiles: profiles.collect(),
            active_in: settings.active_in,
        }
    }
}

/// How transient failures are retried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct RetryConfig {
    /// Retries after the first attempt, 0 to 10. Default: 3.
    pub max_retries: u32,
    /// Seconds before the first retry, 0.1 to 30; the delay doubles with each retry. Default: 1.
    pub base_delay: f64,
    /// Longest delay before a retry, in seconds, 1 to 300. Default: 60.
    pub max_delay: f64,
}

same_fields!(RetryConfig = core::retry::RetryConfig { max_retries, base_delay, max_delay });
default_of_core!(RetryConfig = core::retry::RetryConfig);
