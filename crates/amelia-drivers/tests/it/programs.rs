//! Where the real programs are that tests talk to: the one place that looks for them, for the tests of all crates. A test
//! that cannot be made says so on its standard error, and in the file that `AMELIA_SKIPPED` names: `make test` counts.
#![allow(dead_code, reason = "no crate needs all of it")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program that `scripts/setup-agents.sh` installs; `None` when it cannot, and then the reason is said.
pub(crate) async fn find(name: &'static str) -> Option<PathBuf> {
    Some(set_up("setup-agents.sh", name).await?.join(name))
}

/// What a script of ours sets up, and prints the place of; `None` when it cannot, and then the reason is said.
pub(crate) async fn set_up(script: &'static str, what: &str) -> Option<PathBuf> {
    said(tokio::task::spawn_blocking(move || run(script)).await.unwrap(), what)
}

/// The same, where nothing else waits.
pub(crate) fn set_up_here(script: &str, what: &str) -> Option<PathBuf> {
    said(run(script), what)
}

/// This test is not made, and why.
pub(crate) fn skipped(reason: &str) {
    eprintln!("SKIPPED: {reason}");
    let Some(file) = std::env::var_os("AMELIA_SKIPPED") else { return };
    let name = std::env::var("NEXTEST_TEST_NAME").ok();
    let name = name.or_else(|| std::thread::current().name().map(str::to_owned)).unwrap_or_default();
    let mut file = std::fs::File::options().append(true).create(true).open(file).unwrap();
    // One write: tests run beside each other.
    file.write_all(format!("{name}: {}\n", reason.replace('\n', " ")).as_bytes()).unwrap();
}

fn said(found: Result<PathBuf, String>, what: &str) -> Option<PathBuf> {
    found.map_err(|reason| skipped(&format!("{what} is not here: {reason}"))).ok()
}

fn run(script: &str) -> Result<PathBuf, String> {
    let setup = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts").join(script);
    let output = Command::new("sh").arg(setup).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}
