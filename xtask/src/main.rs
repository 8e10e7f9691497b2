//! `cargo xtask <task>`: the project's automation. Reads the tree and runs cargo; never edits a tracked file.

mod deny;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

const USAGE: &str = "\
usage: cargo xtask <task>

  tidy [--fast]   check the invariants of ARCHITECTURE.md, then fmt and clippy (--fast: invariants only)
  deny            check licences and refused crates of Cargo.lock, offline";

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            // Not `Result` from `main`: that prints a backtrace where a sentence is wanted.
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// True when the task found nothing to fix.
fn run() -> Result<bool> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let root = workspace_root()?;
    match words.as_slice() {
        ["tidy"] => tidy::run(&root),
        ["tidy", "--fast"] => tidy::run_fast(&root),
        ["deny"] => deny::run(&root),
        [] | ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(true)
        }
        other => bail!("unknown task `{}`\n\n{USAGE}", other.join(" ")),
    }
}

/// Cargo names the package's directory at run time, so a moved or copied checkout still finds itself.
fn workspace_root() -> Result<PathBuf> {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").context("run this as `cargo xtask`")?;
    let root = Path::new(&manifest).parent().context("xtask has no parent directory")?;
    Ok(root.to_path_buf())
}
