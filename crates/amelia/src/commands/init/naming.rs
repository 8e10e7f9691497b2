//! What a new profile is called, and which profile is used where there are several. Pure.

use std::path::Path;

use amelia_wire::amelia::config::Settings;

use crate::cli_error::{CliError, Exit};
use crate::ui;

const DEFAULT_NAME: &str = "default";
/// Profiles that are named in a line.
const LISTED: usize = 3;

/// The name of the profile to write: the one that is given, the one that this repository has, or a free one. One that
/// exists is written only by `force`.
pub(super) fn name_for(
    settings: &Settings,
    given: Option<&str>,
    root: &Path,
    force: bool,
) -> Result<String, CliError> {
    let own = of_repository(settings, root);
    let name = match (given, own) {
        (Some(given), _) => given.to_owned(),
        (None, Some(own)) => own.to_owned(),
        (None, None) => free_name(settings, root),
    };
    match settings.profiles.get(&name) {
        None => Ok(name),
        Some(_) if force => Ok(name),
        Some(known) if Path::new(&known.repo_root) == root => Err(exists_here(&name)),
        Some(known) => Err(exists_elsewhere(&name, &known.repo_root)),
    }
}

/// The profile of a repository: the active one if it is for it, or the first by name.
fn of_repository<'a>(settings: &'a Settings, root: &Path) -> Option<&'a str> {
    let is_own = |name: &&String| {
        settings.profiles.get(*name).is_some_and(|profile| Path::new(&profile.repo_root) == root)
    };
    let active = Some(&settings.active_profile).filter(is_own);
    active.or_else(|| settings.profiles.keys().find(is_own)).map(String::as_str)
}

/// The usual name, else the name of the directory, with a number if another repository has that one.
fn free_name(settings: &Settings, root: &Path) -> String {
    let is_free = |name: &String| !settings.profiles.contains_key(name);
    let directory = root.file_name().unwrap_or_default().to_string_lossy();
    let allowed = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let own: String = directory.chars().map(allowed).collect();
    let numbered = (2..).map(|number: u32| format!("{own}-{number}"));
    let mut names = [DEFAULT_NAME.to_owned(), own.clone()].into_iter().chain(numbered);
    names.find(is_free).unwrap_or(own)
}

fn exists_here(name: &str) -> CliError {
    let hint = format!(
        "`amelia config profile edit {name}` changes it; `amelia init --force` replaces it; `amelia init --name \
         OTHER` adds another"
    );
    CliError::new(Exit::Conflict, format!("this repository has the profile `{name}` already")).with_hint(hint)
}

/// A name that is used by force takes the profile away from the other repository.
pub(super) fn exists_elsewhere(name: &str, place: &str) -> CliError {
    let message = format!("the profile `{name}` exists already, for {place}");
    let hint = "choose another --name; --force replaces it, and then it is for this repository".to_owned();
    CliError::new(Exit::Conflict, message).with_hint(hint)
}

/// Where the new profile is used, if there are others: those of the same repository, and of other directories.
pub(super) fn which_is_used(before: &Settings, name: &str, root: &Path) -> Vec<String> {
    let others = || before.profiles.iter().filter(|(other, _)| *other != name);
    let is_here = |place: &str| Path::new(place) == root;
    let same: Vec<&str> = others()
        .filter(|(_, profile)| is_here(&profile.repo_root))
        .map(|(other, _)| other.as_str())
        .collect();
    let elsewhere: Vec<String> = others()
        .filter(|(_, profile)| !is_here(&profile.repo_root))
        .map(|(other, profile)| format!("{other} ({})", ui::one_line(&profile.repo_root)))
        .collect();
    let mut lines = Vec::new();
    if !same.is_empty() {
        lines.push(format!(
            "runs here use {name} now; also for this repository: {}; --profile NAME selects one for a run, `amelia \
             config profile activate NAME` for all",
            some_of(&same)
        ));
    }
    if !elsewhere.is_empty() {
        let elsewhere: Vec<&str> = elsewhere.iter().map(String::as_str).collect();
        lines.push(format!(
            "used only in this directory; other directories keep theirs: {}",
            some_of(&elsewhere)
        ));
    }
    lines
}

fn some_of(names: &[&str]) -> String {
    let shown = names.iter().take(LISTED).copied().collect::<Vec<_>>().join(", ");
    if names.len() > LISTED { format!("{shown}, …") } else { shown }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings(active: &str, roots: &[(&str, &str)]) -> Settings {
        let agents = json!({"developer": {"driver": "claude", "model": "sonnet"}});
        let profile =
            |(name, root): &(&str, &str)| ((*name).to_owned(), json!({"repo_root": root, "agents": agents}));
        let profiles: serde_json::Map<_, _> = roots.iter().map(profile).collect();
        serde_json::from_value(json!({"active_profile": active, "profiles": profiles})).unwrap()
    }

    #[test]
    fn a_repository_that_has_a_profile_gets_no_second_one_by_itself() {
        let settings = settings("b", &[("b", "/src/b"), ("mine", "/src/a"), ("zoo", "/src/a")]);
        let root = Path::new("/src/a");
        let refused = name_for(&settings, None, root, false).unwrap_err().to_string();
        assert!(refused.contains("this repository has the profile `mine` already"), "{refused}");
        assert_eq!(name_for(&settings, None, root, true).unwrap(), "mine", "it is replaced");
        assert_eq!(name_for(&settings, Some("other"), root, false).unwrap(), "other");
        let lines = which_is_used(&settings, "other", root);
        assert!(
            lines[0].contains("runs here use other now; also for this repository: mine, zoo;"),
            "{lines:?}"
        );
        assert!(lines[1].ends_with("other directories keep theirs: b (/src/b)"), "{lines:?}");
        assert_eq!(which_is_used(&self::settings("", &[]), "default", root), Vec::<String>::new());
    }

    #[test]
    fn a_second_clone_gets_a_name_of_its_own() {
        let one = settings("default", &[("default", "/x/calc")]);
        assert_eq!(name_for(&one, None, Path::new("/y/calc"), false).unwrap(), "calc");
        let two = settings("calc", &[("default", "/x/calc"), ("calc", "/y/calc")]);
        assert_eq!(name_for(&two, None, Path::new("/z/calc"), false).unwrap(), "calc-2");
        let refused = name_for(&two, Some("calc"), Path::new("/z/calc"), false).unwrap_err().to_string();
        assert!(refused.contains("exists already, for /y/calc"), "{refused}");
        assert_eq!(name_for(&settings("", &[]), None, Path::new("/z/a b"), false).unwrap(), "default");
    }
}
