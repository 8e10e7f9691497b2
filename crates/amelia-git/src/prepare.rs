//! What a fresh worktree needs before anybody works in it: files that git ignores, submodules, a setup command.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::time::Duration;

use amelia_process::{CommandSpec, Flow, HostSpawner, OutputStreams, ProcessEnd, run};
use tokio_util::sync::CancellationToken;

use crate::blocking::blocking;
use crate::error::GitError;
use crate::repository::Repository;
use crate::worktree::Worktree;

/// Bytes shown of the end of what a setup command said.
const SHOWN: usize = 8000;

impl Repository {
    /// Copies files that git ignores (`.env`, `config/*.local`) from the user's checkout, never over what is there.
    /// Says which.
    pub async fn copy_files(&self, worktree: &Worktree, globs: &[String]) -> Result<Vec<String>, GitError> {
        if globs.is_empty() {
            return Ok(Vec::new());
        }
        let mut args: Vec<String> =
            ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--"].map(str::to_owned).into();
        args.extend(globs.iter().map(|glob| format!(":(top,glob){glob}")));
        let names = self.git.pieces(&args).await?;
        let (from, to) = (self.root().to_path_buf(), worktree.path.clone());
        blocking(&worktree.path, move || copy_all(&from, &to, &names)).await?
    }

    /// Fetches the submodules of a worktree. Without this they stay empty, as git leaves them.
    pub async fn submodules(&self, worktree: &Worktree) -> Result<(), GitError> {
        let git = self.git.at(&worktree.path);
        git.text(&["submodule", "update", "--init", "--recursive", "--quiet"]).await.map(drop)
    }

    /// Runs a command in a worktree, to its end or for so long. What it leaves running is killed.
    pub async fn setup(&self, worktree: &Worktree, command: &str, timeout: Duration) -> Result<(), GitError> {
        let mut spec = CommandSpec::new("bash", ["-c", command], "setup");
        spec.directory = Some(worktree.path.clone());
        spec.vars = self.git.vars().to_vec();
        spec.streams = OutputStreams::Merged;
        let mut output = Vec::new();
        let mut keep_last = |_, piece: &[u8]| {
            output.extend_from_slice(piece);
            output.drain(..output.len().saturating_sub(SHOWN));
            Flow::More
        };
        let never = CancellationToken::new();
        let done = run(&HostSpawner, spec, Some(timeout), &never, &mut keep_last).await;
        let end = match done.map_err(GitError::io(&worktree.path))?.end {
            ProcessEnd::Exited(0) => return Ok(()),
            ProcessEnd::Exited(code) => format!("exit code {code}"),
            ProcessEnd::Killed(signal) => format!("signal {signal}"),
            ProcessEnd::TimedOut | ProcessEnd::Cancelled | ProcessEnd::Stopped => {
                format!("no exit after {} s", timeout.as_secs())
            }
        };
        Err(GitError::Setup { end, output: String::from_utf8_lossy(&output).into_owned() })
    }
}

/// What was copied of these.
fn copy_all(from: &Path, to: &Path, names: &[OsString]) -> Result<Vec<String>, GitError> {
    let mut copied = Vec::new();
    for name in names {
        let to = to.join(name);
        if copy(&from.join(name), &to).map_err(GitError::io(&to))? {
            copied.push(name.to_string_lossy().into_owned());
        }
    }
    Ok(copied)
}

/// Regular files only; false when it was not copied.
fn copy(from: &Path, to: &Path) -> io::Result<bool> {
    if !from.symlink_metadata()?.is_file() || to.symlink_metadata().is_ok() {
        return Ok(false);
    }
    if let Some(parent) = to.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::copy(from, to)?;
    Ok(true)
}
