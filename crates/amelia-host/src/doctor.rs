//! Everything that work needs, looked at: what is missing, and what to do about it. Nothing is changed, and nothing outside
//! this machine is asked, but by [`models::checks`]. Each file below has the looking at one thing, and the judgement,
//! which is pure.

mod agents;
pub mod check;
mod disk;
mod home;
mod keys;
mod mcp;
pub mod models;
mod profile;
mod programs;

use std::path::Path;

use amelia_wire::amelia::config::Settings;

use self::check::DoctorCheck;
use crate::home::Home;

pub use self::agents::{ProgramHere, is_on_path, program_here};
pub use self::profile::readable;

/// Where the profiles that are kept come from.
pub enum ProfileOrigin {
    Settings(Settings),
    /// Nothing is kept, or it cannot be read as it is.
    Unread,
    Failed(anyhow::Error),
}

/// Whether the store of a home can be looked at without changing it.
#[must_use]
pub fn is_readable(home: &Home) -> bool {
    home::database(home).1
}

/// All checks. `server` is what was found of the server. The profile that is looked at is the one for work in
/// `directory`; without one, the active profile.
pub async fn checks(
    home: &Home,
    server: DoctorCheck,
    kept: ProfileOrigin,
    directory: Option<&Path>,
) -> Vec<DoctorCheck> {
    let mut kept = settings(home, kept);
    let profiles = kept.as_ref().map(readable).unwrap_or_default();
    if let (Ok(settings), Some(directory)) = (&mut kept, directory) {
        settings.active_profile = profile::name_for(settings, &profiles, directory);
    }
    let active = kept.as_ref().map(|settings| settings.active_profile.clone()).unwrap_or_default();
    let mut checks = programs::checks().await;
    checks.push(keys::check(home, &profiles));
    let (database, _) = home::database(home);
    checks.extend([home::directory(home), database, server]);
    checks.extend(disk::checks(home).await);
    checks.extend(agents::checks(home, &profiles, &active).await);
    checks.extend(profile::checks(home, kept.as_ref()).await);
    checks.extend(mcp::checks(home));
    checks
}

/// The profiles that are kept; where there are none to look at, why not.
pub fn settings(home: &Home, kept: ProfileOrigin) -> Result<Settings, DoctorCheck> {
    match kept {
        ProfileOrigin::Settings(settings) => Ok(settings),
        ProfileOrigin::Unread => Err(profile::judge_absent(home.has_runs())),
        ProfileOrigin::Failed(error) => Err(DoctorCheck::refused("profile", &error)),
    }
}
