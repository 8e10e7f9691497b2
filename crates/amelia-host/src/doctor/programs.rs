//! Programs on this machine: git, which everything needs, and helpers that some work uses. Those that are agents
//! themselves are looked at in `agents.rs`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use amelia_process::{CollectLimits, Collected, CommandSpec, HostSpawner, OnExcess, ProcessEnd, collect};
use tokio_util::sync::CancellationToken;

use super::check::DoctorCheck;
use crate::place;

/// A program that has not said its version by then has other worries.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes of an answer.
const LARGEST_ANSWER: u64 = 64 * 1024;
/// The first git that lists worktrees with any name.
const OLDEST_GIT: (u32, u32) = (2, 36);

/// A program, as it answers to `--version`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Program {
    Missing,
    /// It is there, and does not say what it is.
    Silent,
    Found(String),
}

/// Whether an account is signed in, as far as files of a program tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignIn {
    Stored,
    /// A variable that the program reads holds a token.
    Variable(&'static str),
    NotSeen,
    /// There is no way to see it without changing something, or it took too long.
    NotChecked,
}

/// `repository` is the one that work is asked about: it may say by itself whose name is on its commits.
pub(super) async fn checks(repository: Option<&Path>) -> Vec<DoctorCheck> {
    let (git, gh) = tokio::join!(version("git"), version("gh"));
    let has_git = git != Program::Missing;
    let mut checks = vec![judge_git(&git)];
    if has_git {
        let (name, email) =
            tokio::join!(git_setting("user.name", repository), git_setting("user.email", repository));
        checks.push(judge_identity(name.as_deref(), email.as_deref(), repository));
    }
    let token = ["GH_TOKEN", "GITHUB_TOKEN"].into_iter().find(|name| is_set(name));
    let gh_files = [("GH_CONFIG_DIR", "hosts.yml"), ("XDG_CONFIG_HOME", "gh/hosts.yml")];
    let of_gh = match token {
        Some(name) => SignIn::Variable(name),
        None => stored(&gh_files, ".config/gh/hosts.yml"),
    };
    checks.push(judge_optional("gh", &gh, of_gh, "issues and pull requests on GitHub without a token"));
    checks.push(unconfined());
    checks
}

fn judge_git(git: &Program) -> DoctorCheck {
    let hint = "install git 2.36 or newer";
    match git {
        Program::Missing => DoctorCheck::error("git", "not found", hint),
        Program::Silent => DoctorCheck::error("git", "found, but its version is unknown", hint),
        Program::Found(line) => match numbers(line) {
            Some(found) if found < OLDEST_GIT => {
                DoctorCheck::error("git", format!("{line} is too old"), hint)
            }
            Some(_) => DoctorCheck::ok("git", line),
            None => DoctorCheck::warning("git", format!("prints `{line}`, which is not a version"), hint),
        },
    }
}

fn judge_identity(name: Option<&str>, email: Option<&str>, repository: Option<&Path>) -> DoctorCheck {
    match (name, email) {
        (Some(name), Some(email)) => {
            let place = repository.map(|root| format!(" in {}", root.display())).unwrap_or_default();
            DoctorCheck::ok("identity", format!("commits{place} are by {name} <{email}>"))
        }
        (name, email) => {
            let missing = [(name, "user.name"), (email, "user.email")];
            let missing: Vec<&str> =
                missing.into_iter().filter(|(value, _)| value.is_none()).map(|(_, key)| key).collect();
            let set = |key: &&str| format!("git config --global {key} \"…\"");
            let hint = missing.iter().map(set).collect::<Vec<_>>().join("; ");
            DoctorCheck::warning("identity", format!("git does not know {}", missing.join(" and ")), hint)
        }
    }
}

/// What only some profiles need is no problem when it is not there: a profile that needs it says so itself.
fn judge_optional(name: &'static str, program: &Program, sign_in: SignIn, needed_for: &str) -> DoctorCheck {
    match program {
        Program::Missing => {
            DoctorCheck::optional(name, format!("not installed (optional): only needed for {needed_for}"))
        }
        Program::Silent => {
            let hint = format!("run `{name} --version` to see why");
            DoctorCheck::warning(name, "found, but its version is unknown", hint)
        }
        Program::Found(version) => {
            let sign_in = match sign_in {
                SignIn::Stored => "a sign-in is stored, but was not checked".to_owned(),
                SignIn::Variable(variable) => format!("signs in with {variable}, which was not checked"),
                SignIn::NotSeen | SignIn::NotChecked => "sign-in not checked".to_owned(),
            };
            DoctorCheck::ok(name, format!("{version}; {sign_in}"))
        }
    }
}

/// Work is possible, but a command of an agent can do what its user can. That is no reason to say that all is well.
fn unconfined() -> DoctorCheck {
    DoctorCheck::warning(
        "sandbox",
        "commands of agents run on this machine as your user, without a sandbox",
        "to confine them, run Amelia in a container or a virtual machine",
    )
}

/// The first two numbers in `git version 2.47.3 (…)`.
fn numbers(line: &str) -> Option<(u32, u32)> {
    let version = line.split(' ').find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    let mut parts = version.split('.').map(|part| part.parse::<u32>().ok());
    Some((parts.next()??, parts.next()??))
}

pub(super) async fn version(program: &str) -> Program {
    let output = match asked(program, &["--version"], None).await {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Program::Missing,
        Err(_) => return Program::Silent,
    };
    let said = String::from_utf8_lossy(&output.stdout.bytes);
    match said.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) if output.end == ProcessEnd::Exited(0) => Program::Found(line.chars().take(100).collect()),
        _ => Program::Silent,
    }
}

/// As it holds in a repository; without one, as it holds for the user, wherever this program was started.
async fn git_setting(key: &str, repository: Option<&Path>) -> Option<String> {
    let place = repository.unwrap_or(Path::new("/"));
    let output = asked("git", &["config", "--get", key], Some(place)).await.ok()?;
    let said = String::from_utf8_lossy(&output.stdout.bytes).trim().to_owned();
    (output.end == ProcessEnd::Exited(0) && !said.is_empty()).then_some(said)
}

/// Whether a program ends well when it is called like this; `None` when it does not end in time.
pub(super) async fn succeeds(program: &str, args: &[&str]) -> Option<bool> {
    asked(program, args, None).await.ok().map(|output| output.end == ProcessEnd::Exited(0))
}

/// What a program answers, if it does so in time. It gets what the programs of agents get: nothing that holds a secret.
async fn asked(program: &str, args: &[&str], directory: Option<&Path>) -> std::io::Result<Collected> {
    let mut command = CommandSpec::new(program, args, "doctor");
    command.directory = directory.map(Path::to_owned);
    command.vars = place::vars().to_vec();
    let limits = CollectLimits {
        stdout: LARGEST_ANSWER,
        stderr: LARGEST_ANSWER,
        on_excess: OnExcess::Drain,
        timeout: Some(ANSWER_TIMEOUT),
    };
    let answer = collect(&HostSpawner, command, limits, &CancellationToken::new()).await?;
    match answer.end {
        ProcessEnd::TimedOut => Err(std::io::ErrorKind::TimedOut.into()),
        _ => Ok(answer),
    }
}

fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

/// Whether a program has kept a sign-in: below the first of these variables that is set, else in the user's home.
/// What is in the file is not read.
pub(super) fn stored(places: &[(&str, &str)], default: &str) -> SignIn {
    let named = places.iter().find(|(variable, _)| is_set(variable));
    let file = match named {
        Some((variable, file)) => std::env::var_os(variable).map(|dir| PathBuf::from(dir).join(file)),
        None => std::env::home_dir().map(|user| user.join(default)),
    };
    if file.is_some_and(|file| file.is_file()) { SignIn::Stored } else { SignIn::NotSeen }
}

#[cfg(test)]
mod tests {
    use super::super::check::CheckState;
    use super::*;

    fn found(line: &str) -> Program {
        Program::Found(line.to_owned())
    }

    #[test]
    fn git_must_be_there_and_young_enough() {
        for (git, state) in [
            (Program::Missing, CheckState::Error),
            (Program::Silent, CheckState::Error),
            (found("git version 2.35.9"), CheckState::Error),
            (found("git version 1.99.0"), CheckState::Error),
            (found("git version 2.36.0"), CheckState::Ok),
            (found("git version 2.39.5 (Apple Git-154)"), CheckState::Ok),
            (found("git version 3.0"), CheckState::Ok),
            (found("hello"), CheckState::Warning),
        ] {
            assert_eq!(judge_git(&git).state, state, "{git:?}");
        }
    }

    #[test]
    fn an_identity_needs_both_halves_and_the_hint_names_the_missing_one() {
        let whole = judge_identity(Some("Ada"), Some("ada@example.org"), None);
        assert_eq!(whole, DoctorCheck::ok("identity", "commits are by Ada <ada@example.org>"));
        let here = judge_identity(Some("Ada"), Some("ada@example.org"), Some(Path::new("/r")));
        assert_eq!(here, DoctorCheck::ok("identity", "commits in /r are by Ada <ada@example.org>"));
        let half = judge_identity(Some("Ada"), None, None);
        let hint = "git config --global user.email \"…\"";
        assert_eq!(half, DoctorCheck::warning("identity", "git does not know user.email", hint));
        assert_eq!(
            judge_identity(None, None, Some(Path::new("/r"))).message,
            "git does not know user.name and user.email"
        );
    }

    #[test]
    fn a_program_that_nobody_needs_may_be_missing_and_only_what_was_seen_is_said() {
        let check = |program: &Program, sign_in| judge_optional("gh", program, sign_in, "GitHub");
        let missing = DoctorCheck::optional("gh", "not installed (optional): only needed for GitHub");
        assert_eq!(check(&Program::Missing, SignIn::NotSeen), missing);
        assert_eq!(check(&Program::Silent, SignIn::Stored).state, CheckState::Warning);
        let gh = found("gh version 2.0");
        assert_eq!(check(&gh, SignIn::NotSeen).message, "gh version 2.0; sign-in not checked");
        let stored = check(&gh, SignIn::Stored).message;
        assert_eq!(stored, "gh version 2.0; a sign-in is stored, but was not checked");
        assert!(
            check(&gh, SignIn::Variable("GH_TOKEN"))
                .message
                .ends_with("with GH_TOKEN, which was not checked")
        );
    }
}
