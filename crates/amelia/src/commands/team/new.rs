//! `amelia team new`: a team file that works, to be changed.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use amelia_core::config::agent::{AgentConfig, DriverType};
use amelia_core::config::provider::Provider;
use amelia_core::config::role::DEVELOPER;
use amelia_core::config::team::llm::LlmConfig;
use amelia_host::definitions::{DefinitionFile, DefinitionKind, Definitions, default_agent};
use amelia_host::home::Home;
use amelia_host::keys::Keys;
use amelia_host::setup::found_agents;
use amelia_host::upstream::ResolvedUpstream;
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
    let (llm, has_key) = model(home).await?;
    let text = filled(template(args.template), &args.name, &llm);
    let path = directory.join(format!("{}.yaml", args.name));
    check_usable(args, home, &text, &path)?;
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

/// Refuses what the file would say if it could not be used there: a file in a repository sends no key to an address of its own.
fn check_usable(args: &NewTeamArgs, home: &Home, text: &str, path: &Path) -> Result<()> {
    let file = DefinitionFile {
        kind: DefinitionKind::Team,
        name: args.name.clone(),
        path: path.to_owned(),
        is_of_repository: !args.in_home,
        stored: None,
    };
    let Err(refused) = Definitions::of_home(home).team_in(&file, text) else { return Ok(()) };
    let problems = refused.iter().flat_map(|refused| &refused.problems);
    let messages: Vec<&str> = problems.map(|problem| problem.message.as_str()).collect();
    let refusal =
        CliError::new(Exit::Usage, format!("with the model of your profile, {}", messages.join("; ")));
    Err(refusal.with_hint(format!("amelia team new {} --in-home", args.name)).into())
}

/// The model of the profile of this repository, if there is one; then one whose key is set; otherwise the default of teams.
async fn model(home: &Home) -> Result<(LlmConfig, bool)> {
    let here = std::env::current_dir().context("the current directory is gone")?;
    let profile = default_agent::profile_of(home, &here).await?;
    let of_profile = profile.as_ref().and_then(|profile| profile.agents.get(DEVELOPER)).and_then(llm_of);
    let keys = Keys::gather(home, &[]).ok();
    let has_key = |llm: &LlmConfig| match (llm.key_env(), &keys) {
        (Some(name), Some(keys)) => keys.get(name).is_some(),
        // A program with its own sign-in, or a model that needs no key.
        (None, _) => true,
        (Some(_), None) => false,
    };
    if let Some(llm) = of_profile {
        let has_key = has_key(&llm);
        return Ok((llm, has_key));
    }
    let default = LlmConfig::default();
    let Some(keys) = &keys else { return Ok((default, false)) };
    if has_key(&default) {
        return Ok((default, true));
    }
    let found = found_agents(keys).await.into_iter();
    let usable = found.filter(|found| found.agent.driver == DriverType::Api && found.missing.is_none());
    let mut llms = usable
        .filter(|found| !found.agent.options.contains_key("base_url"))
        .map(|found| LlmConfig { provider: found.name, model: found.agent.model, ..LlmConfig::default() });
    Ok(match llms.find(|llm| has_key(llm)) {
        Some(llm) => (llm, true),
        None => (default, false),
    })
}

/// An agent of a profile as the model of a team; nothing for one that a team cannot have.
fn llm_of(agent: &AgentConfig) -> Option<LlmConfig> {
    let upstream = ResolvedUpstream::needed(agent).ok()?;
    let provider = match agent.driver {
        DriverType::Claude | DriverType::Codex => agent.driver.name(),
        DriverType::Api => upstream.as_ref()?.provider.name(),
        DriverType::Acp | DriverType::Scripted => return None,
    };
    let llm = LlmConfig { provider: provider.to_owned(), model: agent.model.clone(), ..LlmConfig::default() };
    let Some(upstream) = upstream else { return Some(llm) };
    let usual = llm.known_provider();
    let base_url = Some(upstream.base_url).filter(|url| usual.and_then(Provider::base_url) != Some(url));
    let key_env = upstream.key_env.filter(|key| usual.and_then(Provider::key_env) != Some(key));
    Some(LlmConfig { base_url, api_key_env: key_env, ..llm })
}

/// As it stands in the file.
fn written(llm: &LlmConfig) -> String {
    let more = [("base_url", &llm.base_url), ("api_key_env", &llm.api_key_env)];
    let more = more.into_iter().filter_map(|(key, value)| Some((key, value.as_deref()?)));
    let all = [("provider", llm.provider.as_str()), ("model", llm.model.as_str())].into_iter().chain(more);
    let is_plain = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
    };
    let one = |(key, value): (&str, &str)| match is_plain(value) {
        true => format!("{key}: {value}"),
        false => format!("{key}: {}", json!(value)),
    };
    format!("{{ {} }}", all.map(one).collect::<Vec<_>>().join(", "))
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
    template.replace("NAME", name).replace("{ provider: PROVIDER, model: MODEL }", &written(llm))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_of_a_profile_is_the_model_of_a_team() {
        let llm = |driver, options: serde_json::Value| {
            let options = options.as_object().cloned().unwrap();
            llm_of(&AgentConfig { options, ..AgentConfig::new(driver, "m-1") }).map(|llm| written(&llm))
        };
        let said = |text: &str| Some(text.to_owned());
        assert_eq!(llm(DriverType::Claude, json!({})), said("{ provider: claude, model: m-1 }"));
        assert_eq!(
            llm(DriverType::Codex, json!({"base_url": "http://127.0.0.1:1/v1", "api_key_env": "K"})),
            said("{ provider: codex, model: m-1, base_url: \"http://127.0.0.1:1/v1\", api_key_env: K }")
        );
        assert_eq!(
            llm(DriverType::Api, json!({"provider": "openrouter"})),
            said("{ provider: openrouter, model: m-1 }")
        );
        assert_eq!(
            llm(DriverType::Api, json!({"base_url": "http://127.0.0.1:1/v1"})),
            said("{ provider: openai-compatible, model: m-1, base_url: \"http://127.0.0.1:1/v1\" }")
        );
        assert_eq!(llm(DriverType::Acp, json!({"command": ["a"]})), None);
    }
}
