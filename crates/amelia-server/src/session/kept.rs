//! The ids of browsers that are signed in, in a file that only its owner reads. Losing it signs browsers out, no more.

use std::collections::VecDeque;
use std::fs::{OpenOptions, rename};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Much more than ever is written.
const MAX_BYTES: u64 = 64 * 1024;

pub(super) fn read(file: &Path, most: usize) -> VecDeque<String> {
    let mut text = String::new();
    let read = std::fs::File::open(file).and_then(|file| file.take(MAX_BYTES).read_to_string(&mut text));
    match read {
        Ok(_) => text.lines().filter(|id| id.len() == 64).take(most).map(str::to_owned).collect(),
        Err(_) => VecDeque::new(),
    }
}

pub(super) fn write(file: &Path, ids: &VecDeque<String>) {
    if let Err(error) = try_write(file, ids) {
        tracing::warn!("browsers have to sign in again after a restart: {error}");
    }
}

fn try_write(file: &Path, ids: &VecDeque<String>) -> io::Result<()> {
    let new = file.with_extension("new");
    let mut open = OpenOptions::new();
    open.write(true).create(true).truncate(true).mode(0o600);
    let mut written = open.open(&new)?;
    for id in ids {
        writeln!(written, "{id}")?;
    }
    written.flush()?;
    rename(&new, file)
}
