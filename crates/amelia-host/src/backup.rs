//! A home in one file: its database as it is at one moment, and everything else that is not of this machine alone.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use amelia_core::problem::Problem;
use amelia_orchestrator::service::ServiceError;
use amelia_store::sqlite::SqliteStore;
use anyhow::{Context as _, Result};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use tempfile::NamedTempFile;

use crate::home::Home;
use crate::memory::INDEX;

/// What the database is called in an archive, wherever it is in a home.
const DATABASE: &str = "amelia.db";

/// What is not kept: keys and tokens, checkouts, which git can make again, and what belongs to a running server.
const LEFT_OUT: [&str; 8] =
    ["config/keys.env", "token", "worktrees", "server.json", "logs", INDEX, "index.db-wal", "index.db-shm"];

/// Writes a home into a new file that only its owner may read. The home may be at work.
pub fn write(home: &Home, file: &Path) -> Result<u64> {
    let database = home.existing()?;
    let unwritable = || format!("{} cannot be written", file.display());
    let dir = file.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if dir.canonicalize().with_context(unwritable)?.starts_with(home.path().canonicalize()?) {
        let problem = Problem::new("a backup inside the home would contain itself");
        return Err(ServiceError::invalid(problem.with_hint("name a file in another directory")).into());
    }
    // Both only for their owner.
    let beside = tempfile::tempdir_in(dir).with_context(unwritable)?;
    let archive = NamedTempFile::new_in(dir).with_context(unwritable)?;
    let copy = beside.path().join(DATABASE);
    SqliteStore::copy(&database, &copy)?;
    let mut tar = tar::Builder::new(GzEncoder::new(archive.as_file(), Compression::default()));
    tar.append_path_with_name(&copy, DATABASE)?;
    add(&mut tar, home.path(), Path::new(""))?;
    tar.into_inner()?.finish()?.sync_all()?;
    // Complete or not there, and never in the place of an older one.
    archive.persist_noclobber(file).map_err(|refused| match refused.error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            let problem = Problem::new(format!("{} exists already", file.display()));
            ServiceError::conflict(problem.with_hint("choose another name, or move the file away")).into()
        }
        _ => anyhow::Error::new(refused.error).context(unwritable()),
    })?;
    Ok(std::fs::metadata(file)?.len())
}

/// Puts the files of a directory into an archive; only files and directories, and nothing that a link leads to.
fn add<W: Write>(tar: &mut tar::Builder<W>, home: &Path, inside: &Path) -> Result<()> {
    let mut entries: Vec<_> = std::fs::read_dir(home.join(inside))?.collect::<Result<_, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = inside.join(entry.file_name());
        let is_database = path.to_string_lossy().starts_with(DATABASE);
        if is_database || LEFT_OUT.iter().any(|left| path == Path::new(left)) {
            continue;
        }
        let kind = entry.file_type()?;
        if kind.is_dir() {
            add(tar, home, &path)?;
        } else if kind.is_file() {
            match tar.append_path_with_name(entry.path(), &path) {
                // A run at work removes what it needs no more.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                added => added.with_context(|| format!("{} cannot be read", entry.path().display()))?,
            }
        }
    }
    Ok(())
}

/// Makes a home from a file that [`write`] has written. A home that has runs is not touched.
pub fn restore(home: &Home, file: &Path) -> Result<()> {
    if home.has_runs() {
        let problem = Problem::new(format!("{} already contains runs", home.path().display()));
        return Err(ServiceError::conflict(
            problem.with_hint("restore into another --home, or move this one away"),
        )
        .into());
    }
    let opened = File::open(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let made: Vec<&Path> = home.path().ancestors().take_while(|directory| !directory.exists()).collect();
    home.make()?;
    let restored = unpack(home, file, opened);
    if restored.is_err() {
        // Only what is empty goes.
        made.iter().for_each(|directory| drop(std::fs::remove_dir(directory)));
    }
    restored
}

fn unpack(home: &Home, file: &Path, opened: File) -> Result<()> {
    let unreadable = || format!("{} is not a backup of Amelia", file.display());
    // Looked at before anything is put in its place.
    let beside = tempfile::tempdir_in(home.path())?;
    let mut archive = tar::Archive::new(GzDecoder::new(opened));
    for entry in archive.entries().with_context(unreadable)? {
        let mut entry = entry.with_context(unreadable)?;
        let kind = entry.header().entry_type();
        let is_inside =
            (kind.is_file() || kind.is_dir()) && entry.unpack_in(beside.path()).with_context(unreadable)?;
        if !is_inside {
            return Err(ServiceError::invalid(format!(
                "{}: it contains paths that do not belong in a backup",
                unreadable()
            ))
            .into());
        }
    }
    let database = beside.path().join(DATABASE);
    if !database.exists() {
        return Err(ServiceError::invalid(unreadable()).into());
    }
    SqliteStore::schema(&database)?;
    for name in std::fs::read_dir(beside.path())?.collect::<Result<Vec<_>, _>>()? {
        if name.file_name() != DATABASE {
            put(&name.path(), &home.path().join(name.file_name()))?;
        }
    }
    // The last: a home without it has no runs, and can be restored again.
    put(&database, &home.database()?)
}

fn put(from: &Path, to: &PathBuf) -> Result<()> {
    if to.is_dir() && from.is_dir() {
        for entry in std::fs::read_dir(from)?.collect::<Result<Vec<_>, _>>()? {
            put(&entry.path(), &to.join(entry.file_name()))?;
        }
        return Ok(());
    }
    std::fs::rename(from, to).with_context(|| format!("{} cannot be written", to.display()))
}
