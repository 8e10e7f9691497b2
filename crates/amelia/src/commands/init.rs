//! `amelia init`: looks for agents and checks, and writes a first profile.

mod naming;

use std::io::{IsTerminal as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::ExitCode;

use amelia_core::check::CheckCommand;
use amelia_core::config::profile::Profile;
use amelia_git::GitError;
use amelia_host::doctor::is_on_path;
use amelia_host::home::Home;
use amelia_host::keys::Keys;
use amelia_host::place;
use amelia_host::server_config;
use amelia_host::setup::{
    FoundAgent, TrialOutcome, TriedCheck, found_agents, only_model, tried_checks, with_environment_url,
    with_listed_model, with_models,
};
use amelia_host::upstream::asked_for;
use amelia_orchestrator::service::ModelChoice;
use amelia_wire::amelia::config::profile as wire;
use amelia_wire::rest::config::{ProfileShown, SettingsShown};
use anyhow::{Context, Result};

use crate::cli::{Global, InitArgs};
use crate::cli_error::{CliError, Exit, exit_of, problem_of};
use crate::client::Client;
use crate::reach;
use crate::ui;

/// Roles that work on an issue.
const ROLES: [&str; 4] = ["architect", "developer", "reviewer", "evaluator"];

pub(super) async fn run(args: &InitArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let here = std::env::current_dir().context("the current directory is gone")?;
    let repository = place::repository(&here).await?;
    let root = repository.root();
    // A person who names a variable here wants the server to use it.
    let is_new_key = match &args.model.api_key_env {
        Some(name) if global.server.is_none() => server_config::allow_key(home, name)?,
        Some(_) | None => false,
    };
    let named = args.model.api_key_env.iter().cloned().collect();
    let client = reach::to_work_here(home, global, named).await?;
    // Before anything is asked or tried.
    let settings = client.get::<SettingsShown>("/settings").await;
    client.close().await?;
    let settings = settings?.settings;
    let checkout = place::main_checkout(root);
    let name = naming::name_for(&settings, args.name.as_deref(), &checkout, args.force)?;
    let keys = Keys::gather(home, &[])?;
    let (found, others) = chosen(args, &keys, global).await?;
    let found = as_listed(found, &keys, args.model.model.is_some()).await;
    let agent = &found.agent;
    let mut tried = Vec::new();
    match args.checks.as_slice() {
        [] => tried = tried_checks(root, &candidates(root)).await,
        given => {
            for command in given {
                tried.extend(tried_checks(root, &[command]).await);
            }
            if let Some(refusal) = tried.iter().find_map(unusable_check) {
                return Err(refusal.into());
            }
        }
    }
    let profile = Profile {
        agents: ROLES.map(|role| (role.to_owned(), agent.clone())).into(),
        checks: check_commands(&tried),
        ..Profile::new(name, checkout.to_string_lossy())
    };
    let named = args.model.api_key_env.iter().cloned().collect();
    let client = reach::to_work_here(home, global, named).await?;
    let kept = keep(&client, &profile, args.force).await;
    client.close().await?;
    kept?;
    if global.json {
        anstream::println!("{}", serde_json::to_string(&profile)?);
        return Ok(ExitCode::SUCCESS);
    }
    if global.quiet {
        anstream::println!("{}", profile.name);
        return Ok(ExitCode::SUCCESS);
    }
    ui::say!("{} {} for {}", ui::bold("profile"), profile.name, checkout.display());
    ui::say!("  every role: {}", found.label);
    if let Some(missing) = &found.missing {
        ui::say!("  {} {}", ui::painted(ui::WAITS, "not ready:"), ui::one_line(&missing.problem));
    }
    if !others.is_empty() {
        let names = others.join(", ");
        ui::say!(
            "  {}",
            ui::dim(format!("also found: {names}; `amelia init --force --agent NAME` uses another"))
        );
    }
    if is_new_key {
        let note = "added to api_key_envs of the server; restart a running server to apply it";
        ui::say!("  {}", ui::dim(note));
    }
    for line in naming::which_is_used(&settings, &profile.name, &checkout) {
        ui::say!("  {}", ui::dim(line));
    }
    tried.iter().for_each(|check| ui::say!("  {}", check_line(check)));
    if profile.checks.is_empty() {
        let none = ui::painted(ui::WAITS, "none found; `amelia init --force --check COMMAND` sets one");
        ui::say!("  checks: {none}");
    }
    let mut next: Vec<String> = found.missing.iter().map(|missing| missing.remedy.clone()).collect();
    if let Err(GitError::NoCommits { .. }) = repository.commit("HEAD").await {
        let problem = "the repository has no commits, and a run starts from one";
        ui::say!("  {} {problem}", ui::painted(ui::WAITS, "not ready:"));
        next.insert(0, "create a first commit".to_owned());
    }
    next.push(format!("{} start --title \"your task\"", ui::command(global)));
    ui::say!("{} {}", ui::dim("next:"), next.join(", then "));
    Ok(ExitCode::SUCCESS)
}

/// The agent for every role: the one that was asked for, or one that is there; and the others that were found.
async fn chosen(args: &InitArgs, keys: &Keys, global: &Global) -> Result<(FoundAgent, Vec<String>)> {
    let asked: ModelChoice = args.model.clone().into();
    let has_key = |name: &str| keys.get(name).is_some();
    if asked != ModelChoice::default() && args.agent.is_none() {
        let (mut asked, variable) = with_environment_url(asked, |name| std::env::var(name).ok(), has_key);
        if let (None, Some(url)) = (&asked.model, &asked.base_url) {
            asked.model = only_model(url).await;
        }
        let agent = match (asked_for(&asked, has_key), &asked) {
            (Err(error), ModelChoice { model: None, base_url: Some(url), .. }) => {
                let problem = with_models(problem_of(&error), url).await;
                return Err(CliError::new(exit_of(&error), problem).into());
            }
            (agent, _) => agent?,
        };
        return Ok((FoundAgent::of(agent, keys, variable)?, programs_here()));
    }
    let mut found = found_agents(keys).await;
    if let Some(name) = &args.agent {
        let names: Vec<String> = found.iter().map(|one| one.name.clone()).collect();
        let named = found.into_iter().find(|one| one.name == *name).ok_or_else(|| {
            let hint = match names.as_slice() {
                [] => "no key and no agent program was found".to_owned(),
                names => format!("found: {}", names.join(", ")),
            };
            let message = format!("the agent `{name}` was not found here");
            CliError::new(Exit::NotFound, message).with_hint(hint)
        })?;
        return Ok((named.overridden(&asked, keys)?, Vec::new()));
    }
    if found.is_empty() {
        let message =
            "there is no agent to use: no API key is set, and neither claude nor codex is installed";
        let hint = "set ANTHROPIC_API_KEY or another key, install claude or codex, or give --base-url and \
                    --model for a local server";
        return Err(CliError::new(Exit::Usage, message).with_hint(hint).into());
    }
    let asks = !args.yes && !global.json && !global.quiet && std::io::stdin().is_terminal();
    if asks && found.len() > 1 {
        // With the models that they will have.
        for one in &mut found {
            *one = as_listed(one.clone(), keys, false).await;
        }
        let place = ask(&found)?;
        return Ok((found.swap_remove(place), Vec::new()));
    }
    let used = found.remove(0);
    Ok((used, found.into_iter().map(|one| one.name).collect()))
}

/// With the model that its server has, unless something else is missing.
async fn as_listed(found: FoundAgent, keys: &Keys, is_named: bool) -> FoundAgent {
    match found.missing {
        None => with_listed_model(found, keys, is_named).await,
        Some(_) => found,
    }
}

/// The programs that are agents and could be used as well.
fn programs_here() -> Vec<String> {
    ["claude", "codex"].into_iter().filter(|name| is_on_path(name)).map(str::to_owned).collect()
}

/// Which of the agents the person wants.
fn ask(found: &[FoundAgent]) -> Result<usize> {
    ui::say!("Several agents were found:");
    for (number, one) in (1..).zip(found) {
        let note = one.missing.as_ref().map(|missing| format!(" ({})", missing.problem)).unwrap_or_default();
        ui::say!("  {number}. {}{}", one.label, ui::dim(note));
    }
    loop {
        anstream::print!("{} ", ui::painted(ui::WAITS, "which one? [1] ›"));
        std::io::stdout().flush()?;
        let mut line = String::new();
        if std::io::stdin().read_line(&mut line)? == 0 {
            return Err(CliError::new(Exit::Interrupted, "no agent was chosen").into());
        }
        match line.trim() {
            "" => return Ok(0),
            line => match line.parse::<usize>() {
                Ok(number) if (1..=found.len()).contains(&number) => return Ok(number - 1),
                Ok(_) | Err(_) => {
                    ui::say!("{}", ui::dim(format!("a number from 1 to {}; empty selects 1", found.len())));
                }
            },
        }
    }
}

/// A check that a person named is used or refused, never left out.
fn unusable_check(check: &TriedCheck) -> Option<CliError> {
    let TrialOutcome::Missing(program) = &check.outcome else { return None };
    let message =
        format!("the check `{}` cannot run: {program} is not installed", ui::one_line(&check.command));
    let hint = format!("install {program}, or name another command with --check; no profile was changed");
    Some(CliError::new(Exit::Usage, message).with_hint(hint))
}

/// What came of a check on the last commit.
fn check_line(check: &TriedCheck) -> String {
    let TriedCheck { command, outcome } = check;
    let command = ui::one_line(command);
    match outcome {
        TrialOutcome::Passed => format!("check: {command} {}", ui::dim("(passes on the last commit)")),
        TrialOutcome::Failed => {
            format!("check: {command} {}", ui::painted(ui::WAITS, "(fails on the last commit)"))
        }
        TrialOutcome::Slow => format!("check: {command} {}", ui::dim("(runs for more than a minute)")),
        TrialOutcome::NotTried => format!("check: {command} {}", ui::dim("(not tried)")),
        TrialOutcome::NoTests => ui::dim(format!("{command} is omitted: it finds no tests")),
        TrialOutcome::Missing(program) => {
            let what = format!("{command} is omitted: {program} is not installed");
            format!("{} {}", ui::painted(ui::WAITS, "!"), ui::one_line(&what))
        }
    }
}

/// Keeps the profile, and uses it from now on.
async fn keep(client: &Client, profile: &Profile, force: bool) -> Result<()> {
    let name = &profile.name;
    let document: wire::Profile = profile.clone().into();
    match client.post::<ProfileShown>("/profiles", &document).await {
        Ok(_) => {}
        Err(error) if exit_of(&error) == Exit::Conflict && force => {
            client.put(&format!("/profiles/{name}"), &document).await?;
        }
        Err(error) if exit_of(&error) == Exit::Conflict => {
            return Err(naming::exists_elsewhere(name, "another repository").into());
        }
        Err(error) => return Err(error),
    }
    client.post::<ProfileShown>(&format!("/profiles/{name}/activate"), &serde_json::json!({})).await?;
    Ok(())
}

/// How this repository may test itself, by the files that say so, the likeliest first.
fn candidates(root: &Path) -> Vec<&'static str> {
    let text = |name: &str| std::fs::read_to_string(root.join(name)).unwrap_or_default();
    let has = |name: &str| root.join(name).exists();
    if text("Makefile").lines().any(|line| line.starts_with("test:")) {
        vec!["make test"]
    } else if has("Cargo.toml") {
        vec!["cargo test --quiet"]
    } else if has("go.mod") {
        vec!["go test ./..."]
    } else if text("package.json").contains("\"test\":") {
        vec!["npm test --silent"]
    } else if ["pyproject.toml", "pytest.ini", "setup.py", "requirements.txt"].into_iter().any(has)
        || has_python_tests(root)
        || has_python_tests(&root.join("tests"))
    {
        vec!["python3 -m pytest -q", "python3 -m unittest", "python3 -m unittest discover -s tests"]
    } else if is_executable(&root.join("test.sh")) {
        vec!["./test.sh"]
    } else if has("test.sh") {
        vec!["sh test.sh"]
    } else {
        Vec::new()
    }
}

/// Whether files in this directory are named as Python's runners expect.
fn has_python_tests(directory: &Path) -> bool {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name()).any(|name| {
        let name = name.to_string_lossy();
        name.starts_with("test_") && name.ends_with(".py")
    })
}

fn is_executable(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// Those that run, each with a name of its own.
fn check_commands(tried: &[TriedCheck]) -> Vec<CheckCommand> {
    let checks = tried.iter().filter(|check| check.runs()).zip(1..);
    let named = |(check, number): (&TriedCheck, u32)| CheckCommand {
        name: if number == 1 { "tests".to_owned() } else { format!("check-{number}") },
        command: check.command.clone(),
        timeout: CheckCommand::DEFAULT_TIMEOUT,
    };
    checks.map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_repository_say_how_it_is_tested() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        assert!(candidates(root).is_empty());
        std::fs::write(root.join("test.sh"), "").unwrap();
        assert_eq!(candidates(root), ["sh test.sh"]);
        std::fs::set_permissions(root.join("test.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(candidates(root), ["./test.sh"]);
        std::fs::create_dir(root.join("tests")).unwrap();
        std::fs::write(root.join("tests/test_greet.py"), "").unwrap();
        assert!(candidates(root).contains(&"python3 -m unittest"));
    }
}
