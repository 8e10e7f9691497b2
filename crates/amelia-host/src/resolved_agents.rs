//! Who works on a request: from a profile, from the command line, or from the keys that are there.

use std::path::Path;

use amelia_core::budget::Budget;
use amelia_core::check::CheckCommand;
use amelia_core::config::agent::AgentConfig;
use amelia_core::config::profile::Profile;
use amelia_core::config::retry::RetryConfig;
use amelia_core::problem::Problem;
use amelia_orchestrator::service::ModelChoice;
use amelia_orchestrator::service::ServiceError;
use amelia_orchestrator::settings::Profiles;
use anyhow::Result;

use crate::home::Home;
use crate::keys::Keys;
use crate::upstream::{asked_for, checked, overridden};

/// The agents of a request and their limits.
pub(crate) struct ResolvedAgents {
    pub(crate) profile: Option<String>,
    pub(crate) agent: AgentConfig,
    pub(crate) oracle: Option<AgentConfig>,
    pub(crate) retry: RetryConfig,
    pub(crate) budget: Budget,
    pub(crate) checks: Vec<CheckCommand>,
    pub(crate) copy_files: Vec<String>,
    pub(crate) mcp_tools: Vec<String>,
    pub(crate) setup: Vec<String>,
}

impl ResolvedAgents {
    /// A named profile counts; else what the command line says; else the profile for this
    /// directory; else the first key found.
    pub(crate) async fn choose(
        profile: Option<&str>,
        model: &ModelChoice,
        home: &Home,
        profiles: &Profiles,
        directory: &Path,
    ) -> Result<Self> {
        let profile = match profile {
            Some(name) => Some(named(profiles, name).await?),
            None if model.names_nothing() => profiles.find_for(None, directory).await?,
            None => None,
        };
        match profile {
            Some(profile) => Self::of_profile(&profile, model),
            None => {
                let keys = Keys::gather(home, &[])?;
                let agent = asked_for(model, |name| keys.get(name).is_some())?;
                let (retry, budget) = (RetryConfig::default(), Budget::default());
                let (checks, copy_files, setup, mcp_tools) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
                Ok(Self {
                    profile: None,
                    agent,
                    oracle: None,
                    retry,
                    budget,
                    checks,
                    copy_files,
                    setup,
                    mcp_tools,
                })
            }
        }
    }

    fn of_profile(profile: &Profile, model: &ModelChoice) -> Result<Self> {
        let developer = profile.agent("developer").ok_or_else(|| {
            let problem = Problem::new(format!("the profile `{}` has no developer", profile.name));
            ServiceError::invalid(problem.with_hint(format!("amelia config profile edit {}", profile.name)))
        })?;
        Ok(Self {
            profile: Some(profile.name.clone()),
            agent: checked(overridden(developer, model))?,
            oracle: profile.agent("oracle"),
            retry: profile.retry,
            budget: profile.budgets.per_run,
            checks: profile.checks.clone(),
            copy_files: profile.copy_files.clone(),
            mcp_tools: profile.mcp_tools.clone(),
            setup: profile.worktree_setup.clone(),
        })
    }
}

/// The profile of this name, or an error that lists those that there are.
pub(crate) async fn named(profiles: &Profiles, name: &str) -> Result<Profile> {
    if let Some(profile) = profiles.find(Some(name)).await? {
        return Ok(profile);
    }
    let known: Vec<String> = profiles.settings().await?.profiles.into_keys().collect();
    let hint = match known.as_slice() {
        [] => "amelia init".to_owned(),
        names => format!("the profiles are: {}", names.join(", ")),
    };
    let problem = Problem::new(format!("there is no profile `{name}`")).with_hint(hint);
    Err(ServiceError::not_found(problem).at("profile").into())
}
