//! The server's configuration, from what is built in, the home's file, the environment and flags, each above the one
//! before. Reading is here; what it comes to is decided in `merge.rs`, without I/O.

mod field;
mod file;
mod merge;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use amelia_core::config::problem::ConfigProblem;
use amelia_core::config::server::ServerConfig;
use amelia_core::problem::Problem;
use amelia_orchestrator::service::ServiceError;
use amelia_server::NotChanged;
use amelia_wire::amelia::config::server as wire;
use amelia_wire::read::Refused;
use anyhow::{Context, Result};
use serde_json::Value;

use crate::error::problem_of;
use crate::home::Home;
use crate::home_file::write_whole;
use crate::refused_file::RefusedFile;

pub use self::field::FIELDS;
#[cfg(test)]
pub(crate) use self::merge::put;
pub use self::merge::{ConfigSource, ConfigValue, MergedConfig};

/// No configuration is larger than this.
const LARGEST_FILE: u64 = 1024 * 1024;

/// Everything that was said about the server in this home; `flags` come last and win.
pub fn gather(home: &Home, flags: Vec<ConfigValue>) -> Result<MergedConfig> {
    let path = path(home);
    let mut given = file::given(&text_of(&path)?, &path).map_err(refused)?;
    given.extend(environment()?);
    given.extend(flags);
    Ok(MergedConfig::of(built_in()?, given))
}

/// What a server starts with, and what it knows of where that came from.
pub struct StartConfig {
    pub config: ServerConfig,
    pub merged: MergedConfig,
    pub flags: Vec<ConfigValue>,
}

/// Everything for a start, or every reason why it cannot be.
pub fn start(home: &Home, flags: Vec<ConfigValue>) -> Result<StartConfig> {
    let merged = gather(home, flags.clone())?;
    let config = merged.config().map(|config| placed(config, home)).map_err(usage)?;
    Ok(StartConfig { config, merged, flags })
}

/// The configuration that a server starts with, or every reason why it cannot.
pub fn load(home: &Home, flags: Vec<ConfigValue>) -> Result<ServerConfig> {
    start(home, flags).map(|started| started.config)
}

/// Where the store of this home is, as every command finds it.
pub fn database(home: &Home) -> Result<PathBuf> {
    let merged = gather(home, Vec::new())?;
    let said = merged.value("database_path").and_then(Value::as_str).unwrap_or_default();
    Ok(expanded(Path::new(said), home))
}

/// A value that a person typed for a field: `--set port=1`, `config server set port 1`.
pub fn typed(key: &str, text: &str, source: ConfigSource) -> Result<ConfigValue> {
    let field = FIELDS.iter().find(|field| field.key == key).ok_or_else(|| {
        let keys: Vec<&str> = FIELDS.iter().map(|field| field.key).collect();
        let problem = Problem::new(format!("there is no setting `{key}`"));
        usage(problem.with_hint(format!("the settings are {}", keys.join(", "))))
    })?;
    let value = field.read(text).map_err(|error| usage(format!("{source}: {key}: {error}")))?;
    Ok(ConfigValue { key: key.to_owned(), value, source })
}

/// Writes one value into the file of this home; everything else in it stays. Nothing is written that a server could not
/// start with.
pub fn keep(home: &Home, key: &str, text: &str) -> Result<PathBuf> {
    let path = path(home);
    let given = typed(key, text, ConfigSource::File { path: path.clone(), tree: None })?;
    let after = file::with(&text_of(&path)?, key, Some(given.value)).map_err(usage)?;
    of_file(&path, &after)?.config().map_err(usage)?;
    write_whole(&path, &after).with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(path)
}

/// Lets servers of this home send the key in this variable. Says whether that is new.
pub fn allow_key(home: &Home, name: &str) -> Result<bool> {
    let mut allowed = load(home, Vec::new())?.api_key_envs;
    if allowed.iter().any(|known| known == name) {
        return Ok(false);
    }
    allowed.push(name.to_owned());
    keep(home, "api_key_envs", &format!("[{}]", allowed.join(", ")))?;
    Ok(true)
}

/// Writes values into the file of this home, and takes those out that are null: all, or none when one is wrong.
pub fn keep_all(home: &Home, values: &BTreeMap<String, Value>) -> Result<(), NotChanged> {
    let unknown = |key: &&String| !FIELDS.iter().any(|field| field.key == key.as_str());
    let problem =
        |key: &String| ConfigProblem { path: key.clone(), message: "there is no such field".to_owned() };
    let problems: Vec<ConfigProblem> = values.keys().filter(unknown).map(problem).collect();
    if !problems.is_empty() {
        return Err(Refused(problems).into());
    }
    let path = path(home);
    let broken = |error: anyhow::Error| NotChanged::Broken(problem_of(&error));
    let mut text = text_of(&path).map_err(broken)?;
    for (key, value) in values {
        let value = Some(value.clone()).filter(|value| !value.is_null());
        text = file::with(&text, key, value).map_err(|error| NotChanged::Broken(error.into()))?;
    }
    of_file(&path, &text).map_err(broken)?.checked().map_err(Refused)?;
    write_whole(&path, &text).map_err(broken)
}

/// What a server would start with that has nothing but this file.
fn of_file(path: &Path, text: &str) -> Result<MergedConfig> {
    let given = file::given(text, path).map_err(refused)?;
    Ok(MergedConfig::of(built_in()?, given))
}

/// Where the file is, whether or not it is there.
pub fn path(home: &Home) -> PathBuf {
    home.path().join("config").join("server.yaml")
}

#[expect(clippy::needless_pass_by_value, reason = "the shape of `map_err`")]
fn refused(file: RefusedFile) -> anyhow::Error {
    usage(file.to_string())
}

fn usage(problem: impl Into<Problem>) -> anyhow::Error {
    ServiceError::invalid(problem).into()
}

/// The defaults, as a document.
fn built_in() -> Result<Value> {
    // In the home, which need not have a name in UTF-8.
    let config = ServerConfig { database_path: "amelia.db".into(), ..ServerConfig::default() };
    Ok(serde_json::to_value(wire::ServerConfig::from(config))?)
}

fn environment() -> Result<Vec<ConfigValue>> {
    let mut given = Vec::new();
    for field in &FIELDS {
        let name = field.variable();
        let Some(text) = std::env::var_os(&name) else { continue };
        let text = text.into_string().map_err(|_| usage(format!("{name} is not UTF-8 text")))?;
        // `AMELIA_PORT= amelia server` is how a shell takes a variable back.
        if !text.trim().is_empty() {
            given.push(typed(field.key, &text, ConfigSource::Variable(name))?);
        }
    }
    Ok(given)
}

fn text_of(path: &Path) -> Result<String> {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.len() > LARGEST_FILE => {
            Err(usage(format!("{} is larger than 1 MB", path.display())))
        }
        Ok(_) => std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
}

fn placed(config: ServerConfig, home: &Home) -> ServerConfig {
    ServerConfig { database_path: expanded(&config.database_path, home), ..config }
}

/// `~` is the user's home; a relative path lies in Amelia's.
fn expanded(path: &Path, home: &Home) -> PathBuf {
    match (path.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(user)) => user.join(rest),
        (Ok(_) | Err(_), _) => home.path().join(path),
    }
}
