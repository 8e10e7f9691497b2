//! Layers of configuration become one, and every value keeps where it came from. Pure.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use amelia_core::config::problem::ConfigProblem;
use amelia_core::config::server::{AuthMode, ServerConfig};
use amelia_wire::amelia::config::server as wire;
use amelia_wire::read::read;
use amelia_yaml::problem::steps;
use amelia_yaml::tree::{Mark, YamlNode};
use serde_json::{Map, Value};

use super::FIELDS;

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigSource {
    BuiltIn,
    /// With its text, where that has been read.
    File {
        path: PathBuf,
        tree: Option<Arc<YamlNode>>,
    },
    Variable(String),
    Flag(String),
}

impl ConfigSource {
    /// In one word, for programs.
    pub fn word(&self) -> &'static str {
        match self {
            Self::BuiltIn => "default",
            Self::File { .. } => "file",
            Self::Variable(_) => "environment",
            Self::Flag(_) => "flag",
        }
    }
}

impl fmt::Display for ConfigSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built in"),
            Self::File { path, .. } => write!(f, "{}", path.display()),
            Self::Variable(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}

/// Who said something about one field, by its path in the document.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigValue {
    pub key: String,
    pub value: Value,
    pub source: ConfigSource,
}

/// All layers as one document.
#[derive(Debug, Clone, PartialEq)]
pub struct MergedConfig {
    document: Value,
    sources: BTreeMap<String, ConfigSource>,
}

impl MergedConfig {
    /// What was given, later above earlier, on top of `built_in`.
    pub fn of(built_in: Value, given: Vec<ConfigValue>) -> Self {
        let mut merged = Self { document: built_in, sources: BTreeMap::new() };
        for ConfigValue { key, value, source } in given {
            put(&mut merged.document, &key, value);
            merged.sources.insert(key, source);
        }
        merged
    }

    pub fn value(&self, key: &str) -> Option<&Value> {
        self.document.pointer(&format!("/{}", key.replace('.', "/")))
    }

    /// Who said what is at `path`, or nearest to it.
    pub fn source(&self, path: &str) -> &ConfigSource {
        let is_below = |inner: &str, outer: &str| {
            inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        let above =
            self.sources.iter().filter(|(key, _)| is_below(path, key)).max_by_key(|(key, _)| key.len());
        let near = above.or_else(|| self.sources.iter().find(|(key, _)| is_below(key, path)));
        near.map_or(&ConfigSource::BuiltIn, |(_, source)| source)
    }

    /// The configuration, or a line for each thing that is wrong.
    pub fn config(&self) -> Result<ServerConfig, String> {
        self.checked().map_err(|problems| self.lines(&problems))
    }

    /// The configuration, or each thing that is wrong with it.
    pub fn checked(&self) -> Result<ServerConfig, Vec<ConfigProblem>> {
        let mut document = self.document.clone();
        let takes_any_port = self.value("port") == Some(&Value::from(0))
            && matches!(self.source("port"), ConfigSource::Variable(_) | ConfigSource::Flag(_));
        if takes_any_port {
            put(&mut document, "port", Value::from(ServerConfig::default().port));
        }
        let config = read::<wire::ServerConfig>(document).map_err(|refused| refused.0)?;
        let missing = not_there_yet(&config);
        if !missing.is_empty() {
            return Err(missing);
        }
        Ok(ServerConfig { port: if takes_any_port { 0 } else { config.port }, ..config })
    }

    fn lines(&self, problems: &[ConfigProblem]) -> String {
        let line = |problem: &ConfigProblem| {
            let source = self.source(&problem.path);
            let place = match source {
                ConfigSource::File { tree: Some(tree), .. } => {
                    let Mark { line, column } = tree.nearest(&steps(&problem.path));
                    format!(":{line}:{column}")
                }
                _ => String::new(),
            };
            format!("{source}{place}: {problem}{}", allowed(&problem.path))
        };
        problems.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// What a field can be, or what it consists of.
fn allowed(path: &str) -> String {
    if let Some(field) = FIELDS.iter().find(|field| field.key == path) {
        return format!(" (allowed: {})", field.allowed);
    }
    let parts = FIELDS.iter().filter_map(|field| field.key.strip_prefix(path)?.strip_prefix('.'));
    let parts: Vec<&str> = parts.collect();
    if parts.is_empty() { String::new() } else { format!(" (with the fields {})", parts.join(", ")) }
}

/// What can be said, and would have no effect.
fn not_there_yet(config: &ServerConfig) -> Vec<ConfigProblem> {
    let absent = [
        (matches!(config.auth, AuthMode::Jwt(_)), "auth.mode", "signed tokens are"),
        (config.redis_url.is_some(), "redis_url", "more than one server on one database is"),
    ];
    let problem = |(_, path, what): (bool, &str, &str)| ConfigProblem {
        path: path.to_owned(),
        message: format!("{what} not supported yet; remove it"),
    };
    absent.into_iter().filter(|(is_set, ..)| *is_set).map(problem).collect()
}

/// Puts a value where a path leads, through objects that are made on the way.
pub(crate) fn put(document: &mut Value, key: &str, value: Value) {
    let mut here = document;
    for name in key.split('.') {
        if !here.is_object() {
            *here = Value::Object(Map::new());
        }
        let Some(fields) = here.as_object_mut() else { return };
        here = fields.entry(name).or_insert(Value::Null);
    }
    *here = value;
}

#[cfg(test)]
mod tests;
