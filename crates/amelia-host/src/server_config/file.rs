//! The file: what is said in it, and one value changed without touching the rest, comments included. Pure.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::FIELDS;
use super::merge::{ConfigSource, ConfigValue};
use crate::home_file;
use crate::refused_file::RefusedFile;

/// Everything that a document says, field by field. Names that are not known stay: their reader refuses them.
pub(super) fn given(text: &str, path: &Path) -> Result<Vec<ConfigValue>, RefusedFile> {
    let (document, tree) = home_file::parse(path, text, Value::Null)?;
    let fields = match &document {
        Value::Null => return Ok(Vec::new()),
        Value::Object(fields) => fields,
        _ => return Err(RefusedFile::at_start(path, "must be a map of fields".to_owned())),
    };
    let mut all = Vec::new();
    for (name, value) in fields {
        let prefix = format!("{name}.");
        let has_parts = FIELDS.iter().any(|field| field.key.starts_with(&prefix));
        match value.as_object().filter(|_| has_parts) {
            Some(parts) => all.extend(parts.iter().map(|(part, value)| (format!("{prefix}{part}"), value))),
            None => all.push((name.clone(), value)),
        }
    }
    let source = ConfigSource::File { path: path.to_owned(), tree: Some(Arc::new(tree)) };
    Ok(all
        .into_iter()
        .map(|(key, value)| ConfigValue { source: source.clone(), key, value: value.clone() })
        .collect())
}

/// The text with one value changed, or without it. The block of its first name is written anew; all other lines stay as
/// they are.
pub(super) fn with(text: &str, key: &str, value: Option<Value>) -> Result<String, String> {
    let parse = |text: &str| {
        let empty = Value::Object(Map::new());
        let read = home_file::parse(Path::new("the server's file"), text, empty);
        read.map(|(document, _)| document).map_err(|refused| refused.to_string())
    };
    let mut wanted = parse(text)?;
    match value {
        Some(value) => super::merge::put(&mut wanted, key, value),
        None => take_out(&mut wanted, key),
    }
    let name = key.split('.').next().unwrap_or_default();
    let block = match wanted.get(name) {
        Some(value) => yaml(&Value::Object(Map::from_iter([(name.to_owned(), value.clone())])))?,
        None => String::new(),
    };
    let changed = replaced(text, name, &block);
    // A file in another style (one line, anchors) is written anew as a whole.
    match parse(&changed) {
        Ok(found) if found == wanted => Ok(changed),
        Ok(_) | Err(_) => yaml(&wanted),
    }
}

/// Takes a value out, and what is empty without it.
fn take_out(document: &mut Value, key: &str) {
    let Some(fields) = document.as_object_mut() else { return };
    match key.split_once('.') {
        None => drop(fields.remove(key)),
        Some((name, rest)) => {
            let Some(inner) = fields.get_mut(name) else { return };
            take_out(inner, rest);
            if inner.as_object().is_some_and(Map::is_empty) {
                fields.remove(name);
            }
        }
    }
}

fn yaml(document: &Value) -> Result<String, String> {
    serde_saphyr::to_string(document).map_err(|error| error.to_string())
}

/// The lines of `name` and what is indented below them, replaced by `block`; appended when there are none.
fn replaced(text: &str, name: &str, block: &str) -> String {
    let begins = |line: &&str| {
        let rest = line.trim_start_matches(['"', '\'']).strip_prefix(name);
        rest.is_some_and(|rest| rest.trim_start_matches(['"', '\'']).trim_start().starts_with(':'))
    };
    let lines: Vec<&str> = text.lines().collect();
    let start = lines.iter().position(begins).unwrap_or(lines.len());
    let is_below = |line: &&&str| line.starts_with([' ', '\t', '-']);
    let end = start + 1 + lines.iter().skip(start + 1).take_while(is_below).count();
    let before = lines.iter().take(start).map(|line| format!("{line}\n"));
    let after = lines.iter().skip(end).map(|line| format!("{line}\n"));
    let block = if block.is_empty() { String::new() } else { format!("{}\n", block.trim_end()) };
    before.chain([block]).chain(after).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, key: &str, value: Value, after: &str) {
        assert_eq!(with(before, key, Some(value)).unwrap(), after);
    }

    #[test]
    fn one_value_is_changed_and_everything_else_stays() {
        check("", "port", 9000.into(), "port: 9000\n");
        check(
            "# mine\nhost: a.test # here\nport: 1\n",
            "port",
            2.into(),
            "# mine\nhost: a.test # here\nport: 2\n",
        );
        check(
            "auth:\n  mode: token\n# why\nport: 1\n",
            "auth.mode",
            "none".into(),
            "auth:\n  mode: none\n# why\nport: 1\n",
        );
        check(
            "api_key_envs:\n- A\n- B\nport: 1\n",
            "api_key_envs",
            vec!["C"].into(),
            "api_key_envs:\n- C\nport: 1\n",
        );
        check("\"port\": 1\nhost: x", "port", 2.into(), "port: 2\nhost: x\n");
    }

    #[test]
    fn a_value_is_taken_out_and_everything_else_stays() {
        let cases = [
            ("# mine\nport: 1\nhost: x\n", "port", "# mine\nhost: x\n"),
            ("auth:\n  mode: token\nport: 1\n", "auth.mode", "port: 1\n"),
            (
                "budgets:\n  per_run:\n    usd: 1\n  per_day:\n    usd: 2\n",
                "budgets.per_run",
                "budgets:\n  per_day:\n    usd: 2\n",
            ),
            ("host: x\n", "port", "host: x\n"),
            ("port: 1\n", "port", ""),
        ];
        for (before, key, after) in cases {
            assert_eq!(with(before, key, None).unwrap(), after, "{key}");
        }
    }

    #[test]
    fn a_file_in_another_style_keeps_its_values() {
        check("{port: 1, host: x}", "port", 2.into(), "host: x\nport: 2\n");
    }
}
