//! `amelia config profile`: what agents work with, kept in the store, written and read as YAML.

mod server;
mod shortened;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use amelia_host::home::Home;
use amelia_host::home_file;
use amelia_host::keys::named_in;
use amelia_host::refused_file::RefusedFile;
use amelia_wire::amelia::config as wire;
use amelia_wire::read::{Refused, read};
use amelia_wire::rest::config::{ProfileShown, SettingsShown};
use anyhow::{Context, Result, anyhow};
use serde_json::{Value, json};

use self::shortened::shortened;
use super::edit::{edited, kept};
use crate::cli::{ConfigCommand, Global, ProfileCommand};
use crate::cli_error::{CliError, Exit, exit_of, problem_of};
use crate::client::Client;
use crate::reach;
use crate::ui;

/// No configuration is larger than this.
const LARGEST_FILE: u64 = 1024 * 1024;
/// Makes the first profile.
const FIRST: &str = "amelia init";

pub(super) async fn run(args: &ConfigCommand, home: &Home, global: &Global) -> Result<ExitCode> {
    let command = match args {
        ConfigCommand::Profile(command) => command,
        ConfigCommand::Server(command) => return server::run(command, home, global),
    };
    match command {
        ProfileCommand::Apply { file } => {
            let (text, source) = (text_of(file)?, file.display().to_string());
            let kept = keep(&text, &source, home, global).await?;
            told(global, &format!("saved {}", kept.join(", ")), &json!({"kept": kept}));
        }
        ProfileCommand::Edit { name } => edit(name.as_deref(), home, global).await?,
        _ => {
            let only_looks =
                !matches!(command, ProfileCommand::Activate { .. } | ProfileCommand::Delete { .. });
            // Work in this home continues.
            let client = match only_looks && home.is_busy() {
                true => reach::to_look(home, global).await?,
                false => reach::to_work_here(home, global, Vec::new()).await?,
            };
            let outcome = with(&client, command, global).await;
            client.close().await?;
            outcome?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn with(client: &Client, command: &ProfileCommand, global: &Global) -> Result<()> {
    match command {
        ProfileCommand::List => list(&settings(client).await?, global),
        ProfileCommand::Show { name } => show(&chosen(client, name.as_deref()).await?, global),
        ProfileCommand::Export => print_document(&serde_json::to_value(settings(client).await?)?, global),
        ProfileCommand::Activate { name } => {
            named(client, name).await?;
            client.post::<Value>(&format!("/profiles/{name}/activate"), &Value::Null).await?;
            told(global, &format!("{name} is the active profile"), &json!({"active_profile": name}));
            Ok(())
        }
        ProfileCommand::Delete { name, yes } => {
            named(client, name).await?;
            let asks = !yes && !global.json && ui::is_interactive();
            if asks && !ui::confirm(&format!("Delete the profile {}?", ui::one_line(name)))? {
                return Err(CliError::new(Exit::Interrupted, "nothing was deleted").into());
            }
            client.delete(&format!("/profiles/{name}")).await?;
            told(global, &format!("{name} is deleted"), &json!({"deleted": name}));
            Ok(())
        }
        ProfileCommand::Apply { .. } | ProfileCommand::Edit { .. } => Ok(()),
    }
}

/// Every profile, and which one is active.
async fn settings(client: &Client) -> Result<wire::Settings> {
    let SettingsShown { settings, .. } = client.get("/settings").await?;
    Ok(settings)
}

fn list(settings: &wire::Settings, global: &Global) -> Result<()> {
    if global.json {
        anstream::println!("{}", serde_json::to_string(&settings)?);
        return Ok(());
    }
    if settings.profiles.is_empty() {
        ui::say!("no profiles yet: amelia init creates one");
    }
    for (name, profile) in &settings.profiles {
        let mark =
            if *name == settings.active_profile { ui::painted(ui::GOOD, "●") } else { " ".to_owned() };
        let repository = ui::path(Path::new(&profile.repo_root));
        ui::say!("{mark} {}  {repository}", ui::bold(name));
        agents(profile).iter().for_each(|line| ui::say!("    {}", ui::dim(line)));
    }
    Ok(())
}

/// The agents of a profile; roles that have the same one are in one line.
fn agents(profile: &wire::profile::Profile) -> Vec<String> {
    let mut roles: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (role, agent) in &profile.agents {
        let who = format!("{} {}", agent.driver.kind.name(), agent.model);
        roles.entry(ui::one_line(&who)).or_default().push(role);
    }
    match roles.len() {
        1 => roles.into_keys().map(|who| format!("every role: {who}")).collect(),
        _ => roles.into_iter().map(|(who, roles)| format!("{}: {who}", roles.join(", "))).collect(),
    }
}

/// The profile of this name, or an error that lists those that there are.
async fn named(client: &Client, name: &str) -> Result<wire::profile::Profile> {
    let mut settings = settings(client).await?;
    if let Some(profile) = settings.profiles.remove(name) {
        return Ok(profile);
    }
    let known: Vec<String> = settings.profiles.into_keys().collect();
    let hint = match known.as_slice() {
        [] => FIRST.to_owned(),
        names => format!("the profiles are: {}", names.join(", ")),
    };
    Err(CliError::new(Exit::NotFound, format!("there is no profile `{name}`")).with_hint(hint).into())
}

async fn chosen(client: &Client, name: Option<&str>) -> Result<wire::profile::Profile> {
    match name {
        Some(name) => named(client, name).await,
        None => {
            let mut settings = settings(client).await?;
            settings.profiles.remove(&settings.active_profile.clone()).ok_or_else(|| {
                let refusal = CliError::new(Exit::NotFound, "no profile is active");
                refusal.with_hint(to_activate(&settings)).into()
            })
        }
    }
}

/// What helps when no profile is active.
fn to_activate(settings: &wire::Settings) -> &'static str {
    match settings.profiles.is_empty() {
        true => FIRST,
        false => "amelia config profile activate NAME",
    }
}

fn show(profile: &wire::profile::Profile, global: &Global) -> Result<()> {
    match global.json {
        true => print_document(&serde_json::to_value(profile)?, global),
        false => print_document(&shortened(profile)?, global),
    }
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

fn text_of(file: &Path) -> Result<String> {
    if file == Path::new("-") {
        let mut text = String::new();
        std::io::stdin()
            .take(LARGEST_FILE)
            .read_to_string(&mut text)
            .context("standard input is not UTF-8 text")?;
        return Ok(text);
    }
    let size = std::fs::metadata(file).map(|metadata| metadata.len()).unwrap_or(0);
    if size > LARGEST_FILE {
        return Err(CliError::new(Exit::Usage, format!("{} is larger than 1 MB", file.display())).into());
    }
    std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))
}

/// Takes over a document: one profile, or all settings. Nothing is kept when anything is wrong.
async fn keep(text: &str, source: &str, home: &Home, global: &Global) -> Result<Vec<String>> {
    let path = Path::new(source);
    let refuse = |file: RefusedFile| CliError::new(Exit::Usage, file.to_string());
    let (mut document, tree) = home_file::parse(path, text, Value::Null).map_err(refuse)?;
    let is_whole = document.get("profiles").is_some();
    make_absolute(&mut document, &std::env::current_dir().context("the current directory is gone")?);
    let names = match is_whole {
        true => read::<wire::Settings>(document.clone())
            .map(|settings| settings.profiles.into_keys().collect::<Vec<_>>()),
        false => read::<wire::profile::Profile>(document.clone()).map(|profile| vec![profile.name]),
    };
    let names = names.map_err(|Refused(problems)| {
        refuse(RefusedFile::of(path, home_file::placed(&problems, &document, &tree)))
    })?;
    // A user of this machine may name any variable; a server that runs decides itself which ones it gives away.
    let keys = named_in(&document).into_iter().map(str::to_owned).collect();
    let client = reach::to_work_here(home, global, keys).await?;
    let sent = send(&client, &document, names.first().filter(|_| !is_whole)).await;
    client.close().await?;
    sent.map_err(|error| CliError::new(Exit::Usage, problem_of(&error).about(source)))?;
    Ok(names)
}

/// A relative `repo_root` is meant as seen from here; the server may be anywhere.
fn make_absolute(document: &mut Value, here: &Path) {
    let profiles = match document.get_mut("profiles").map(Value::as_object_mut) {
        Some(profiles) => profiles.into_iter().flat_map(|profiles| profiles.values_mut()).collect(),
        None => vec![document],
    };
    for profile in profiles {
        let Some(root) = profile.get_mut("repo_root") else { continue };
        let Some(path) = root.as_str().map(Path::new).filter(|path| path.is_relative()) else { continue };
        // An empty one is refused.
        if !path.as_os_str().is_empty() {
            let whole = here.join(path);
            *root = json!(whole.canonicalize().unwrap_or(whole));
        }
    }
}

async fn send(client: &Client, document: &Value, name: Option<&String>) -> Result<()> {
    let Some(name) = name else { return client.put("/settings", document).await.map(|_| ()) };
    match client.put(&format!("/profiles/{name}"), document).await {
        Err(error) if exit_of(&error) == Exit::NotFound => {
            client.post::<ProfileShown>("/profiles", document).await.map(|_| ())
        }
        sent => sent.map(|_| ()),
    }
}

async fn edit(name: Option<&str>, home: &Home, global: &Global) -> Result<()> {
    let client = reach::to_look(home, global).await?;
    let profile = chosen(&client, name).await;
    client.close().await?;
    let before = yaml(&shortened(&profile?)?)?;
    let after = edited(&before, "profile-", ".yaml")?;
    if after == before {
        told(global, "nothing has changed", &json!({"kept": []}));
        return Ok(());
    }
    match keep(&after, "the edited profile", home, global).await {
        Ok(kept) => told(global, &format!("saved {}", kept.join(", ")), &json!({"kept": kept})),
        Err(error) => {
            // What a person has typed is not thrown away.
            let path = kept(&after, "profile-", ".yaml")?;
            let hint = format!("your text is kept: amelia config profile apply -f {}", path.display());
            return Err(CliError::new(Exit::Usage, format!("{error:#}")).with_hint(hint).into());
        }
    }
    Ok(())
}

/// What was done: a document for programs, a line for people who want one.
fn told(global: &Global, text: &str, document: &Value) {
    if global.json {
        anstream::println!("{document}");
    } else if !global.quiet {
        ui::say!("{text}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_repository_is_kept_as_it_is_seen_from_here() {
        let dir = tempfile::tempdir().unwrap();
        let here = dir.path().canonicalize().unwrap();
        std::fs::create_dir(here.join("inner")).unwrap();
        let kept = |mut document: Value| {
            make_absolute(&mut document, &here);
            document
        };
        for (given, expected) in [
            (".", json!(here)),
            ("inner/..", json!(here)),
            ("gone", json!(here.join("gone"))),
            ("/r", json!("/r")),
            ("", json!("")),
        ] {
            assert_eq!(kept(json!({"name": "x", "repo_root": given}))["repo_root"], expected, "{given}");
            let whole = kept(json!({"profiles": {"x": {"repo_root": given}, "y": {}}}));
            assert_eq!(whole["profiles"]["x"]["repo_root"], expected, "{given}");
        }
    }
}
