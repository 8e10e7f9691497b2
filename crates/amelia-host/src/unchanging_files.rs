//! Files that never change, for their owner alone: their names follow from their content.

use std::io::{ErrorKind, Result, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

/// Writes a new file, whole or not at all. It is on the disk then: a log is about to name it.
pub(crate) fn keep(directory: &Path, name: &str, content: &[u8]) -> Result<()> {
    make(directory)?;
    let mut new = tempfile::Builder::new().prefix(".new-").tempfile_in(directory)?;
    new.write_all(content)?;
    new.as_file().sync_all()?;
    new.persist(directory.join(name)).map_err(|error| error.error)?;
    std::fs::File::open(directory)?.sync_all()
}

/// Has the files of another directory, too: a fork continues with what its origin had.
pub(crate) fn take_over(directory: &Path, other: &Path) -> Result<()> {
    let entries = match std::fs::read_dir(other) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    make(directory)?;
    for entry in entries {
        let entry = entry?;
        let to = directory.join(entry.file_name());
        if !to.exists() && std::fs::hard_link(entry.path(), &to).is_err() {
            std::fs::copy(entry.path(), &to)?;
        }
    }
    Ok(())
}

fn make(directory: &Path) -> Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)
}
