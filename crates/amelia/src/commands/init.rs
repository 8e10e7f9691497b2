//! `amelia init`: looks at the keys and at the repository, and writes a first profile.

use std::path::Path;
use std::process::ExitCode;

use amelia_core::config::profile::{CheckCommand, Profile};
use amelia_host::home::Home;
use amelia_host::keys::Keys;
use amelia_host::place;
use amelia_host::server_config;
use amelia_host::upstream::{ResolvedUpstream, asked_for};
use amelia_wire::amelia::config::profile as wire;
use amelia_wire::rest::config::ProfileShown;
use anyhow::{Context, Result};

use crate::cli::{Global, InitArgs};
use crate::cli_error::{CliError, Exit, exit_of};
use crate::client::Client;
use crate::reach;
use crate::ui;

/// Roles that work on an issue.
const ROLES: [&str; 4] = ["architect", "developer", "reviewer", "evaluator"];

pub(super) async fn run(args: &InitArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let here = std::env::current_dir().context("the current directory is gone")?;
    let repository = place::repository(&here).await?;
    let keys = Keys::gather(home, &[])?;
    let agent = asked_for(&args.model.clone().into(), |name| keys.get(name).is_some())?;
    let upstream = ResolvedUpstream::of(&agent)?;
    let profile = Profile {
        agents: ROLES.map(|role| (role.to_owned(), agent.clone())).into(),
        checks: checks(repository.root()),
        ..Profile::new(&args.name, repository.root().to_string_lossy())
    };
    // A person who names a variable here wants the server to use it.
    let is_new_key = match &args.model.api_key_env {
        Some(name) if global.server.is_none() => server_config::allow_key(home, name)?,
        Some(_) | None => false,
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
        anstream::println!("{}", args.name);
        return Ok(ExitCode::SUCCESS);
    }
    anstream::println!("{} {} for {}", ui::bold("profile"), args.name, repository.root().display());
    anstream::println!("  every role: {} at {}", agent.model, upstream.provider);
    match upstream.key_env.as_deref() {
        Some(name) if keys.get(name).is_some() => anstream::println!("  key: {name}"),
        Some(name) => anstream::println!("  key: {} {}", name, ui::painted(ui::WAITS, "is not set")),
        None => anstream::println!("  key: none needed"),
    }
    if is_new_key {
        let note = "added to api_key_envs of the server; restart a running server to apply it";
        anstream::println!("  {}", ui::dim(note));
    }
    for check in &profile.checks {
        anstream::println!("  check: {}", check.command);
    }
    if profile.checks.is_empty() {
        let none = ui::painted(ui::WAITS, "none found; `amelia config profile edit` adds them");
        anstream::println!("  checks: {none}");
    }
    anstream::println!("{} amelia start --title \"your task\"", ui::dim("next:"));
    Ok(ExitCode::SUCCESS)
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
            let message = format!("the profile `{name}` exists already");
            let hint = format!("amelia config profile edit {name}, or init --name OTHER, or --force");
            return Err(CliError::new(Exit::Conflict, message).with_hint(hint).into());
        }
        Err(error) => return Err(error),
    }
    client.post::<ProfileShown>(&format!("/profiles/{name}/activate"), &serde_json::json!({})).await?;
    Ok(())
}

/// How this repository tests itself, by the files that say so.
fn checks(root: &Path) -> Vec<CheckCommand> {
    let text = |name: &str| std::fs::read_to_string(root.join(name)).unwrap_or_default();
    let has = |name: &str| root.join(name).exists();
    let command = if text("Makefile").lines().any(|line| line.starts_with("test:")) {
        "make test"
    } else if has("Cargo.toml") {
        "cargo test --quiet"
    } else if has("go.mod") {
        "go test ./..."
    } else if text("package.json").contains("\"test\":") {
        "npm test --silent"
    } else if has("pyproject.toml") || has("pytest.ini") || has("setup.py") {
        "python3 -m pytest -q"
    } else if has("test.sh") {
        "./test.sh"
    } else {
        return Vec::new();
    };
    let (name, timeout) = ("tests".to_owned(), CheckCommand::DEFAULT_TIMEOUT);
    vec![CheckCommand { name, command: command.to_owned(), timeout }]
}
