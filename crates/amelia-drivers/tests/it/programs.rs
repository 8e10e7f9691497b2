//! Where the real programs are that tests talk to.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A program that `scripts/setup-agents.sh` installs; `None` when it cannot, and then the reason is said.
pub(crate) async fn find(name: &'static str) -> Option<PathBuf> {
    match tokio::task::spawn_blocking(installed).await.unwrap() {
        Ok(folder) => Some(folder.join(name)),
        Err(reason) => {
            eprintln!("SKIPPED: {name} is not here: {reason}");
            None
        }
    }
}

fn installed() -> Result<PathBuf, String> {
    let setup = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/setup-agents.sh");
    let output = Command::new("sh").arg(setup).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}
