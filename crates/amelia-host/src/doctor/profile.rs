//! The profile of a repository: whether work with it could begin.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use amelia_core::budget::RunBudgets;
use amelia_core::config;
use amelia_core::config::agent::AgentConfig;
use amelia_core::config::problem::ProblemReport;
use amelia_core::config::profile::Profile;
use amelia_core::config::server::ServerConfig;
use amelia_core::id::AgentName;
use amelia_core::problem::Problem;
use amelia_wire::amelia::config::{Settings, profile as wire};
use amelia_wire::read::read;
use anyhow::Result;

use super::agents::{self, UnreadyProgram, is_on_path};
use super::check::DoctorCheck;
use crate::assemble::Assembly;
use crate::home::Home;
use crate::keys::Keys;
use crate::run_environment::RunEnvironment;
use crate::server_config;
use crate::upstream::ResolvedUpstream;

const HINT: &str = "amelia init, or amelia config profile apply -f FILE";

pub(super) async fn checks(home: &Home, kept: Result<&Settings, &DoctorCheck>) -> Vec<DoctorCheck> {
    let profile = match kept.map_err(Clone::clone).map(active) {
        Ok(Ok(Some(profile))) => profile,
        Ok(Ok(None)) => return vec![judge_absent(false)],
        Ok(Err(error)) => return vec![DoctorCheck::refused("profile", &error)],
        Err(check) => return vec![check],
    };
    let has_repository = Path::new(&profile.repo_root).is_dir();
    let unready = agents::unready(&profile).await;
    let mut checks = vec![
        judge(&profile, has_repository),
        judge_agents(&profile, working(&profile, home), unready.as_ref()),
    ];
    let is_set = |name: &str| Keys::gather(home, &[name]).is_ok_and(|keys| keys.get(name).is_some());
    checks.extend(judge_keys(&profile, server_config::load(home, Vec::new()), is_set));
    checks.push(judge_checks(&profile));
    checks
}

/// The name of the profile for work in a directory.
pub(super) fn name_for(
    settings: &Settings,
    profiles: &BTreeMap<String, Profile>,
    directory: &Path,
) -> String {
    let Settings { active_profile, active_in, .. } = settings.clone();
    let readable = config::settings::Settings { active_profile, active_in, profiles: profiles.clone() };
    readable.profile_for(directory).map_or(readable.active_profile.clone(), |profile| profile.name.clone())
}

/// Those of the kept profiles that can be read.
pub fn readable(settings: &Settings) -> BTreeMap<String, Profile> {
    let profiles = settings.profiles.iter();
    profiles.filter_map(|(name, profile)| Some((name.clone(), parsed(profile).ok()?))).collect()
}

/// The default profile.
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

/// Whether every agent could be called: its driver is built in, its key is there. Makes no call.
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
            // A program that uses our proxy needs its key only when it is called.
            (role.clone(), made.and_then(|_| assembly.check(&[&agent])))
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

/// Whether a server would send the keys that the profile uses; nothing to say of those that are not set.
fn judge_keys(
    profile: &Profile,
    config: Result<ServerConfig>,
    is_set: impl Fn(&str) -> bool,
) -> Option<DoctorCheck> {
    let config = match config {
        Ok(config) => config,
        Err(error) => return Some(DoctorCheck::refused("api keys", &error)),
    };
    // An agent that is wrong was reported as such.
    let used = profile.agents.values().filter_map(|agent| ResolvedUpstream::variables(agent).ok()).flatten();
    let used: BTreeSet<String> = used.filter(|name| is_set(name)).collect();
    let mut report = ProblemReport::default();
    config.check_keys(profile, &mut report);
    match report.into_problems().first() {
        None if used.is_empty() => None,
        None => {
            let names = used.into_iter().collect::<Vec<_>>().join(", ");
            Some(DoctorCheck::ok("api keys", format!("the server settings allow {names}")))
        }
        Some(problem) => Some(DoctorCheck::error(
            "api keys",
            format!("{}: {}: {}", profile.name, problem.path, problem.message),
            format!(
                "amelia config server set api_key_envs '[{}, NAME]', then amelia server stop",
                config.api_key_envs.join(", ")
            ),
        )),
    }
}

/// The first role that cannot work says why; all that can are listed. `unready` is a program that is not.
fn judge_agents(
    profile: &Profile,
    working: Vec<(String, Result<()>)>,
    unready: Option<&UnreadyProgram>,
) -> DoctorCheck {
    let mut roles = Vec::new();
    for (role, works) in working {
        match works {
            Ok(()) => roles.push(role),
            Err(error) => {
                return DoctorCheck::refused("agents", &error.context(format!("{}: {role}", profile.name)));
            }
        }
    }
    if let Some(UnreadyProgram { roles, problem, hint, is_missing }) = unready {
        let message = format!("{}: {problem}", roles.join(", "));
        return match is_missing {
            true => DoctorCheck::error("agents", message, hint),
            false => DoctorCheck::warning("agents", message, hint),
        };
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
    let missing = commands.iter().find_map(|command| program_of(command).filter(|name| !is_on_path(name)));
    if let Some(program) = missing {
        let hint =
            format!("install it, or change the checks with `amelia config profile edit {}`", profile.name);
        return DoctorCheck::error("checks", format!("`{program}` is not installed"), hint);
    }
    match commands.is_empty() {
        false => DoctorCheck::ok("checks", commands.join("; ")),
        true => {
            let hint =
                format!("add commands, such as tests, with `amelia config profile edit {}`", profile.name);
            DoctorCheck::warning("checks", "none: no command runs before a review", hint)
        }
    }
}

/// Words of a shell that are not programs.
const SHELL_WORDS: [&str; 17] = [
    ":", ".", "!", "{", "cd", "set", "if", "for", "while", "case", "exec", "eval", "exit", "export",
    "source", "trap", "umask",
];

/// The program that a command starts first, if it says so plainly. A path may be a file that an agent is still to write.
fn program_of(command: &str) -> Option<&str> {
    let first = command.split_whitespace().next()?;
    let is_plain = first.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c));
    (is_plain && !SHELL_WORDS.contains(&first)).then_some(first)
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
        assert_eq!(judge_agents(&profile, Vec::new(), None).state, CheckState::Error);
        assert_eq!(judge_checks(&profile).state, CheckState::Warning);
        let check = |command: &str| CheckCommand { name: "t".into(), command: command.into(), timeout: 1 };
        profile.checks = vec![check("sh test.sh")];
        assert_eq!(judge_checks(&profile), DoctorCheck::ok("checks", "sh test.sh"));
        profile.checks.push(check("amelia-no-such-program --all"));
        let missing = judge_checks(&profile);
        assert_eq!(missing.state, CheckState::Error);
        assert!(missing.message.contains("`amelia-no-such-program` is not installed"), "{}", missing.message);
    }

    #[test]
    fn only_a_plain_name_is_looked_for() {
        for (command, program) in [
            ("pytest -q", Some("pytest")),
            ("cd web && npm test", None),
            ("./check.sh", None),
            ("CI=1 npm test", None),
            ("! grep x y", None),
            ("", None),
        ] {
            assert_eq!(program_of(command), program, "{command}");
        }
    }

    #[test]
    fn the_first_role_that_cannot_work_says_why_and_what_to_do() {
        let profile = Profile::new("work", "/r");
        let missing = || anyhow::Error::from(Problem::new("`A_KEY` is not set").with_hint("set it"));
        let works = |role: &str| (role.to_owned(), Ok(()));
        let judged =
            judge_agents(&profile, vec![works("architect"), ("reviewer".to_owned(), Err(missing()))], None);
        assert_eq!(judged, DoctorCheck::error("agents", "work: reviewer: `A_KEY` is not set", "set it"));
        let all = judge_agents(&profile, vec![works("architect"), works("developer")], None);
        assert_eq!(all.message, "architect, developer can be called; no model was called");
        let unready = UnreadyProgram {
            roles: vec!["developer".to_owned()],
            problem: "`claude` is installed, but not signed in".to_owned(),
            hint: "sign in".to_owned(),
            is_missing: false,
        };
        let judged = judge_agents(&profile, vec![works("developer")], Some(&unready));
        let message = "developer: `claude` is installed, but not signed in";
        assert_eq!(judged, DoctorCheck::warning("agents", message, "sign in"));
        let missing = UnreadyProgram { is_missing: true, ..unready };
        let judged = judge_agents(&profile, vec![works("developer")], Some(&missing));
        assert_eq!(judged.state, CheckState::Error, "as bad as the program itself");
    }

    #[test]
    fn keys_are_mentioned_only_if_the_profile_uses_some() {
        let mut profile = Profile::new("work", "/r");
        let judged = |profile: &Profile| judge_keys(profile, Ok(ServerConfig::default()), |_| true);
        assert_eq!(judged(&profile), None);
        let agent = AgentConfig {
            options: serde_json::json!({"provider": "openai"}).as_object().cloned().unwrap(),
            ..AgentConfig::new(amelia_core::config::agent::DriverType::Api, "m")
        };
        profile.agents = [("developer".to_owned(), agent)].into();
        let expected = DoctorCheck::ok("api keys", "the server settings allow OPENAI_API_KEY");
        assert_eq!(judged(&profile), Some(expected));
        let unset = judge_keys(&profile, Ok(ServerConfig::default()), |_| false);
        assert_eq!(unset, None, "that it is missing is said elsewhere");
    }

    #[test]
    fn the_active_profile_is_the_one_that_is_looked_at() {
        let core = amelia_core::config::settings::Settings {
            active_profile: "b".to_owned(),
            profiles: [("a", "/a"), ("b", "/b")]
                .map(|(name, root)| (name.to_owned(), Profile::new(name, root)))
                .into(),
            active_in: BTreeMap::new(),
        };
        let mut settings = Settings::from(core);
        assert_eq!(active(&settings).unwrap().unwrap().repo_root, "/b");
        let profiles = readable(&settings);
        for (directory, expected) in [("/a/src", "a"), ("/b", "b"), ("/elsewhere", "b")] {
            assert_eq!(name_for(&settings, &profiles, Path::new(directory)), expected);
        }
        settings.active_profile = "c".to_owned();
        assert_eq!(active(&settings).unwrap(), None);
    }
}
