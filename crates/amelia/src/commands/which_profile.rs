//! Which profile a new run gets when none is named: one of this repository, never one of another.

use std::path::Path;

use amelia_core::config::profile_choice::ProfileChoice;
use amelia_host::place::{self, main_checkout};
use amelia_wire::amelia::config::Settings;
use amelia_wire::rest::config::SettingsShown;
use anyhow::{Context, Result};

use crate::cli::Global;
use crate::cli_error::{CliError, Exit};
use crate::client::Client;
use crate::ui;

/// The profile that is named, or `None` where the server chooses one of this repository; an error if there is none.
/// What is chosen is said to the person.
pub(super) async fn profile_here(
    client: &Client,
    named: Option<&str>,
    global: &Global,
) -> Result<Option<String>> {
    if let Some(name) = named {
        return Ok(Some(name.to_owned()));
    }
    let here = std::env::current_dir().context("the current directory is gone")?;
    let Some((name, others)) = chosen_with_others(client, &here, global).await? else { return Ok(None) };
    if !global.quiet && !global.json {
        anstream::eprintln!("{}", ui::dim(ui::one_line(&using(&name, &others))));
    }
    Ok(Some(name))
}

/// The same for a directory, without a word, if none is named.
pub(super) async fn profile_of_repository(
    client: &Client,
    here: &Path,
    global: &Global,
) -> Result<Option<String>> {
    Ok(chosen_with_others(client, here, global).await?.map(|(name, _)| name))
}

/// The profile of a directory, and the others that are for the same one.
async fn chosen_with_others(
    client: &Client,
    here: &Path,
    global: &Global,
) -> Result<Option<(String, Vec<String>)>> {
    // The server says what is wrong with a directory without a repository.
    let Ok(repository) = place::look(here).await else { return Ok(None) };
    let SettingsShown { settings, .. } = client.get("/settings").await?;
    let root = main_checkout(repository.root());
    let Some(name) = choose(&settings, here, &root, &ui::command(global))? else { return Ok(None) };
    let others = choice(&settings).others(name, &[here, &root]).into_iter().map(str::to_owned).collect();
    Ok(Some((name.to_owned(), others)))
}

/// Which profile is used, and that there is a choice.
fn using(name: &str, others: &[String]) -> String {
    match others {
        [] => format!("using profile {name}"),
        others => format!("using profile {name} (--profile selects another: {})", others.join(", ")),
    }
}

/// Why no new run could begin here without naming a profile: there is none for this repository.
pub(super) async fn refusal_here(settings: &Settings, global: &Global) -> Option<CliError> {
    chosen_here(settings, global).await.err()
}

/// The profile of this repository, or the active one outside of any.
pub(super) async fn chosen_here(settings: &Settings, global: &Global) -> Result<String, CliError> {
    let chosen = match std::env::current_dir() {
        Ok(here) => match place::look(&here).await {
            Ok(repository) => {
                let root = main_checkout(repository.root());
                choose(settings, &here, &root, &ui::command(global))?.map(str::to_owned)
            }
            Err(_) => None,
        },
        Err(_) => None,
    };
    Ok(chosen.unwrap_or_else(|| settings.active_profile.clone()))
}

/// What the choice of a profile depends on.
fn choice(settings: &Settings) -> ProfileChoice<'_> {
    let profiles =
        settings.profiles.iter().map(|(name, profile)| (name.as_str(), profile.repo_root.as_str()));
    ProfileChoice {
        active: &settings.active_profile,
        active_in: &settings.active_in,
        profiles: profiles.collect(),
    }
}

/// The profile for a directory in a repository; an error if the active one is for another.
fn choose<'a>(
    settings: &'a Settings,
    here: &Path,
    root: &Path,
    me: &str,
) -> Result<Option<&'a str>, CliError> {
    if let Some(name) = choice(settings).for_work_in(&[here, root]) {
        return Ok(Some(name));
    }
    match settings.profiles.get(&settings.active_profile) {
        // The server says that no profile is active.
        None => Ok(None),
        Some(active) => {
            let message = format!(
                "no profile is for this repository: the active profile `{}` is for {}",
                settings.active_profile, active.repo_root
            );
            let hint = format!(
                "run `{me} init` here to create one, or use that one with --profile {}",
                settings.active_profile
            );
            Err(CliError::new(Exit::NotFound, message).with_hint(hint))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings(active: &str, roots: &[(&str, &str)]) -> Settings {
        let profile = |(name, root): &(&str, &str)| {
            let agents = json!({"developer": {"driver": "claude", "model": "sonnet"}});
            ((*name).to_owned(), json!({"name": name, "repo_root": root, "agents": agents}))
        };
        let profiles: serde_json::Map<_, _> = roots.iter().map(profile).collect();
        serde_json::from_value(json!({"active_profile": active, "profiles": profiles})).unwrap()
    }

    #[test]
    fn the_profile_of_another_repository_is_used_only_if_it_is_named() {
        let settings = settings("default", &[("default", "/src/a"), ("b", "/src/b"), ("inner", "/src/b/c")]);
        let chosen = |here: &str, root: &str| {
            let chosen = choose(&settings, Path::new(here), Path::new(root), "amelia");
            chosen.map(|name| name.map(str::to_owned)).map_err(|refused| refused.to_string())
        };
        assert_eq!(chosen("/src/a/src", "/src/a"), Ok(Some("default".to_owned())));
        assert_eq!(chosen("/src/b", "/src/b"), Ok(Some("b".to_owned())));
        assert_eq!(chosen("/src/b/c", "/src/b/c"), Ok(Some("inner".to_owned())));
        assert_eq!(chosen("/elsewhere/of-b", "/src/b"), Ok(Some("b".to_owned())), "a worktree");
        let refused = chosen("/src/ab", "/src/ab").unwrap_err();
        assert!(refused.contains("`default` is for /src/a"), "{refused}");
    }

    #[test]
    fn several_profiles_of_one_repository_are_said_and_the_first_by_name_is_used() {
        let roots = [("default", "/src/a"), ("fast", "/src/b"), ("slow", "/src/b"), ("wide", "/src")];
        let chosen = |active: &str| {
            let settings = settings(active, &roots);
            let (here, root) = (Path::new("/src/b/x"), Path::new("/src/b"));
            let name = choose(&settings, here, root, "amelia").unwrap().unwrap().to_owned();
            let others: Vec<String> =
                choice(&settings).others(&name, &[here, root]).into_iter().map(str::to_owned).collect();
            using(&name, &others)
        };
        let several = "using profile fast (--profile selects another: slow, wide)";
        assert_eq!(chosen("default"), several);
        assert!(chosen("slow").starts_with("using profile slow (--profile selects another: fast, wide)"));
        assert_eq!(using("a", &[]), "using profile a");
        assert!(using("a", &["b".to_owned()]).contains("selects another: b)"));
    }

    #[test]
    fn a_profile_without_a_place_of_its_own_is_for_every_repository() {
        let anywhere = settings("default", &[("default", ".")]);
        let chosen = |settings| choose(settings, Path::new("/w"), Path::new("/w"), "amelia").ok().flatten();
        assert_eq!(chosen(&anywhere), Some("default"));
        assert_eq!(chosen(&settings("", &[])), None);
    }
}
