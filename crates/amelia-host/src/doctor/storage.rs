//! What the home takes on its disk: the database, the recordings in it, and what runs have left beside it.

use std::path::Path;

use amelia_store::sqlite::SqliteStore;

use super::check::DoctorCheck;
use crate::home::Home;
use crate::size::shown;

/// More is not counted: the answer comes soon, also in a home with a million files.
const MOST_FILES: usize = 200_000;

/// The directories of runs, and what people call their content.
const DIRECTORIES: [(&str, &str); 4] = [
    ("tasks", "task directories"),
    ("attachments", "attachments"),
    ("worktrees", "worktrees"),
    ("workspaces", "workspaces"),
];

/// What takes space. Nothing in a home without a database.
pub(super) fn check(home: &Home) -> Option<DoctorCheck> {
    let file = home.database().ok().filter(|file| file.exists())?;
    let beside = |end: &str| {
        let mut name = file.clone().into_os_string();
        name.push(end);
        measured(Path::new(&name)).bytes
    };
    let database = beside("") + beside("-wal") + beside("-shm");
    let mut parts = vec![match SqliteStore::recorded_bytes(&file) {
        Ok(recorded) => format!("database {} (recordings {})", shown(database), shown(recorded)),
        Err(_) => format!("database {}", shown(database)),
    }];
    for (name, words) in DIRECTORIES {
        let DiskUse { bytes, is_whole } = measured(&home.path().join(name));
        let least = if is_whole { "" } else { "more than " };
        parts.push(format!("{words} {least}{}", shown(bytes)));
    }
    Some(DoctorCheck::ok("storage", parts.join(", ")))
}

/// The bytes of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DiskUse {
    bytes: u64,
    is_whole: bool,
}

/// Follows no links. What is gone meanwhile takes nothing.
fn measured(path: &Path) -> DiskUse {
    let mut taken = DiskUse { bytes: 0, is_whole: true };
    let (mut waiting, mut files) = (vec![path.to_owned()], 0);
    while let Some(path) = waiting.pop() {
        let Ok(metadata) = path.symlink_metadata() else { continue };
        if metadata.is_dir() {
            let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
            waiting.extend(entries.map(|entry| entry.path()));
            continue;
        }
        taken.bytes += metadata.len();
        files += 1;
        if files == MOST_FILES {
            return DiskUse { is_whole: waiting.is_empty(), ..taken };
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_says_what_takes_its_space() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::at(directory.path());
        assert_eq!(check(&home), None);
        let write = |name: &str, bytes: usize| {
            let path = directory.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, vec![b'x'; bytes]).unwrap();
        };
        write("amelia.db", 3_000);
        write("amelia.db-wal", 2_000);
        write("tasks/a/task.json", 4_000);
        write("tasks/b/results/x.png", 3_000_000);
        std::os::unix::fs::symlink("/", directory.path().join("worktrees")).unwrap();
        let found = check(&home).unwrap().message;
        let expected = "database 5 kB, task directories 3 MB, attachments 0 B, worktrees 1 B, workspaces 0 B";
        assert_eq!(found, expected);
    }
}
