//! From a profile and its surroundings to a tracker. Decides; asks no one.
//!
//! A token goes only to hosts it is meant for. The URL of a remote is a line in a file that agents can write, so a
//! host that is not GitHub's own must be named by a person too.

use std::ffi::OsString;
use std::sync::Arc;

use amelia_core::config::profile::{Profile, TrackerType};
use amelia_core::config::secret::Secret;
use amelia_core::problem::Problem;
use amelia_core::tracker::{Tracker, TrackerError};

use crate::github::{Gh, GitHub, GitHubRepository};
use crate::jira::{Jira, JiraSite};
use crate::noop::Noop;
use crate::paired::Paired;

/// Variables that say where a tracker is and who asks. They are no secrets, wherever they are kept.
pub const SETTINGS: [&str; 3] = ["GH_HOST", "JIRA_BASE_URL", "JIRA_EMAIL"];

/// What the program knows about where it runs.
pub struct TrackerContext<'a> {
    /// The URL of the repository's remote, if it has one.
    pub remote: Option<&'a str>,
    /// The key of this name, from wherever keys are kept.
    pub key: &'a dyn Fn(&str) -> Option<Secret>,
    /// The environment of the process, with the [`SETTINGS`] that are kept elsewhere.
    pub vars: Vec<(OsString, OsString)>,
}

/// The tracker that `profile` asks for. Pull requests go to GitHub also when issues are elsewhere.
pub fn assemble(profile: &Profile, around: &TrackerContext<'_>) -> Result<Arc<dyn Tracker>, TrackerError> {
    let opens = profile.finish.pull_request;
    Ok(match profile.tracker {
        TrackerType::Github => Arc::new(code_host(profile, around)?),
        TrackerType::Jira if opens => {
            Arc::new(Paired { issues: around.jira(profile)?, code: code_host(profile, around)? })
        }
        TrackerType::Jira => Arc::new(around.jira(profile)?),
        TrackerType::Noop if opens => Arc::new(Paired { issues: Noop, code: code_host(profile, around)? }),
        TrackerType::Noop => Arc::new(Noop),
    })
}

/// Where the pull requests of the repository are, wherever its issues may be.
pub fn code_host(profile: &Profile, around: &TrackerContext<'_>) -> Result<GitHub, TrackerError> {
    around.github(profile)
}

impl TrackerContext<'_> {
    fn github(&self, profile: &Profile) -> Result<GitHub, TrackerError> {
        let Some(remote) = self.remote else {
            let problem = Problem::new("the repository has no remote, so its address on GitHub is unknown")
                .with_hint("git remote add origin git@github.com:OWNER/NAME.git");
            return Err(TrackerError::Setup(problem));
        };
        let repository = GitHubRepository::from_remote(remote)?;
        let named = self.var("GH_HOST").is_some_and(|host| host.eq_ignore_ascii_case(&repository.host));
        if !repository.is_github() && !named {
            let host = &repository.host;
            let problem = Problem::new(format!("the remote is on {host}, which is not known to be GitHub"))
                .with_hint(format!("set GH_HOST={host} for a GitHub Enterprise Server"));
            return Err(TrackerError::Setup(problem));
        }
        let names: &[&str] = if repository.is_github() {
            &["GH_TOKEN", "GITHUB_TOKEN"]
        } else {
            &["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"]
        };
        if let Some(token) = names.iter().find_map(|name| (self.key)(name)) {
            return GitHub::with_token(repository, token, profile.retry);
        }
        match Gh::found(&self.vars) {
            Some(gh) if repository.is_github() => {
                Ok(GitHub::with_program(repository, gh.for_github_only(), profile.retry))
            }
            Some(gh) => Ok(GitHub::with_program(repository, gh, profile.retry)),
            None => Err(TrackerError::Setup(
                Problem::new("there are no credentials for GitHub")
                    .with_hint(format!("set {}, or install gh and run `gh auth login`", names.join(" or "))),
            )),
        }
    }

    fn jira(&self, profile: &Profile) -> Result<Jira, TrackerError> {
        let missing = |name: &str, what: &str| {
            TrackerError::Setup(Problem::new(format!("jira needs {what}")).with_hint(format!("set {name}")))
        };
        let base = self.var("JIRA_BASE_URL").ok_or_else(|| {
            missing("JIRA_BASE_URL", "its address (https://NAME.atlassian.net, or your own server)")
        })?;
        let token = (self.key)("JIRA_API_TOKEN")
            .ok_or_else(|| missing("JIRA_API_TOKEN", "a token (and JIRA_EMAIL, in the Cloud)"))?;
        // Who has no address of an account there has a personal access token of a server.
        let site = match self.var("JIRA_EMAIL") {
            Some(email) => JiraSite::Cloud { email: email.to_owned(), token },
            None if base.contains(".atlassian.net") => {
                return Err(missing("JIRA_EMAIL", "the address of the account, in the Cloud"));
            }
            None => JiraSite::Server { token },
        };
        Jira::new(base, site, profile.retry)
    }

    fn var(&self, name: &str) -> Option<&str> {
        let (_, value) = self.vars.iter().find(|(held, _)| held == name)?;
        value.to_str().map(str::trim).filter(|value| !value.is_empty())
    }
}

#[cfg(test)]
#[path = "assemble_tests.rs"]
mod tests;
