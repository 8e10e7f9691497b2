//! The home and its database. Neither is made, and neither is brought up to date.

use std::path::{Path, PathBuf};

use amelia_core::store::StoreError;
use amelia_store::sqlite::{Schema, SqliteStore};

use super::check::{CheckState, DoctorCheck};
use crate::home::Home;

/// The directory itself.
pub(super) fn directory(home: &Home) -> DoctorCheck {
    let path = home.path();
    let found = match path.metadata() {
        Ok(metadata) if !metadata.is_dir() => PathKind::Other,
        Ok(_) => PathKind::Directory,
        Err(_) => PathKind::Nothing,
    };
    judge_directory(path, found, is_writable(&existing(path)))
}

/// The database, and whether it can be read as it is.
pub(super) fn database(home: &Home) -> (DoctorCheck, bool) {
    let file = match home.database() {
        Ok(file) => file,
        Err(error) => return (DoctorCheck::refused("database", &error), false),
    };
    if !file.exists() {
        return (DoctorCheck::ok("database", format!("{} is created at first use", file.display())), false);
    }
    let check = judge_database(&file, SqliteStore::schema(&file), SqliteStore::owner(&file));
    let is_readable = check.state == CheckState::Ok;
    (check, is_readable)
}

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathKind {
    Directory,
    Other,
    Nothing,
}

fn judge_directory(path: &Path, found: PathKind, is_writable: bool) -> DoctorCheck {
    let shown = path.display();
    let hint = "set --home or AMELIA_HOME to a directory of yours";
    match (found, is_writable) {
        (PathKind::Other, _) => DoctorCheck::error("home", format!("{shown} is not a directory"), hint),
        (_, false) => DoctorCheck::error("home", format!("{shown} cannot be written"), hint),
        (PathKind::Directory, true) => DoctorCheck::ok("home", shown.to_string()),
        (PathKind::Nothing, true) => DoctorCheck::ok("home", format!("{shown} is created at first use")),
    }
}

fn judge_database(file: &Path, schema: Result<Schema, StoreError>, owner: Option<u32>) -> DoctorCheck {
    let shown = file.display();
    match schema {
        Err(error) => DoctorCheck::refused("database", &error.into()),
        Ok(Schema { found, newest }) if found < newest => {
            let message = format!("{shown} has schema {found}, and this version uses {newest}");
            let hint = "the next command that opens it upgrades it";
            DoctorCheck::warning("database", message, hint)
        }
        Ok(Schema { found, .. }) => {
            let owner = match owner {
                Some(process) => format!("in use by process {process}"),
                None => "not in use".to_owned(),
            };
            DoctorCheck::ok("database", format!("{shown}, schema {found}, {owner}"))
        }
    }
}

/// The path, or the nearest directory above it that there is: that one must take the others.
pub(super) fn existing(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    absolute.ancestors().find(|path| path.exists()).map_or_else(|| absolute.clone(), Path::to_owned)
}

fn is_writable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_must_be_a_directory_that_can_be_written_or_made() {
        let state = |found, is_writable| judge_directory(Path::new("/h"), found, is_writable).state;
        assert_eq!(state(PathKind::Directory, true), CheckState::Ok);
        assert_eq!(state(PathKind::Nothing, true), CheckState::Ok);
        assert_eq!(state(PathKind::Directory, false), CheckState::Error);
        assert_eq!(state(PathKind::Nothing, false), CheckState::Error);
        assert_eq!(state(PathKind::Other, true), CheckState::Error);
    }

    #[test]
    fn a_database_says_its_schema_and_who_has_it() {
        let file = Path::new("/h/amelia.db");
        let judged = judge_database(file, Ok(Schema { found: 2, newest: 2 }), Some(7));
        assert_eq!(judged, DoctorCheck::ok("database", "/h/amelia.db, schema 2, in use by process 7"));
        let old = judge_database(file, Ok(Schema { found: 1, newest: 2 }), None);
        assert_eq!(old.state, CheckState::Warning);
        let new = StoreError::TooNew { path: file.to_owned(), found: 9, known: 2 };
        assert_eq!(judge_database(file, Err(new), None).state, CheckState::Error);
    }

    #[test]
    fn what_is_not_there_is_judged_by_what_is_above() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(existing(&dir.path().join("a/b")), dir.path());
        assert_eq!(existing(dir.path()), dir.path());
    }
}
