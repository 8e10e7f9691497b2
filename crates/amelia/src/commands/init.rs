//! `amelia init`: looks at the keys and at the repository, and writes a first profile.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use amelia_core::clock::SystemClock;
use amelia_core::config::profile::{CheckCommand, Profile};
use amelia_core::document::Documents;
use amelia_orchestrator::settings::Profiles;
use anyhow::{Context, Result};

use crate::cli::{Global, Init};
use crate::home::Home;
use crate::keys::Keys;
use crate::place;
use crate::refusal::{Exit, Refusal};
use crate::ui;
use crate::upstream::{Upstream, asked_for};

/// Roles that work on an issue.
const ROLES: [&str; 4] = ["architect", "developer", "reviewer", "evaluator"];

pub(super) async fn run(args: &Init, home: &Home, global: &Global) -> Result<ExitCode> {
    let here = std::env::current_dir().context("the current directory is gone")?;
    let repository = place::repository(&here).await?;
    let keys = Keys::gather(home, &[])?;
    let agent = asked_for(&args.model, |name| keys.get(name).is_some())?;
    let profiles = Profiles::new(home.open()? as Arc<dyn Documents>, Arc::new(SystemClock));
    if !args.force && profiles.find(Some(&args.name)).await?.is_some() {
        let message = format!(
            "there is a profile `{0}` already\n  hint: amelia config profile edit {0}, or init --name OTHER, or --force",
            args.name
        );
        return Err(Refusal::new(Exit::Conflict, message).into());
    }
    let upstream = Upstream::of(&agent)?;
    let profile = Profile {
        agents: ROLES.map(|role| (role.to_owned(), agent.clone())).into(),
        checks: checks(repository.root()),
        ..Profile::new(&args.name, repository.root().to_string_lossy())
    };
    profiles.put(&profile).await?;
    profiles.activate(&args.name).await?;
    if global.json {
        anstream::println!("{}", serde_json::to_string(&profile)?);
        return Ok(ExitCode::SUCCESS);
    }
    anstream::println!("{} {} for {}", ui::bold("profile"), args.name, repository.root().display());
    anstream::println!("  every role: {} at {}", agent.model, upstream.provider);
    match upstream.key_env.as_deref() {
        Some(name) if keys.get(name).is_some() => anstream::println!("  key: {name}"),
        Some(name) => anstream::println!("  key: {} {}", name, ui::painted(ui::WAITS, "is not set")),
        None => anstream::println!("  key: none needed"),
    }
    for check in &profile.checks {
        anstream::println!("  check: {}", check.command);
    }
    if profile.checks.is_empty() {
        let none = ui::painted(ui::WAITS, "none found; `amelia config profile edit` adds them");
        anstream::println!("  checks: {none}");
    }
    anstream::println!("{} amelia start --title \"what is to be done\"", ui::dim("next:"));
    Ok(ExitCode::SUCCESS)
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
