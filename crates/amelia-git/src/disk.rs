//! How much of the disk a directory takes.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Bytes on the disk below a directory: blocks, not lengths; a file with several names once; links not followed.
/// What goes away or cannot be read meanwhile counts nothing. Blocks the thread.
#[must_use]
pub fn disk_use(dir: &Path) -> u64 {
    let mut seen = BTreeSet::new();
    let mut open: Vec<PathBuf> = vec![dir.to_path_buf()];
    let mut bytes = 0;
    while let Some(path) = open.pop() {
        let Ok(found) = path.symlink_metadata() else { continue };
        if found.nlink() == 1 || seen.insert((found.dev(), found.ino())) {
            bytes += found.blocks() * 512;
        }
        if found.is_dir() {
            open.extend(std::fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        }
    }
    bytes
}
