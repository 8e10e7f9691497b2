//! The dependency graph of ARCHITECTURE.md as a table, checked against every `Cargo.toml`.
//!
//! A new edge is a decision: it changes this table in the same commit. Reads manifests only, so an edge that
//! is not used yet is found too.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use toml::{Table, Value};

use super::TextFile;
use super::finding::Finding;

enum Allowed {
    Only(&'static [&'static str]),
    /// The places where all meet.
    All,
}

/// Which crates of ours a crate may use. Leaves see the core alone.
const LAYERS: &[(&str, Allowed)] = &[
    ("amelia-core", Allowed::Only(&[])),
    ("amelia-wire", Allowed::Only(&["amelia-core", "amelia-yaml"])),
    ("amelia-graph", Allowed::Only(&["amelia-core"])),
    ("amelia-store", Allowed::Only(&["amelia-core"])),
    ("amelia-process", Allowed::Only(&["amelia-core"])),
    ("amelia-drivers", Allowed::Only(&["amelia-core", "amelia-process"])),
    ("amelia-proxy", Allowed::Only(&["amelia-core", "amelia-drivers"])),
    ("amelia-tools", Allowed::Only(&["amelia-core", "amelia-process"])),
    ("amelia-trackers", Allowed::Only(&["amelia-core", "amelia-process"])),
    ("amelia-mcp", Allowed::Only(&["amelia-core", "amelia-process"])),
    ("amelia-git", Allowed::Only(&["amelia-core", "amelia-process"])),
    ("amelia-yaml", Allowed::Only(&[])),
    ("amelia-scripted", Allowed::Only(&["amelia-yaml"])),
    ("amelia-agents", Allowed::Only(&["amelia-core", "amelia-graph"])),
    ("amelia-flows", Allowed::Only(&["amelia-core", "amelia-graph", "amelia-agents"])),
    ("amelia-orchestrator", Allowed::Only(&["amelia-core", "amelia-graph", "amelia-agents"])),
    ("amelia-server", Allowed::Only(&["amelia-core", "amelia-wire", "amelia-orchestrator"])),
    ("amelia-host", Allowed::All),
    ("amelia", Allowed::All),
    ("amelia-bench", Allowed::All),
    ("amelia-fuzz", Allowed::All),
    ("xtask", Allowed::Only(&[])),
];

/// What tests may use on top: a real engine over a real store beats a mock.
const FOR_TESTS: [&str; 5] =
    ["amelia-graph", "amelia-scripted", "amelia-server", "amelia-store", "amelia-tools"];

/// Outside crates that only some of ours may name, tests included.
const OUTSIDE: &[(&str, &[&str])] = &[
    // The benchmark writes with SQLite alone, to show what the store adds.
    ("rusqlite", &["amelia-bench", "amelia-store"]),
    ("libsqlite3-sys", &["amelia-store"]),
    ("tokio-postgres", &["amelia-store"]),
    ("rmcp", &["amelia-mcp"]),
    ("axum", &["amelia-server", "amelia-proxy", "amelia-scripted"]),
    ("axum-extra", &["amelia-server", "amelia-proxy", "amelia-scripted"]),
];

/// What a crate must not pull into a build, and why; its tests may.
const NEVER: &[(&str, &[&str], &str)] = &[
    ("amelia-core", &["tokio", "rusqlite"], "no runtime and no IO here"),
    (
        "amelia-host",
        &["clap", "anstream", "indicatif", "amelia"],
        "command lines and terminals are in `amelia`",
    ),
];

pub(super) fn check(files: &[TextFile]) -> Result<Vec<Finding>> {
    let mut manifests = BTreeMap::new();
    for file in files.iter().filter(|file| file.path == "Cargo.toml" || file.path.ends_with("/Cargo.toml")) {
        let table: Table = file.text.parse().with_context(|| format!("while reading {}", file.path))?;
        manifests.insert(file.path.as_str(), (file.text.as_str(), table));
    }
    let shared = manifests.get("Cargo.toml").map(|(_, root)| shared_names(root)).unwrap_or_default();
    let mut found = Vec::new();
    for (path, (text, table)) in &manifests {
        let name = table.get("package").and_then(|package| package.get("name")).and_then(Value::as_str);
        if let Some(name) = name {
            found.extend(check_crate(&Manifest { path, text, name }, &dependencies(table, &shared)));
        }
    }
    Ok(found)
}

struct Manifest<'a> {
    path: &'a str,
    text: &'a str,
    name: &'a str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Build,
    Tests,
}

struct Dependency {
    /// As written, to find the line.
    key: String,
    /// What the key stands for, after `package = "…"`.
    name: String,
    used_by: Use,
}

fn check_crate(manifest: &Manifest<'_>, dependencies: &[Dependency]) -> Vec<Finding> {
    let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == manifest.name) else {
        let message = format!("`{}` is not in the table of layers in xtask", manifest.name);
        return vec![Finding::error(manifest.path, 1, message)];
    };
    let mut found = Vec::new();
    for dependency in dependencies {
        if let Some(reason) = refusal(manifest.name, allowed, dependency) {
            let line = line_of(manifest.text, &dependency.key);
            let message = format!("`{}` must not use `{}`: {reason}", manifest.name, dependency.name);
            found.push(Finding::error(manifest.path, line, message));
        }
    }
    found
}

fn refusal(owner: &str, allowed: &Allowed, dependency: &Dependency) -> Option<String> {
    let name = dependency.name.as_str();
    let of_ours = LAYERS.iter().any(|(layer, _)| *layer == name);
    let in_layer = match allowed {
        Allowed::All => true,
        Allowed::Only(names) => names.contains(&name),
    };
    let for_tests = dependency.used_by == Use::Tests && FOR_TESTS.contains(&name);
    if of_ours && !in_layer && !for_tests {
        return Some("not an edge of the layers".to_owned());
    }
    if let Some((_, owners)) = OUTSIDE.iter().find(|(outside, _)| *outside == name)
        && !owners.contains(&owner)
    {
        return Some(format!("only {} may", owners.join(" and ")));
    }
    let never = NEVER.iter().find(|(layer, names, _)| *layer == owner && names.contains(&name));
    never.filter(|_| dependency.used_by == Use::Build).map(|(_, _, why)| (*why).to_owned())
}

fn dependencies(manifest: &Table, shared: &BTreeMap<String, String>) -> Vec<Dependency> {
    let per_target = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let tables = per_target.filter_map(Value::as_table).chain([manifest]);
    let mut all = Vec::new();
    for table in tables {
        for (section, used_by) in [
            ("dependencies", Use::Build),
            ("build-dependencies", Use::Build),
            ("dev-dependencies", Use::Tests),
        ] {
            let entries = table.get(section).and_then(Value::as_table).into_iter().flatten();
            all.extend(entries.map(|(key, value)| {
                let name = renamed(value).or_else(|| shared.get(key).cloned()).unwrap_or_else(|| key.clone());
                Dependency { key: key.clone(), name, used_by }
            }));
        }
    }
    all
}

/// The names that `[workspace.dependencies]` gives to crates that are called otherwise.
fn shared_names(root: &Table) -> BTreeMap<String, String> {
    let entries =
        root.get("workspace").and_then(|workspace| workspace.get("dependencies")).and_then(Value::as_table);
    let entries = entries.into_iter().flatten();
    entries.filter_map(|(key, value)| Some((key.clone(), renamed(value)?))).collect()
}

fn renamed(dependency: &Value) -> Option<String> {
    dependency.get("package").and_then(Value::as_str).map(str::to_owned)
}

fn line_of(text: &str, key: &str) -> usize {
    let is_entry = |line: &str| {
        let line = line.trim_start().trim_start_matches('"');
        line.strip_prefix(key).is_some_and(|rest| rest.starts_with([' ', '.', '=', '"']))
    };
    text.lines().position(is_entry).map_or(1, |index| index + 1)
}
