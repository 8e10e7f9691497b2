//! All profiles, and which one is meant when nobody says.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::problem::{ProblemReport, Validate};
use super::profile::Profile;

/// Root of the configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    pub active_profile: String,
    pub profiles: BTreeMap<String, Profile>,
}

impl Settings {
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
