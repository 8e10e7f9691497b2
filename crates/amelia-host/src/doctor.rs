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
mod storage;

use std::path::{Path, PathBuf};

use amelia_core::config::profile::Profile;
use amelia_wire::amelia::config::Settings;
use amelia_wire::maf::files::RETENTION_POLICY;

use self::check::DoctorCheck;
use crate::home::Home;
use crate::place;

pub use self::agents::{ProgramHere, acp_program_here, is_on_path, program_here};
pub use self::mcp::unpinned;
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
    let repository = repository(directory, profiles.get(&active)).await;
    let mut checks = programs::checks(repository.as_deref()).await;
    checks.push(keys::check(home, &profiles));
    let (database, _) = home::database(home);
    checks.extend([home::directory(home), database, server]);
    checks.extend(disk::checks(home, repository.as_deref()));
    checks.extend(storage::check(home));
    checks.extend(agents::checks(home, &profiles, &active).await);
    checks.extend(profile::checks(home, kept.as_ref()).await);
    checks.extend(mcp::checks(home, directory).await);
    checks.extend(retention(home));
    checks
}

/// The repository that is asked about: that of the directory; without one, that of the profile.
async fn repository(directory: Option<&Path>, profile: Option<&Profile>) -> Option<PathBuf> {
    let asked = directory.or_else(|| Some(Path::new(&profile?.repo_root)))?;
    Some(place::look(asked).await.ok()?.root().to_owned())
}

/// Whether the file that says how long runs are kept can be read. Nothing when there is none.
fn retention(home: &Home) -> Option<DoctorCheck> {
    Some(match crate::retention::policy(home) {
        Ok(None) => return None,
        Ok(Some(_)) => DoctorCheck::ok("retention", format!("{RETENTION_POLICY} can be read")),
        Err(refused) => {
            let hint = format!("fix {RETENTION_POLICY} of the home; `amelia schema retention` describes it");
            DoctorCheck::error("retention", refused.to_string(), hint)
        }
    })
}

/// The profiles that are kept; where there are none to look at, why not.
pub fn settings(home: &Home, kept: ProfileOrigin) -> Result<Settings, DoctorCheck> {
    match kept {
        ProfileOrigin::Settings(settings) => Ok(settings),
        ProfileOrigin::Unread => Err(profile::judge_absent(home.has_runs())),
        ProfileOrigin::Failed(error) => Err(DoctorCheck::refused("profile", &error)),
    }
}

#[cfg(test)]
mod tests {
    use super::check::CheckState;
    use super::*;

    #[test]
    fn a_broken_retention_file_is_found() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::at(directory.path());
        assert_eq!(retention(&home), None);
        std::fs::create_dir(directory.path().join("config")).unwrap();
        std::fs::write(directory.path().join(RETENTION_POLICY), "default_days: soon\n").unwrap();
        let found = retention(&home).unwrap();
        assert!(found.message.contains("retention_policy.yaml:1:1"), "{found:?}");
        assert_eq!(found.state, CheckState::Error);
    }
}
