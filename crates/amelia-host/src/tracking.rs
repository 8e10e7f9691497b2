//! Which tracker a profile means, and where the pull requests of a repository are.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use amelia_core::config::profile::Profile;
use amelia_core::run::RunLocation;
use amelia_core::tracker::{Issue, Tracker, TrackerError};
use amelia_orchestrator::service::ServiceError;
use amelia_trackers::{GitHub, SETTINGS, TrackerContext};
use anyhow::Result;

use crate::error::service_error;
use crate::home::Home;
use crate::keys::Keys;
use crate::place::{look, refused};

/// The tracker of a profile, for the repository of a run.
pub(crate) async fn tracker(profile: &Profile, place: &RunLocation, home: &Home) -> Result<Arc<dyn Tracker>> {
    around(&place.repository, home, |around| amelia_trackers::assemble(profile, around)).await
}

/// The changes of a pull request: where the repository's code is, wherever its issues may be.
pub(crate) async fn pull_request(
    profile: &Profile,
    repository: &Path,
    home: &Home,
    number: u64,
) -> Result<String, ServiceError> {
    let host = code_host(profile, repository, home).await.map_err(service_error)?;
    host.pull_request_diff(number).await.map_err(told)
}

/// Where the code of a repository is, with its pull requests.
pub(crate) async fn code_host(profile: &Profile, repository: &Path, home: &Home) -> Result<GitHub> {
    around(repository, home, |around| amelia_trackers::code_host(profile, around)).await
}

/// Issues of the tracker that a profile has for a repository.
pub(crate) async fn search(
    profile: &Profile,
    repository: &Path,
    home: &Home,
    words: &str,
    most: usize,
) -> Result<Vec<Issue>, ServiceError> {
    let tracker = around(repository, home, |around| amelia_trackers::assemble(profile, around)).await;
    tracker.map_err(service_error)?.search(words, most).await.map_err(told)
}

pub(crate) fn told(error: TrackerError) -> ServiceError {
    match error {
        TrackerError::NotFound { .. } => ServiceError::not_found(error),
        TrackerError::Setup(_) | TrackerError::Unsupported { .. } => ServiceError::invalid(error),
        TrackerError::Unauthorised { .. }
        | TrackerError::Forbidden { .. }
        | TrackerError::Limited { .. }
        | TrackerError::Unavailable { .. }
        | TrackerError::Refused { .. } => ServiceError::unavailable(error),
    }
}

/// With what is known about where this program runs.
async fn around<T>(
    path: &Path,
    home: &Home,
    make: impl FnOnce(&TrackerContext<'_>) -> Result<T, TrackerError>,
) -> Result<T> {
    let remote = refused(look(path).await?.remote_url().await)?;
    let keys = Keys::gather(home, &[])?;
    let around = TrackerContext {
        remote: remote.as_deref(),
        key: &|name| keys.get(name).cloned(),
        vars: with_settings(std::env::vars_os().collect(), &keys),
    };
    make(&around).map_err(|error| ServiceError::invalid(error).into())
}

/// The environment, and the settings that only the home's file has: a server in the background keeps the environment of
/// the command that started it.
fn with_settings(mut vars: Vec<(OsString, OsString)>, keys: &Keys) -> Vec<(OsString, OsString)> {
    for name in SETTINGS {
        let is_set = vars.iter().any(|(held, value)| held == name && !value.is_empty());
        if let (false, Some(value)) = (is_set, keys.get(name)) {
            vars.retain(|(held, _)| held != name);
            vars.push((name.into(), value.reveal().into()));
        }
    }
    vars
}
