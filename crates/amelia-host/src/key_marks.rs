//! Whether a server was started with the keys of this shell, without showing a key: each is known by a few bytes of a
//! salted hash, in a file that only its owner can read.

use std::collections::BTreeMap;

use amelia_core::redact::is_secret_name;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Bytes of a hash: enough to notice another key, and too few to recognise one.
const MARK_BYTES: usize = 4;

/// The variables of an environment that hold keys, each with its mark.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyMarks {
    #[serde(default)]
    salt: String,
    #[serde(default)]
    marks: BTreeMap<String, String>,
}

impl KeyMarks {
    /// Of this process.
    #[must_use]
    pub fn here() -> Self {
        Self::of(uuid::Uuid::new_v4().to_string(), environment())
    }

    fn of(salt: String, variables: impl Iterator<Item = (String, String)>) -> Self {
        let marks = variables.map(|(name, key)| {
            let mark = mark(&salt, &name, &key);
            (name, mark)
        });
        let marks = marks.collect();
        Self { salt, marks }
    }

    /// The variables that have another value here than there. What only one of both has is not compared.
    #[must_use]
    pub fn changed_here(&self) -> Vec<String> {
        self.changed(environment())
    }

    fn changed(&self, variables: impl Iterator<Item = (String, String)>) -> Vec<String> {
        let is_other = |name: &str, key: &str| {
            self.marks.get(name).is_some_and(|known| *known != mark(&self.salt, name, key))
        };
        variables.filter(|(name, key)| is_other(name, key)).map(|(name, _)| name).collect()
    }
}

/// The keys that this process was started with.
fn environment() -> impl Iterator<Item = (String, String)> {
    let texts = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let keys = texts.filter(|(name, value)| is_secret_name(name) && !value.trim().is_empty());
    keys.map(|(name, value)| (name, value.trim().to_owned()))
}

fn mark(salt: &str, name: &str, key: &str) -> String {
    let hash = Sha256::digest(format!("{salt}\0{name}\0{key}").as_bytes());
    hash.iter().take(MARK_BYTES).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_key_is_noticed_and_none_is_written() {
        let variables = |pairs: &[(&str, &str)]| {
            pairs
                .iter()
                .map(|(name, key)| ((*name).to_owned(), (*key).to_owned()))
                .collect::<Vec<_>>()
                .into_iter()
        };
        let there = KeyMarks::of("salt".to_owned(), variables(&[("A_KEY", "sk-old"), ("B_KEY", "same")]));
        let here = variables(&[("A_KEY", "sk-new"), ("B_KEY", "same"), ("C_KEY", "only here")]);
        assert_eq!(there.changed(here), ["A_KEY"]);
        let written = serde_json::to_string(&there).unwrap();
        assert!(!written.contains("sk-old") && !written.contains("same"), "{written}");
        let other = KeyMarks::of("other".to_owned(), variables(&[("A_KEY", "sk-old")]));
        assert_ne!(there.marks["A_KEY"], other.marks["A_KEY"], "a mark is of one server");
        assert_eq!(KeyMarks::default().changed(variables(&[("A_KEY", "x")])), Vec::<String>::new());
    }
}
