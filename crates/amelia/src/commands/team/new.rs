//! `amelia team new`: a team file that works, to be changed.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use amelia_core::config::agent::DriverType;
use amelia_core::config::team::llm::LlmConfig;
use amelia_host::definitions::{DefinitionKind, Definitions};
use amelia_host::home::Home;
use amelia_host::keys::Keys;
use amelia_host::setup::found_agents;
use anyhow::{Context, Result};
use serde_json::json;

use crate::cli::{Global, NewTeamArgs, TeamTemplate};
use crate::cli_error::{CliError, Exit};
use crate::commands::definitions::shown_path;
use crate::ui::{self, say};

/// The longest name.
const MAX_NAME: usize = 64;
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

pub(super) async fn run(args: &NewTeamArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    check_name(&args.name)?;
    let directory = directory(args.in_home, home)?;
    check_free(&directory, &args.name)?;
    let (llm, has_key) = model(home).await;
    let text = filled(template(args.template), &args.name, &llm);
    let path = directory.join(format!("{}.yaml", args.name));
    write(&path, &text)?;
    if global.json {
        anstream::println!("{}", json!({"name": args.name, "file": path}));
        return Ok(ExitCode::SUCCESS);
    }
    let amelia = ui::command(global);
    say!("created {}", shown_path(&path));
    if let (false, Some(key)) = (has_key, llm.key_env()) {
        say!("It uses {} of {}: set {key}, or change default_llm.", llm.model, llm.provider);
    }
    say!("");
    say!("Next:");
    say!("  {amelia} team validate {}", args.name);
    say!("  {amelia} team run {} \"Write a paragraph about rivers\"", args.name);
    Ok(ExitCode::SUCCESS)
}

fn check_name(name: &str) -> Result<()> {
    let is_name = (1..=MAX_NAME).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if is_name {
        return Ok(());
    }
    let message = format!("`{}` cannot be the name of a team", ui::clean(name));
    let hint = format!("use 1 to {MAX_NAME} letters, digits, _ and -, such as `news`");
    Err(CliError::new(Exit::Usage, message).with_hint(hint).into())
}

fn directory(in_home: bool, home: &Home) -> Result<PathBuf> {
    let teams = DefinitionKind::Team.directory();
    if in_home {
        return Ok(home.path().join(teams));
    }
    let here = std::env::current_dir().context("the current directory is gone")?;
    let top = Definitions::find(home, &here).repository().map(Path::to_owned);
    Ok(top.unwrap_or(here).join(".amelia").join(teams))
}

fn check_free(directory: &Path, name: &str) -> Result<()> {
    let paths = ENDINGS.iter().map(|ending| directory.join(format!("{name}.{ending}")));
    match paths.into_iter().find(|path| path.exists()) {
        Some(path) => Err(exists(&path)),
        None => Ok(()),
    }
}

fn exists(path: &Path) -> anyhow::Error {
    let message = format!("{} exists already", shown_path(path));
    CliError::new(Exit::Conflict, message).with_hint("choose another name, or delete the file").into()
}

/// A model whose key is set, if there is one; otherwise the default of teams.
async fn model(home: &Home) -> (LlmConfig, bool) {
    let default = LlmConfig::default();
    let Ok(keys) = Keys::gather(home, &[]) else { return (default, false) };
    let has_key = |llm: &LlmConfig| llm.key_env().is_some_and(|name| keys.get(name).is_some());
    if has_key(&default) {
        return (default, true);
    }
    let found = found_agents(&keys).await.into_iter();
    let usable = found.filter(|found| found.agent.driver == DriverType::Api && found.missing.is_none());
    let mut llms = usable
        .filter(|found| !found.agent.options.contains_key("base_url"))
        .map(|found| LlmConfig { provider: found.name, model: found.agent.model, ..LlmConfig::default() });
    match llms.find(has_key) {
        Some(llm) => (llm, true),
        None => (default, false),
    }
}

fn template(template: TeamTemplate) -> &'static str {
    match template {
        TeamTemplate::WriterCritic => include_str!("new/writer-critic.yaml"),
        TeamTemplate::Research => include_str!("new/research.yaml"),
        TeamTemplate::Delivery => include_str!("new/delivery.yaml"),
        TeamTemplate::Board => include_str!("new/board.yaml"),
    }
}

fn filled(template: &str, name: &str, llm: &LlmConfig) -> String {
    template.replace("NAME", name).replace("PROVIDER", &llm.provider).replace("MODEL", &llm.model)
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).with_context(|| format!("{} cannot be created", parent.display()))?;
    }
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    let mut file = match file {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(exists(path)),
        file => file.with_context(|| format!("{} cannot be written", path.display()))?,
    };
    file.write_all(text.as_bytes()).with_context(|| format!("{} cannot be written", path.display()))
}
