//! What every role is told beside its own prompt: where it works, by which limits, and how its work is checked.

use std::path::Path;

use amelia_core::config::agent::DriverType;
use amelia_core::config::profile::CheckCommand;
use amelia_core::survey::Survey;
use amelia_core::workplace::Rights;
use serde_json::{Value, json};

use crate::prompt::Prompts;

/// The prompt that follows the role's own.
const COMMON: &str = "common.system";

/// Facts about the work of one role.
pub struct Facts<'a> {
    pub directory: &'a Path,
    pub branch: Option<&'a str>,
    /// The commit that the work begins from.
    pub base: &'a str,
    /// The day on which the run was created. One day for the whole run: a replay is told the same.
    pub date: &'a str,
    pub checks: &'a [CheckCommand],
    pub survey: &'a Survey,
    pub rights: Rights,
    pub driver: DriverType,
}

/// The system prompt of a role: its own, filled with `own`, and the one for all roles.
#[must_use]
pub fn system(prompts: &Prompts, role: &str, mut own: Value, facts: &Facts<'_>) -> String {
    if let Value::Object(values) = &mut own {
        values.insert("directory".to_owned(), json!(facts.directory.to_string_lossy()));
    }
    format!("{}\n\n{}", prompts.render(role, own), prompts.render(COMMON, facts.values()))
}

impl Facts<'_> {
    fn values(&self) -> Value {
        // A program has a shell of its own, with limits of its own.
        let has_our_shell = match self.driver {
            DriverType::Api | DriverType::Scripted => self.rights == Rights::Work,
            DriverType::Claude | DriverType::Codex | DriverType::Acp => false,
        };
        json!({
            "directory": self.directory.to_string_lossy(),
            "branch": self.branch,
            "base": self.base.get(..12).unwrap_or(self.base),
            "date": self.date,
            "checks": self.checks,
            "works": self.rights == Rights::Work,
            "system": self.survey.system,
            "shell": has_our_shell.then_some(&self.survey.shell),
            "layout": self.survey.layout,
        })
    }
}

#[cfg(test)]
#[path = "briefing_tests.rs"]
mod tests;
