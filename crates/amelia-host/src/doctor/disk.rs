//! Room on the disks that work is written to.

use std::path::Path;

use super::check::DoctorCheck;
use super::home::existing;
use crate::home::Home;
use crate::size;

/// A worktree and a build may still fit.
const TIGHT: u64 = 5_000_000_000;
/// The next commit may not.
const NEARLY_FULL: u64 = 500_000_000;

pub(super) fn checks(home: &Home, repository: Option<&Path>) -> Vec<DoctorCheck> {
    let mut checks = vec![judge("disk", "the home", free(&existing(home.path())))];
    // Outside of a repository there is nothing to say about one.
    checks.extend(repository.map(|root| judge("disk", "the repository", free(root))));
    checks
}

fn judge(name: &'static str, of: &str, free: Option<u64>) -> DoctorCheck {
    let hint = "free some space; `amelia cleanup --dry-run` shows what Amelia can remove";
    match free {
        None => DoctorCheck::warning(name, format!("of {of}: the free space is unknown"), hint),
        Some(free) => {
            let message = format!("of {of}: {} free", size::shown(free));
            match free {
                0..NEARLY_FULL => DoctorCheck::error(name, message, hint),
                NEARLY_FULL..TIGHT => DoctorCheck::warning(name, message, hint),
                TIGHT.. => DoctorCheck::ok(name, message),
            }
        }
    }
}

/// Bytes that a user without special rights can still write.
fn free(path: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(path).ok()?;
    found.f_bavail.checked_mul(found.f_frsize)
}

#[cfg(test)]
mod tests {
    use super::super::check::CheckState;
    use super::*;

    #[test]
    fn little_room_is_a_warning_and_none_an_error() {
        let state = |free| judge("disk", "x", free).state;
        assert_eq!(state(Some(TIGHT)), CheckState::Ok);
        assert_eq!(state(Some(TIGHT - 1)), CheckState::Warning);
        assert_eq!(state(Some(NEARLY_FULL)), CheckState::Warning);
        assert_eq!(state(Some(NEARLY_FULL - 1)), CheckState::Error);
        assert_eq!(state(None), CheckState::Warning);
        assert!(free(Path::new("/")).is_some());
    }
}
