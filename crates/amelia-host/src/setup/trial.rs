//! The checks of a repository, each tried once on its last commit, in a worktree as a run would have it: what is not
//! committed there is not there for a run either.

use std::io;
use std::path::Path;
use std::time::Duration;

use amelia_core::check::CheckResult;
use amelia_process::{CollectLimits, CommandSpec, HostSpawner, OnExcess, OutputStreams, ProcessEnd, collect};
use tokio_util::sync::CancellationToken;

use crate::place;

/// A check that takes longer is not waited for: it runs, which is what is to be known.
const TRIAL_TIMEOUT: Duration = Duration::from_secs(60);
/// Bytes of output that are looked at.
const OUTPUT: u64 = 256 * 1024;

/// A check and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriedCheck {
    pub command: String,
    pub outcome: TrialOutcome,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrialOutcome {
    Passed,
    /// It runs, and something is wrong with the commit itself.
    Failed,
    /// This is not installed.
    Missing(String),
    /// It runs, and finds no test.
    NoTests,
    /// It ran for longer than we wait.
    Slow,
    /// There was no commit or no place to try it on.
    NotTried,
}

impl TriedCheck {
    /// Whether it can judge the work of a run.
    #[must_use]
    pub fn runs(&self) -> bool {
        !matches!(self.outcome, TrialOutcome::Missing(_) | TrialOutcome::NoTests)
    }
}

/// Tries commands one after the other, until one runs.
pub async fn tried_checks(root: &Path, commands: &[&str]) -> Vec<TriedCheck> {
    let worktree = TrialWorktree::make(root).await;
    let mut tried: Vec<TriedCheck> = Vec::new();
    for command in commands {
        let outcome = match &worktree {
            Ok(worktree) => outcome_of(worktree.0.path(), command).await,
            Err(_) => TrialOutcome::NotTried,
        };
        tried.push(TriedCheck { command: (*command).to_owned(), outcome });
        if tried.last().is_some_and(TriedCheck::runs) {
            break;
        }
    }
    if let Ok(worktree) = worktree {
        worktree.remove(root).await;
    }
    tried
}

async fn outcome_of(directory: &Path, command: &str) -> TrialOutcome {
    let Ok(ended) = collected(directory, "sh", &["-c", command], TRIAL_TIMEOUT).await else {
        return TrialOutcome::NotTried;
    };
    let ended = CheckResult { command: command.to_owned(), ..ended };
    match ended.exit_code {
        _ if ended.timed_out => TrialOutcome::Slow,
        _ if has_no_tests(&ended.output) => TrialOutcome::NoTests,
        Some(0) => TrialOutcome::Passed,
        _ => match ended.missing_program() {
            Some(missing) => TrialOutcome::Missing(missing.to_owned()),
            None => TrialOutcome::Failed,
        },
    }
}

/// What the runners of Python say; one of them calls that a success.
fn has_no_tests(output: &str) -> bool {
    ["Ran 0 tests in ", "no tests ran in "].iter().any(|words| output.contains(words))
}

async fn collected(
    directory: &Path,
    program: &str,
    args: &[&str],
    timeout: Duration,
) -> io::Result<CheckResult> {
    let mut command = CommandSpec::new(program, args, "init");
    command.directory = Some(directory.to_owned());
    command.vars = place::vars().to_vec();
    command.streams = OutputStreams::Merged;
    let limits =
        CollectLimits { stdout: OUTPUT, stderr: OUTPUT, on_excess: OnExcess::Drain, timeout: Some(timeout) };
    let ended = collect(&HostSpawner, command, limits, &CancellationToken::new()).await?;
    let exit_code = match ended.end {
        ProcessEnd::Exited(code) => Some(code),
        _ => None,
    };
    Ok(CheckResult {
        exit_code,
        timed_out: ended.end == ProcessEnd::TimedOut,
        passed: exit_code == Some(0),
        output: String::from_utf8_lossy(&ended.stdout.bytes).into_owned(),
        ..CheckResult::default()
    })
}

/// The last commit in a directory that is removed again.
struct TrialWorktree(tempfile::TempDir);

impl TrialWorktree {
    async fn make(root: &Path) -> io::Result<Self> {
        let made = Self(tempfile::Builder::new().prefix("amelia-init-").tempdir()?);
        let path = made.0.path().to_string_lossy().into_owned();
        let args =
            ["-c", "core.hooksPath=/dev/null", "worktree", "add", "--quiet", "--detach", &path, "HEAD"];
        match collected(root, "git", &args, TRIAL_TIMEOUT).await {
            Ok(ended) if ended.passed => Ok(made),
            Ok(ended) => Err(io::Error::other(ended.output)),
            Err(error) => Err(error),
        }
    }

    async fn remove(self, root: &Path) {
        let path = self.0.path().to_string_lossy().into_owned();
        // What git cannot remove now, `git worktree prune` does once the directory is gone.
        collected(root, "git", &["worktree", "remove", "--force", &path], TRIAL_TIMEOUT).await.ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn git(directory: &Path, args: &[&str]) {
        let id = ["-c", "user.name=A", "-c", "user.email=a@b"];
        assert!(collected(directory, "git", &[&id[..], args].concat(), TRIAL_TIMEOUT).await.unwrap().passed);
    }

    #[tokio::test]
    async fn a_check_is_tried_on_the_last_commit_and_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path();
        assert_eq!(
            tried_checks(root, &["true"]).await,
            [TriedCheck { command: "true".to_owned(), outcome: TrialOutcome::NotTried }]
        );
        git(root, &["init", "-q"]).await;
        std::fs::write(root.join("kept"), "").unwrap();
        git(root, &["add", "."]).await;
        git(root, &["commit", "-q", "-m", "first"]).await;
        std::fs::write(root.join("not-committed"), "").unwrap();
        let commands = ["no-such-runner -q", "test -e kept && ! test -e not-committed", "false"];
        let tried = tried_checks(root, &commands).await;
        let outcomes: Vec<&TrialOutcome> = tried.iter().map(|check| &check.outcome).collect();
        assert_eq!(outcomes, [&TrialOutcome::Missing("no-such-runner".to_owned()), &TrialOutcome::Passed]);
        let none = "echo 'Ran 0 tests in 0.000s'";
        let tried = tried_checks(root, &[none, "true"]).await;
        assert_eq!((&tried[0].outcome, tried.len()), (&TrialOutcome::NoTests, 2));
        assert_eq!(tried_checks(root, &["exit 1"]).await.last().unwrap().outcome, TrialOutcome::Failed);
        assert!(std::fs::read_dir(root.join(".git/worktrees")).map_or(true, |mut all| all.next().is_none()));
    }
}
