//! What a fresh worktree needs before anybody works in it: files that git ignores, submodules, a setup command.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::Command;

use crate::error::SandboxError;
use crate::repository::Repository;
use crate::worktrees::Worktree;

/// Bytes shown of the end of what a setup command said.
const SHOWN: u64 = 8000;

impl Repository {
    /// Copies files that git ignores (`.env`, `config/*.local`) from the user's checkout, never over what is there.
    /// Says which.
    pub async fn copy_files(
        &self,
        worktree: &Worktree,
        globs: &[String],
    ) -> Result<Vec<String>, SandboxError> {
        if globs.is_empty() {
            return Ok(Vec::new());
        }
        let mut args: Vec<String> =
            ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--"].map(str::to_owned).into();
        args.extend(globs.iter().map(|glob| format!(":(top,glob){glob}")));
        let mut copied = Vec::new();
        for name in self.git.pieces(&args).await? {
            let (from, to) = (self.root().join(&name), worktree.path.join(&name));
            if copy(&from, &to).map_err(SandboxError::io(&to))? {
                copied.push(name.to_string_lossy().into_owned());
            }
        }
        Ok(copied)
    }

    /// Fetches the submodules of a worktree. Without this they stay empty, as git leaves them.
    pub async fn submodules(&self, worktree: &Worktree) -> Result<(), SandboxError> {
        let git = self.git.at(&worktree.path);
        git.text(&["submodule", "update", "--init", "--recursive", "--quiet"]).await.map(drop)
    }

    /// Runs a command in a worktree, to its end or for so long. What it leaves running in its group is killed.
    pub async fn setup(
        &self,
        worktree: &Worktree,
        command: &str,
        timeout: Duration,
    ) -> Result<(), SandboxError> {
        let broken = |source| SandboxError::Io { path: worktree.path.clone(), source };
        // A file, not a pipe: a process that stays in the background would hold a pipe open.
        let mut output = tempfile::tempfile().map_err(broken)?;
        let (stdout, stderr) = (output.try_clone().map_err(broken)?, output.try_clone().map_err(broken)?);
        let mut shell = Command::new("bash");
        shell.args(["-c", command]).current_dir(&worktree.path).env_clear();
        shell.envs(self.git.vars().iter().map(|(name, value)| (name, value)));
        shell.stdin(Stdio::null()).stdout(stdout).stderr(stderr).process_group(0).kill_on_drop(true);
        let mut child = shell.spawn().map_err(broken)?;
        let group = Group(child.id());
        let ended = tokio::time::timeout(timeout, child.wait()).await;
        drop(group);
        let end = match ended {
            Ok(status) => match status.map_err(broken)? {
                status if status.success() => return Ok(()),
                status => status.to_string(),
            },
            Err(_) => format!("no end after {} s", timeout.as_secs()),
        };
        Err(SandboxError::Setup { end, output: last_of(&mut output).map_err(broken)? })
    }
}

/// Dropping it kills the group: on every way out, also when nobody waits any more.
struct Group(Option<u32>);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(pid) = self.0.and_then(|id| Pid::from_raw(id.try_into().ok()?)) {
            // Nobody left to kill is what is wanted.
            kill_process_group(pid, Signal::KILL).ok();
        }
    }
}

fn last_of(output: &mut File) -> io::Result<String> {
    let length = output.metadata()?.len();
    output.seek(SeekFrom::Start(length.saturating_sub(SHOWN)))?;
    let mut bytes = Vec::new();
    output.take(SHOWN).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
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
