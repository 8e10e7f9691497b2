//! The active profile: whether work with it could begin.

use std::collections::BTreeMap;
use std::path::Path;

use amelia_core::budget::RunBudgets;
use amelia_core::config::agent::AgentConfig;
use amelia_core::config::problem::ProblemReport;
use amelia_core::config::profile::Profile;
use amelia_core::config::server::ServerConfig;
use amelia_core::id::AgentName;
use amelia_core::problem::Problem;
use amelia_wire::amelia::config::{Settings, profile as wire};
use amelia_wire::read::read;
use anyhow::Result;

use super::check::DoctorCheck;
use crate::assemble::Assembly;
use crate::home::Home;
use crate::run_environment::RunEnvironment;
use crate::server_config;

const HINT: &str = "amelia init, or amelia config profile apply -f FILE";

pub(super) fn checks(home: &Home, kept: Result<&Settings, &DoctorCheck>) -> Vec<DoctorCheck> {
    let profile = match kept.map_err(Clone::clone).map(active) {
        Ok(Ok(Some(profile))) => profile,
        Ok(Ok(None)) => return vec![judge_absent(false)],
        Ok(Err(error)) => return vec![DoctorCheck::refused("profile", &error)],
        Err(check) => return vec![check],
    };
    let has_repository = Path::new(&profile.repo_root).is_dir();
    vec![
        judge(&profile, has_repository),
        judge_agents(&profile, working(&profile, home)),
        judge_keys(&profile, server_config::load(home, Vec::new())),
        judge_checks(&profile),
    ]
}

/// Those of the kept profiles that can be read.
pub fn readable(settings: &Settings) -> BTreeMap<String, Profile> {
    let profiles = settings.profiles.iter();
    profiles.filter_map(|(name, profile)| Some((name.clone(), parsed(profile).ok()?))).collect()
}

/// The profile that counts when nobody names one.
fn active(settings: &Settings) -> Result<Option<Profile>> {
    settings.profiles.get(&settings.active_profile).map(parsed).transpose()
}

/// Read as strictly as when it was kept.
fn parsed(profile: &wire::Profile) -> Result<Profile> {
    let name = &profile.name;
    read::<wire::Profile>(serde_json::to_value(profile)?).map_err(|refused| {
        let problem = Problem::new(format!("{name}: {refused}"));
        problem.with_hint(format!("amelia config profile edit {name}")).into()
    })
}

/// Whether every agent could be called: its driver is built in, its key is there. Nobody is called.
fn working(profile: &Profile, home: &Home) -> Vec<(String, Result<()>)> {
    let agents: Vec<&AgentConfig> = profile.agents.values().collect();
    let assembly = match Assembly::new(home, &agents, &RunEnvironment::Live) {
        Ok(assembly) => assembly,
        Err(error) => return vec![("keys".to_owned(), Err(error))],
    };
    let run_budgets = RunBudgets::default();
    let roles = profile.agents.keys().filter_map(|role| Some((role, profile.agent(role)?)));
    roles
        .map(|(role, agent)| {
            let name = AgentName::new(role).map_err(anyhow::Error::from);
            let made = name.and_then(|name| assembly.driver(&name, &agent, profile.retry, &run_budgets));
            (role.clone(), made.map(drop))
        })
        .collect()
}

pub(super) fn judge_absent(is_unread: bool) -> DoctorCheck {
    match is_unread {
        true => DoctorCheck::warning("profile", "not checked: the database cannot be read", "see above"),
        false => DoctorCheck::warning("profile", "none is active", HINT),
    }
}

fn judge(profile: &Profile, has_repository: bool) -> DoctorCheck {
    let (name, root) = (&profile.name, &profile.repo_root);
    match has_repository {
        true => DoctorCheck::ok("profile", format!("{name}, for {root}")),
        false => {
            let hint = format!("amelia config profile edit {name}");
            DoctorCheck::error("profile", format!("{name}: repo_root {root} is not a directory here"), hint)
        }
    }
}

/// Whether a server would send the keys that the profile names.
fn judge_keys(profile: &Profile, config: Result<ServerConfig>) -> DoctorCheck {
    let config = match config {
        Ok(config) => config,
        Err(error) => return DoctorCheck::refused("api keys", &error),
    };
    let mut report = ProblemReport::default();
    config.check_keys(profile, &mut report);
    match report.into_problems().first() {
        None => DoctorCheck::ok("api keys", "the server may send the keys that the profile names"),
        Some(problem) => DoctorCheck::error(
            "api keys",
            format!("{}: {}: {}", profile.name, problem.path, problem.message),
            format!(
                "amelia config server set api_key_envs '[{}, NAME]', then amelia server stop",
                config.api_key_envs.join(", ")
            ),
        ),
    }
}

/// The first role that cannot work says why; all that can are listed.
fn judge_agents(profile: &Profile, working: Vec<(String, Result<()>)>) -> DoctorCheck {
    let mut roles = Vec::new();
    for (role, works) in working {
        match works {
            Ok(()) => roles.push(role),
            Err(error) => {
                return DoctorCheck::refused("agents", &error.context(format!("{}: {role}", profile.name)));
            }
        }
    }
    match roles.is_empty() {
        false => {
            DoctorCheck::ok("agents", format!("{} can be called; no model was called", roles.join(", ")))
        }
        true => {
            let hint = format!("amelia config profile edit {}", profile.name);
            DoctorCheck::error("agents", format!("{} has no agents", profile.name), hint)
        }
    }
}

fn judge_checks(profile: &Profile) -> DoctorCheck {
    let commands: Vec<&str> = profile.checks.iter().map(|check| check.command.as_str()).collect();
    match commands.is_empty() {
        false => DoctorCheck::ok("checks", commands.join("; ")),
        true => {
            let hint =
                format!("add commands, such as tests, with `amelia config profile edit {}`", profile.name);
            DoctorCheck::warning("checks", "none: no command runs before a review", hint)
        }
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::check::CheckCommand;

    use super::super::check::CheckState;
    use super::*;

    #[test]
    fn a_profile_needs_its_repository_and_agents_and_better_has_checks() {
        let mut profile = Profile::new("work", "/r");
        assert_eq!(judge(&profile, true), DoctorCheck::ok("profile", "work, for /r"));
        assert_eq!(judge(&profile, false).state, CheckState::Error);
        assert_eq!(judge_agents(&profile, Vec::new()).state, CheckState::Error);
        assert_eq!(judge_checks(&profile).state, CheckState::Warning);
        profile.checks = vec![CheckCommand { name: "t".into(), command: "make test".into(), timeout: 1 }];
        assert_eq!(judge_checks(&profile), DoctorCheck::ok("checks", "make test"));
    }

    #[test]
    fn the_first_role_that_cannot_work_says_why_and_what_to_do() {
        let profile = Profile::new("work", "/r");
        let missing = || anyhow::Error::from(Problem::new("`A_KEY` is not set").with_hint("set it"));
        let works = |role: &str| (role.to_owned(), Ok(()));
        let judged =
            judge_agents(&profile, vec![works("architect"), ("reviewer".to_owned(), Err(missing()))]);
        assert_eq!(judged, DoctorCheck::error("agents", "work: reviewer: `A_KEY` is not set", "set it"));
        let all = judge_agents(&profile, vec![works("architect"), works("developer")]);
        assert_eq!(all.message, "architect, developer can be called; no model was called");
    }

    #[test]
    fn the_active_profile_is_the_one_that_is_looked_at() {
        let core = amelia_core::config::settings::Settings {
            active_profile: "b".to_owned(),
            profiles: [("a", "/a"), ("b", "/b")]
                .map(|(name, root)| (name.to_owned(), Profile::new(name, root)))
                .into(),
        };
        let mut settings = Settings::from(core);
        assert_eq!(active(&settings).unwrap().unwrap().repo_root, "/b");
        settings.active_profile = "c".to_owned();
        assert_eq!(active(&settings).unwrap(), None);
    }
}
