//! `amelia config profile`: what agents work with, kept in the store, written and read as YAML.

mod server;

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use amelia_core::clock::SystemClock;
use amelia_core::config::profile::Profile;
use amelia_core::config::settings::Settings;
use amelia_core::document::Documents;
use amelia_orchestrator::settings::Profiles;
use amelia_wire::amelia::config as wire;
use amelia_wire::read::read;
use anyhow::{Context, Result, anyhow};
use serde_json::Value;

use crate::cast::named;
use crate::cli::{Config, Global, ProfileCommand};
use crate::home::Home;
use crate::refusal::{Exit, Refusal};
use crate::ui;

/// No configuration is larger than this.
const LARGEST_FILE: u64 = 4 * 1024 * 1024;

pub(super) async fn run(args: &Config, home: &Home, global: &Global) -> Result<ExitCode> {
    let command = match args {
        Config::Profile(command) => command,
        Config::Server(command) => return server::run(command, home, global),
    };
    let only_looks =
        matches!(command, ProfileCommand::List | ProfileCommand::Show { .. } | ProfileCommand::Export);
    // Whoever is at work in this home goes on.
    let store = if only_looks && home.is_busy() { home.look()? } else { home.open()? };
    let profiles = Profiles::new(store as Arc<dyn Documents>, Arc::new(SystemClock));
    match command {
        ProfileCommand::List => list(&profiles, global).await?,
        ProfileCommand::Show { name } => show(&chosen(&profiles, name.as_deref()).await?, global)?,
        ProfileCommand::Apply { file } => apply(&profiles, file, global).await?,
        ProfileCommand::Edit { name } => edit(&profiles, name.as_deref(), global).await?,
        ProfileCommand::Export => {
            let settings: wire::Settings = profiles.settings().await?.into();
            print_document(&serde_json::to_value(settings)?, global)?;
        }
        ProfileCommand::Activate { name } => {
            named(&profiles, name).await?;
            profiles.activate(name).await?;
            say(global, &format!("{name} is the active profile"));
        }
        ProfileCommand::Delete { name } => {
            named(&profiles, name).await?;
            profiles.delete(name).await?;
            say(global, &format!("{name} is deleted"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(profiles: &Profiles, global: &Global) -> Result<()> {
    let settings = profiles.settings().await?;
    if global.json {
        let settings: wire::Settings = settings.into();
        anstream::println!("{}", serde_json::to_string(&settings)?);
        return Ok(());
    }
    if settings.profiles.is_empty() {
        anstream::println!("no profiles yet: amelia config profile apply -f FILE");
    }
    for (name, profile) in &settings.profiles {
        let mark =
            if *name == settings.active_profile { ui::painted(ui::GOOD, "●") } else { " ".to_owned() };
        let roles: Vec<String> =
            profile.agents.iter().map(|(role, agent)| format!("{role}={}", agent.model)).collect();
        anstream::println!("{mark} {} {} {}", ui::bold(name), profile.repo_root, ui::dim(roles.join(" ")));
    }
    Ok(())
}

async fn chosen(profiles: &Profiles, name: Option<&str>) -> Result<Profile> {
    if let Some(name) = name {
        return named(profiles, name).await;
    }
    profiles.find(None).await?.ok_or_else(|| {
        Refusal::new(Exit::NotFound, "no profile is active\n  hint: amelia config profile activate NAME")
            .into()
    })
}

fn show(profile: &Profile, global: &Global) -> Result<()> {
    let profile: wire::profile::Profile = profile.clone().into();
    print_document(&serde_json::to_value(profile)?, global)
}

fn print_document(document: &Value, global: &Global) -> Result<()> {
    if global.json {
        anstream::println!("{document}");
    } else {
        anstream::print!("{}", yaml(document)?);
    }
    Ok(())
}

fn yaml(document: &Value) -> Result<String> {
    serde_saphyr::to_string(document).map_err(|error| anyhow!("{error}"))
}

async fn apply(profiles: &Profiles, file: &Path, global: &Global) -> Result<()> {
    let text = if file == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().take(LARGEST_FILE).read_to_string(&mut text).context("standard input is no text")?;
        text
    } else {
        let size = std::fs::metadata(file).map(|metadata| metadata.len()).unwrap_or(0);
        if size > LARGEST_FILE {
            return Err(Refusal::new(Exit::Usage, format!("{} is larger than 4 MB", file.display())).into());
        }
        std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?
    };
    let kept = keep(profiles, &text, &file.display().to_string()).await?;
    say(global, &format!("kept {}", kept.join(", ")));
    Ok(())
}

/// Takes over a document: one profile, or all settings. Nothing is kept when anything is wrong.
async fn keep(profiles: &Profiles, text: &str, source: &str) -> Result<Vec<String>> {
    let refuse = |problem: String| Refusal::new(Exit::Usage, format!("{source}: {problem}"));
    let document: Value = serde_saphyr::from_str(text).map_err(|error| refuse(error.to_string()))?;
    if document.get("profiles").is_some() {
        let settings: Settings =
            read::<wire::Settings>(document).map_err(|refused| refuse(refused.to_string()))?;
        profiles.apply(&settings).await?;
        return Ok(settings.profiles.into_keys().collect());
    }
    let profile = read::<wire::profile::Profile>(document).map_err(|refused| refuse(refused.to_string()))?;
    profiles.put(&profile).await?;
    Ok(vec![profile.name])
}

async fn edit(profiles: &Profiles, name: Option<&str>, global: &Global) -> Result<()> {
    let profile = chosen(profiles, name).await?;
    let wire: wire::profile::Profile = profile.clone().into();
    let before = yaml(&serde_json::to_value(wire)?)?;
    let mut file = tempfile::Builder::new().prefix("profile-").suffix(".yaml").tempfile()?;
    std::io::Write::write_all(&mut file, before.as_bytes())?;
    let editor =
        std::env::var("VISUAL").or_else(|_| std::env::var("EDITOR")).unwrap_or_else(|_| "vi".to_owned());
    // An editor may be a command with arguments: `code --wait`.
    let status = std::process::Command::new("sh")
        .args(["-c", &format!("{editor} \"$1\""), "sh"])
        .arg(file.path())
        .status()
        .with_context(|| format!("`{editor}` cannot be started\n  hint: set EDITOR"))?;
    if !status.success() {
        return Err(Refusal::new(Exit::Failed, format!("`{editor}` failed: nothing is changed")).into());
    }
    let after = std::fs::read_to_string(file.path()).context("the edited file is gone")?;
    if after == before {
        say(global, "nothing is changed");
        return Ok(());
    }
    match keep(profiles, &after, "the edited profile").await {
        Ok(kept) => say(global, &format!("kept {}", kept.join(", "))),
        Err(error) => {
            // What a person has typed is not thrown away.
            let (_, path) = file.keep()?;
            let message = format!("{error}\n  hint: amelia config profile apply -f {}", path.display());
            return Err(Refusal::new(Exit::Usage, message).into());
        }
    }
    Ok(())
}

fn say(global: &Global, text: &str) {
    if !global.quiet && !global.json {
        anstream::println!("{text}");
    }
}
