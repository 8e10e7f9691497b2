//! Keys: from the environment, or from `config/keys.env` in the home, which only its owner may read. They stay in
//! memory; all that is written or shown goes through the [`Redactor`] made here.

use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;

use amelia_core::config::secret::Secret;
use amelia_core::problem::Problem;
use amelia_core::redact::{Redactor, is_secret_name};
use amelia_orchestrator::service::ServiceError;
use amelia_trackers::SETTINGS;
use anyhow::{Context, Result};

use crate::home::Home;

/// A file of keys is a few lines.
const LARGEST_FILE: u64 = 64 * 1024;

/// Every key that this process knows.
#[derive(Debug, Clone)]
pub struct Keys {
    by_name: BTreeMap<String, Secret>,
    redactor: Arc<Redactor>,
}

impl Keys {
    /// What the environment and the home hold; the environment wins. `also` are names of variables that hold a key
    /// although their names do not tell.
    pub fn gather(home: &Home, also: &[&str]) -> Result<Self> {
        let mut by_name = from_file(&home.path().join("config").join("keys.env"))?;
        let is_key = |name: &str| is_secret_name(name) || also.contains(&name);
        // What is no text is no key.
        let texts = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        let vars = texts.filter(|(name, value)| is_key(name) && !value.trim().is_empty());
        by_name.extend(vars.map(|(name, value)| (name, Secret::new(value.trim()))));
        // `SSH_KEY_FILE=/home/…` names a place, and places may be shown; so may the address of a tracker.
        let is_secret = |(name, secret): &(&String, &Secret)| {
            !SETTINGS.contains(&name.as_str()) && !Path::new(secret.reveal()).exists()
        };
        let secrets = by_name.iter().filter(is_secret).map(|(_, secret)| secret.clone());
        let token = crate::presence::known_token(home);
        let others = Some(token).filter(|token| !token.reveal().is_empty());
        let redactor = Arc::new(Redactor::new(secrets.chain(others)));
        Ok(Self { by_name, redactor })
    }

    /// The names of those that a home's file holds.
    pub fn in_file(home: &Home) -> Result<Vec<String>> {
        let names = from_file(&home.path().join("config").join("keys.env"))?.into_keys();
        Ok(names.filter(|name| !SETTINGS.contains(&name.as_str())).collect())
    }

    /// The key that a variable of this name holds.
    pub fn get(&self, name: &str) -> Option<&Secret> {
        self.by_name.get(name)
    }

    pub fn redactor(&self) -> &Arc<Redactor> {
        &self.redactor
    }
}

/// A key that is needed and not there, in the same words wherever it is noticed.
#[must_use]
pub fn missing(name: &str, provider: impl std::fmt::Display) -> Problem {
    let hint = format!(
        "set it to the key for {provider} and run `amelia server restart`, or write {name}=… into config/keys.env in the home"
    );
    Problem::new(format!("the variable `{name}` is not set")).with_hint(hint)
}

/// The variable that such a message names: a stored failure and the answer of a server have only the text.
#[must_use]
pub fn missing_in(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("the variable `")?;
    rest.split_once("` is not set").map(|(name, _)| name)
}

/// The variables that a document names as keys, wherever in it.
pub fn named_in(document: &serde_json::Value) -> Vec<&str> {
    match document {
        serde_json::Value::Object(fields) => fields
            .iter()
            .flat_map(|(name, value)| match (name.as_str(), value.as_str()) {
                ("api_key_env", Some(key)) => vec![key],
                _ => named_in(value),
            })
            .collect(),
        serde_json::Value::Array(items) => items.iter().flat_map(named_in).collect(),
        _ => Vec::new(),
    }
}

fn from_file(path: &Path) -> Result<BTreeMap<String, Secret>> {
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(error).with_context(|| format!("{} cannot be read", path.display())),
    };
    let refuse = |problem: Problem| Err(ServiceError::invalid(problem).into());
    let shown = path.display();
    if metadata.permissions().mode() & 0o077 != 0 {
        return refuse(
            Problem::new(format!("{shown} can be read by others")).with_hint(format!("chmod 600 {shown}")),
        );
    }
    if metadata.uid() != rustix::process::getuid().as_raw() {
        return refuse(format!("{shown} belongs to another user").into());
    }
    if metadata.len() > LARGEST_FILE {
        return refuse(format!("{shown} is larger than {LARGEST_FILE} bytes").into());
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("{shown} cannot be read"))?;
    match parse(&text) {
        Ok(keys) => Ok(keys),
        Err(line) => refuse(format!("{shown}, line {line}: expected NAME=value").into()),
    }
}

/// `NAME=value` lines; empty ones and `#` comments are passed over. `Err` is the number of a line that is neither: its
/// text may be a key, so it is not repeated.
fn parse(text: &str) -> Result<BTreeMap<String, Secret>, usize> {
    let mut keys = BTreeMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim().trim_start_matches("export ").trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, value) = line.split_once('=').ok_or(number)?;
        let value = value.trim().trim_matches(['"', '\'']);
        let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if name.is_empty() || !is_name(name.trim()) || value.is_empty() {
            return Err(number);
        }
        keys.insert(name.trim().to_owned(), Secret::new(value));
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_names_and_values() {
        let keys = parse("# mine\n\nA_KEY=one\nexport B_KEY = \"two\"\n").unwrap();
        assert_eq!(keys["A_KEY"].reveal(), "one");
        assert_eq!(keys["B_KEY"].reveal(), "two");
        assert_eq!(parse("A=1\nsk-oops\n").unwrap_err(), 2);
        assert_eq!(parse("A B=1\n").unwrap_err(), 1);
    }

    #[test]
    fn a_message_about_a_missing_key_names_its_variable() {
        let problem = missing("A_KEY", "openai");
        assert_eq!(missing_in(&problem.message), Some("A_KEY"));
        assert_eq!(missing_in(&format!("reviewer: {}", problem.message)), Some("A_KEY"));
        assert_eq!(missing_in("the variable is there"), None);
    }

    #[test]
    fn a_setting_of_a_tracker_is_kept_beside_keys_and_is_no_secret() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config/keys.env");
        std::fs::create_dir(dir.path().join("config")).unwrap();
        let site = "https://jira.acme.example/of-a-test";
        std::fs::write(&file, format!("JIRA_BASE_URL={site}\nMY_KEY=planted-1234567\n")).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        let home = Home::at(dir.path());
        let keys = Keys::gather(&home, &[]).unwrap();
        assert_eq!(keys.get("JIRA_BASE_URL").unwrap().reveal(), site);
        let text = keys.redactor().clean(format!("{site} planted-1234567"));
        assert_eq!(text, format!("{site} [redacted]"));
        assert_eq!(Keys::in_file(&home).unwrap(), ["MY_KEY"]);
    }
}
