//! The content of artifacts: below `tasks/ID/.amelia/artifacts` in the home, each under its checksum, for their owner alone.
//! Content is on the disk before the log names it, so a kill leaves at most a file without a name; it goes with its run.

mod artifact_tools;
mod book;
mod file_versions;
mod folded_logs;
pub(crate) mod forked;
mod live_artifacts;
mod tool_specs;
pub mod tree;

use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use amelia_core::artifact::MAX_ARTIFACT_BYTES;
use amelia_core::id::RunId;
use amelia_core::problem::Problem;
use amelia_orchestrator::service::ServiceError;
use amelia_wire::maf::files;
use sha2::{Digest as _, Sha256};

use crate::home::Home;
use crate::unchanging_files;

pub(crate) use artifact_tools::RunArtifacts;
pub(crate) use book::ArtifactBook;
pub(crate) use folded_logs::{FoldedLog, FoldedLogs};
pub(crate) use live_artifacts::SharedArtifacts;

/// What checksums begin with.
const SHA256: &str = "sha256:";

/// The contents of one run.
#[derive(Debug, Clone)]
pub(crate) struct ArtifactContents(PathBuf);

impl ArtifactContents {
    pub(crate) fn of(home: &Home, run: RunId) -> Self {
        Self(home.path().join(files::task_dir(run)).join(".amelia/artifacts"))
    }

    /// Keeps a content and returns its checksum. It is on the disk then.
    pub(crate) fn keep(&self, content: &[u8]) -> std::io::Result<String> {
        let checksum = checksum(content);
        let name = digits(&checksum);
        if !self.0.join(name).exists() {
            unchanging_files::keep(&self.0, name, content)?;
        }
        Ok(checksum)
    }

    /// The content with this checksum, undamaged.
    pub(crate) fn read(&self, checksum: &str) -> Result<Vec<u8>, ServiceError> {
        let unusable = |why: &str| ServiceError::conflict(format!("the content {checksum} is {why}"));
        let is_plain = |c: char| c.is_ascii_hexdigit();
        let name = digits(checksum);
        if name.len() != 64 || !name.chars().all(is_plain) {
            return Err(unusable("named by no checksum"));
        }
        let content = std::fs::read(self.0.join(name)).map_err(|error| match error.kind() {
            ErrorKind::NotFound => unusable("missing: its file was removed from the home"),
            _ => ServiceError::Unavailable(Problem::new(format!("{name}: {error}"))),
        })?;
        match self::checksum(&content) == checksum {
            true => Ok(content),
            false => Err(unusable("damaged: its file was changed")),
        }
    }

    /// Has the contents of another run, too: a fork continues with its artifacts.
    pub(crate) fn take_over(&self, other: &Self) -> std::io::Result<()> {
        unchanging_files::take_over(&self.0, &other.0)
    }
}

/// The whole of a file that an artifact may have; `Err` is its size when it is larger.
fn read_whole(file: std::fs::File) -> std::io::Result<Result<Vec<u8>, u64>> {
    let size = file.metadata()?.len();
    if size > MAX_ARTIFACT_BYTES {
        return Ok(Err(size));
    }
    let mut content = Vec::new();
    file.take(MAX_ARTIFACT_BYTES + 1).read_to_end(&mut content)?;
    let size = u64::try_from(content.len()).unwrap_or(u64::MAX);
    Ok(if size > MAX_ARTIFACT_BYTES { Err(size) } else { Ok(content) })
}

fn checksum(content: &[u8]) -> String {
    let digits: String = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{SHA256}{digits}")
}

fn digits(checksum: &str) -> &str {
    checksum.strip_prefix(SHA256).unwrap_or(checksum)
}

/// The media type of a content: by the name of its file, else by whether it is text.
fn media_type_of(path: &Path, content: &[u8]) -> &'static str {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    amelia_core::artifact::media_type(&name).unwrap_or(match std::str::from_utf8(content) {
        Ok(_) => "text/plain",
        Err(_) => "application/octet-stream",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_kept_once_under_its_checksum_and_read_whole() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::at(directory.path());
        let contents = ArtifactContents::of(&home, RunId(uuid::Uuid::from_u128(1)));
        let sum = contents.keep(b"abc").unwrap();
        assert_eq!(sum, "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(contents.keep(b"abc").unwrap(), sum);
        assert_eq!(std::fs::read_dir(&contents.0).unwrap().count(), 1);
        assert_eq!(contents.read(&sum).unwrap(), b"abc");
        let fork = ArtifactContents::of(&home, RunId(uuid::Uuid::from_u128(2)));
        fork.take_over(&contents).unwrap();
        std::fs::write(contents.0.join(digits(&sum)), "abd").unwrap();
        assert!(contents.read(&sum).unwrap_err().to_string().contains("is damaged"));
        std::fs::remove_dir_all(&contents.0).unwrap();
        assert!(contents.read(&sum).unwrap_err().to_string().contains("is missing"));
        for name in ["../task.json", "", "sha256:", "sha256:../x"] {
            assert!(contents.read(name).unwrap_err().to_string().contains("named by no checksum"), "{name}");
        }
    }

    #[test]
    fn a_kind_of_file_follows_from_its_name_or_its_content() {
        assert_eq!(media_type_of(Path::new("a/b.md"), b"x"), "text/markdown");
        assert_eq!(media_type_of(Path::new("Makefile"), b"x"), "text/plain");
        assert_eq!(media_type_of(Path::new("core"), b"\xff\xfe"), "application/octet-stream");
    }
}
