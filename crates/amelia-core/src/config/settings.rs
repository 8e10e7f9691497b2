//! All profiles, and which one is meant when nobody says.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::problem::{ProblemReport, Validate};
use super::profile::Profile;

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
    /// The profile for work in this directory: the active one, unless only others are for its repository. Of those, the one
    /// that was activated last; the first by name if none was.
    #[must_use]
    pub fn profile_for(&self, directory: &Path) -> Option<&Profile> {
        let is_for = |profile: &&Profile| directory.starts_with(&profile.repo_root);
        let is_active_there =
            |profile: &Profile| self.active_in.get(&profile.repo_root) == Some(&profile.name);
        let fitting = self.profiles.values().rev().filter(is_for);
        let of_repository = fitting.max_by_key(|profile| (profile.repo_root.len(), is_active_there(profile)));
        self.active().filter(is_for).or(of_repository).or_else(|| self.active())
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
