//! Which tracker a profile means.

use std::sync::Arc;

use amelia_core::config::profile::Profile;
use amelia_core::run::Place;
use amelia_core::tracker::Tracker;
use amelia_trackers::Surroundings;
use anyhow::Result;

use crate::home::Home;
use crate::keys::Keys;
use crate::place::{refused, repository};
use crate::refusal::{Exit, Refusal};

/// The tracker of a profile, for the repository of a run.
pub(crate) async fn tracker(profile: &Profile, place: &Place, home: &Home) -> Result<Arc<dyn Tracker>> {
    let remote = refused(repository(&place.repository).await?.remote_url().await)?;
    let keys = Keys::gather(home, &[])?;
    let around = Surroundings {
        remote: remote.as_deref(),
        key: &|name| keys.get(name).cloned(),
        vars: std::env::vars_os().collect(),
    };
    amelia_trackers::assemble(profile, &around)
        .map_err(|error| Refusal::new(Exit::Usage, error.to_string()).into())
}
