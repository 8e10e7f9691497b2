//! A file at a moment, and what has become of it since. Pure, except for the look at the file.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use amelia_core::event::ArtifactEvent;
use amelia_core::message::{Artifact, Object};
use serde_json::json;

/// Files by their names; `None` is one that is gone.
pub(super) type Files = BTreeMap<String, Option<Stamp>>;

/// By what a change of a file is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    modified: (i64, i64),
    size: u64,
    inode: u64,
    mode: u32,
}

impl Stamp {
    pub(super) fn of(path: &Path) -> Option<Self> {
        let found = path.symlink_metadata().ok()?;
        let modified = (found.mtime(), found.mtime_nsec());
        Some(Self { modified, size: found.len(), inode: found.ino(), mode: found.mode() })
    }

    #[cfg(test)]
    pub(super) fn sample(size: u64) -> Self {
        Self { modified: (1, 2), size, inode: 3, mode: 4 }
    }
}

/// What has become of a file that existed before, or did not.
pub(super) fn event(name: &str, existed: bool, stamp: Option<Stamp>) -> Option<ArtifactEvent> {
    let uri = name.to_owned();
    match (existed, stamp) {
        (false, None) => None,
        (true, None) => Some(ArtifactEvent::Deleted { uri }),
        (true, Some(Stamp { modified: (seconds, nanos), size, .. })) => {
            let changes = Object::from_iter([("size_bytes".to_owned(), json!(size))]);
            let version = format!("{seconds}.{nanos:09}");
            Some(ArtifactEvent::Modified { uri, version, changes, artifact: None })
        }
        (false, Some(stamp)) => Some(ArtifactEvent::Created(Artifact {
            mime_type: mime_type(name).to_owned(),
            uri,
            size_bytes: Some(stamp.size),
            description: None,
            version: None,
            checksum: None,
            metadata: Object::new(),
            created_by: None,
            tags: Vec::new(),
        })),
    }
}

/// By its name alone.
fn mime_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("gif") => "image/gif",
        Some("pdf") => "application/pdf",
        Some("json") => "application/json",
        Some("html") => "text/html",
        Some("md") => "text/markdown",
        Some("zip" | "gz" | "xz" | "zst" | "so" | "o" | "a" | "wasm" | "bin" | "exe") => {
            "application/octet-stream"
        }
        Some(_) | None => "text/plain",
    }
}
