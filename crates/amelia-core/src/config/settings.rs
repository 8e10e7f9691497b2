//! All profiles, and the default one.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::problem::{ProblemReport, Validate};
use super::profile::Profile;
use super::profile_choice::ProfileChoice;

/// Root of the configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    pub active_profile: String,
    pub profiles: BTreeMap<String, Profile>,
    /// Of directories that have several profiles: the one that was activated last, by directory.
    #[serde(default)]
    pub active_in: BTreeMap<String, String>,
}

impl Settings {
    /// The profile for work in this directory, or the active one if none is for it.
    #[must_use]
    pub fn profile_for(&self, directory: &Path) -> Option<&Profile> {
        let profiles =
            self.profiles.iter().map(|(name, profile)| (name.as_str(), profile.repo_root.as_str()));
        let choice = ProfileChoice {
            active: &self.active_profile,
            active_in: &self.active_in,
            profiles: profiles.collect(),
        };
        let chosen = choice.for_work_in(&[directory]).and_then(|name| self.profiles.get(name));
        chosen.or_else(|| self.active())
    }

    /// The active profile.
    #[must_use]
    pub fn active(&self) -> Option<&Profile> {
        self.profiles.get(&self.active_profile)
    }
}

impl Validate for Settings {
    fn check(&self, report: &mut ProblemReport) {
        if self.active().is_none() {
            report.refuse("active_profile", format!("there is no profile `{}`", self.active_profile));
        }
        report.map("profiles", &self.profiles);
        for (key, profile) in self.profiles.iter().filter(|(key, profile)| **key != profile.name) {
            report.refuse(
                format_args!("profiles.{key}.name"),
                format!("`{}` differs from its key `{key}`", profile.name),
            );
        }
    }
}
