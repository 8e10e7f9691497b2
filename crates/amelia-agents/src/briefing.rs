//! What the prompt of every role says beside its own text: where it works, by which limits, how its work is checked, what the
//! repository asks of those who work in it, and whom it follows.

use std::path::Path;

use amelia_core::check::CheckCommand;
use amelia_core::config::agent::{Asks, DriverType};
use amelia_core::survey::{Convention, Survey};
use amelia_core::workplace::Rights;
use serde_json::{Value, json};

use crate::helpers::Helpers;
use crate::prompt::Prompts;

/// The prompt that follows the role's own.
const COMMON: &str = "common.system";
/// Bytes of conventions in the prompt of one role; what does not fit is named.
const MAX_CONVENTION_BYTES: usize = 32 * 1024;
/// Other files with conventions that are named.
const MAX_NAMED: usize = 20;

/// Facts about the work of one role.
pub struct Facts<'a> {
    pub directory: &'a Path,
    pub branch: Option<&'a str>,
    /// The commit that the work begins from.
    pub base: &'a str,
    /// The day on which the run was created. One day for the whole run: a replay gets the same.
    pub date: &'a str,
    pub checks: &'a [CheckCommand],
    pub survey: &'a Survey,
    pub rights: Rights,
    pub driver: DriverType,
    /// Whom it may turn to, and what it is asked about first.
    pub helpers: &'a Helpers,
    /// Files that the work is about, as far as they are known.
    pub touched: &'a [String],
}

/// The system prompt of a role: its own, filled with `own`, and the one for all roles.
#[must_use]
pub fn system(prompts: &Prompts, role: &str, mut own: Value, facts: &Facts<'_>) -> String {
    if let Value::Object(values) = &mut own {
        values.insert("directory".to_owned(), json!(facts.directory.to_string_lossy()));
        values.insert("can_ask".to_owned(), json!(facts.helpers.person));
        // A role may know that the tool would not show the change.
        values.entry("has_git_diff").or_insert_with(|| json!(has_git_diff(facts.driver)));
    }
    format!("{}\n\n{}", prompts.render(role, own), prompts.render(COMMON, facts.values()))
}

/// Whether a role that only reads has our tool `git_diff`. `codex` and acp programs get none of our tools for files.
#[must_use]
pub(crate) fn has_git_diff(driver: DriverType) -> bool {
    match driver {
        DriverType::Api | DriverType::Scripted | DriverType::Claude => true,
        DriverType::Codex | DriverType::Acp => false,
    }
}

/// Whether a role that only reads can run git. Codex lets it, in a sandbox; Amelia refuses every command of an acp program.
#[must_use]
pub(crate) fn runs_git(driver: DriverType) -> bool {
    driver == DriverType::Codex
}

impl Facts<'_> {
    fn values(&self) -> Value {
        // A program has a shell of its own, with limits of its own.
        let has_our_shell = !self.driver.is_program() && self.rights == Rights::Work;
        let (told, named) = self.conventions();
        json!({
            "conventions": told,
            "more_conventions": named,
            "skills": self.survey.skills,
            // Codex has a sandbox of its own, unless a person is asked instead; what runs in the others has all rights
            // of the user.
            "is_sandboxed": self.driver == DriverType::Codex && self.helpers.permissions.asks == Asks::Never,
            "can_ask": self.helpers.person,
            "directory": self.directory.to_string_lossy(),
            "branch": self.branch,
            "base": self.base.get(..12).unwrap_or(self.base),
            "date": self.date,
            "checks": self.checks,
            "works": self.rights == Rights::Work,
            "system": self.survey.system,
            // A survey of an older recording has none.
            "shell": (has_our_shell && !self.survey.shell.program.is_empty()).then_some(&self.survey.shell),
            "layout": self.survey.layout,
        })
    }

    /// The conventions in the prompt of this role, from the root down, and the paths of others that it may need. When they
    /// do not all fit, those nearest to the work do.
    fn conventions(&self) -> (Vec<&Convention>, Vec<&str>) {
        let (mut told, mut named) = (Vec::new(), Vec::new());
        let mut left = MAX_CONVENTION_BYTES;
        // No program shows them to its model as we start it: `claude` without settings of the user and the repository,
        // `codex` in a directory that it does not trust.
        let mut nearest_first: Vec<&Convention> = self.survey.conventions.iter().collect();
        nearest_first.sort_by_key(|file| std::cmp::Reverse(file.path.matches('/').count()));
        for file in nearest_first {
            let size = file.text.as_ref().map_or(usize::MAX, String::len);
            if file.covers(self.touched) && size <= left {
                left -= size;
                told.push(file);
            } else {
                named.push(file.path.as_str());
            }
        }
        let from_the_root = |path: &str| (path.matches('/').count(), path.to_owned());
        told.sort_by_key(|file| from_the_root(&file.path));
        named.sort_by_key(|path| from_the_root(path));
        named.truncate(MAX_NAMED);
        (told, named)
    }
}

#[cfg(test)]
#[path = "briefing_tests.rs"]
mod tests;
