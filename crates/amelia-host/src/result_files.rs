//! Images, audio and resources that tools of MCP servers returned in a run: files below `tasks/ID/results` in the home, for
//! their owner alone. A file has its checksum as its name, so that the same one is kept once, and goes with its run.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use amelia_core::id::RunId;
use amelia_core::redact::Redactor;
use amelia_core::tool::{KeepFile, ResultFile};
use amelia_orchestrator::service::ServiceError;
use amelia_wire::maf::files;
use sha2::{Digest as _, Sha256};

use crate::home::Home;
use crate::unchanging_files;

/// The most bytes of one file.
const MAX_FILE_BYTES: usize = 10 * MB;
/// The most bytes of all files of a run.
const MAX_RUN_BYTES: usize = 200 * MB;
const MB: usize = 1024 * 1024;
/// Digits of the SHA-256 of the content that make a name.
const CHECKSUM_DIGITS: usize = 32;

/// The files of one run.
#[derive(Debug, Clone)]
pub(crate) struct ResultFiles(PathBuf);

impl ResultFiles {
    pub(crate) fn of(home: &Home, run: RunId) -> Self {
        Self(home.path().join(files::task_dir(run)).join("results"))
    }

    /// Where they are.
    pub(crate) fn directory(&self) -> &Path {
        &self.0
    }

    /// Has the files of another run, too: a fork continues its conversations, which name them.
    pub(crate) fn take_over(&self, other: &Self) -> std::io::Result<()> {
        unchanging_files::take_over(&self.0, &other.0)
    }

    /// What keeps the files of calls. Text is kept without secrets.
    pub(crate) fn keeper(self, redactor: Arc<Redactor>) -> KeepFile {
        Arc::new(move |file| match std::str::from_utf8(file.data) {
            Ok(text) => self.keep(ResultFile { data: redactor.text(text).as_bytes(), ..file }),
            Err(_) => self.keep(file),
        })
    }

    fn keep(&self, file: ResultFile<'_>) -> Result<String, String> {
        let ResultFile { media_type, data } = file;
        if data.len() > MAX_FILE_BYTES {
            return Err(format!("it is larger than {} MB", MAX_FILE_BYTES / MB));
        }
        let name = format!("{}.{}", checksum(data), extension(media_type));
        if self.0.join(&name).exists() {
            return Ok(name);
        }
        if self.bytes() + data.len() > MAX_RUN_BYTES {
            return Err(format!(
                "the files of this run have reached their limit of {} MB",
                MAX_RUN_BYTES / MB
            ));
        }
        let kept = unchanging_files::keep(&self.0, &name, data);
        kept.map(|()| name).map_err(|error| format!("it cannot be written: {error}"))
    }

    fn bytes(&self) -> usize {
        let entries = std::fs::read_dir(&self.0).into_iter().flatten().flatten();
        let sizes = entries.filter_map(|entry| usize::try_from(entry.metadata().ok()?.len()).ok());
        sizes.sum()
    }

    /// A file by its name.
    pub(crate) fn read(&self, name: &str) -> Result<Vec<u8>, ServiceError> {
        let missing = || ServiceError::not_found(format!("the run has no result file `{name}`"));
        let is_plain = |c: char| c.is_ascii_alphanumeric();
        let (sum, ending) = name.split_once('.').ok_or_else(missing)?;
        if sum.is_empty() || ending.is_empty() || !sum.chars().chain(ending.chars()).all(is_plain) {
            return Err(missing());
        }
        let data = std::fs::read(self.0.join(name)).map_err(|error| match error.kind() {
            ErrorKind::NotFound => missing(),
            _ => ServiceError::Unavailable(amelia_core::problem::Problem::new(format!("{name}: {error}"))),
        })?;
        match checksum(&data) == sum {
            true => Ok(data),
            false => Err(ServiceError::conflict(format!("the result file `{name}` is damaged"))),
        }
    }
}

fn checksum(data: &[u8]) -> String {
    let digits: String = Sha256::digest(data).iter().map(|byte| format!("{byte:02x}")).collect();
    digits.chars().take(CHECKSUM_DIGITS).collect()
}

/// The usual ending of a kind of file. What a server says never becomes a part of a name.
fn extension(media_type: &str) -> &'static str {
    match media_type.split(';').next().unwrap_or_default().trim() {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "image/svg+xml" => "svg",
        "audio/wav" | "audio/x-wav" => "wav",
        "audio/mpeg" => "mp3",
        "audio/ogg" => "ogg",
        "application/pdf" => "pdf",
        "application/json" => "json",
        "text/html" => "html",
        "text/csv" => "csv",
        "text/markdown" => "md",
        kind if kind.starts_with("text/") => "txt",
        _ => "bin",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(directory: &tempfile::TempDir) -> ResultFiles {
        ResultFiles::of(&Home::at(directory.path()), RunId(uuid::Uuid::from_u128(1)))
    }

    #[test]
    fn a_file_is_kept_once_under_its_checksum_and_read_whole() {
        let directory = tempfile::tempdir().unwrap();
        let files = files(&directory);
        let file = ResultFile { media_type: "image/png", data: b"abc" };
        let name = files.keep(file).unwrap();
        assert_eq!(name, "ba7816bf8f01cfea414140de5dae2223.png");
        assert_eq!(files.keep(file).unwrap(), name);
        assert_eq!(std::fs::read_dir(&files.0).unwrap().count(), 1);
        assert_eq!(files.read(&name).unwrap(), b"abc");
        std::fs::write(files.0.join(&name), "abd").unwrap();
        assert!(files.read(&name).unwrap_err().to_string().contains("is damaged"));
    }

    #[test]
    fn a_fork_has_the_files_of_its_origin() {
        let directory = tempfile::tempdir().unwrap();
        let origin = files(&directory);
        let fork = ResultFiles::of(&Home::at(directory.path()), RunId(uuid::Uuid::from_u128(2)));
        fork.take_over(&origin).unwrap();
        assert!(!fork.0.exists(), "there is nothing to take over");
        let name = origin.keep(ResultFile { media_type: "image/png", data: b"abc" }).unwrap();
        fork.take_over(&origin).unwrap();
        std::fs::remove_dir_all(&origin.0).unwrap();
        assert_eq!(fork.read(&name).unwrap(), b"abc");
    }

    #[test]
    fn text_is_kept_without_secrets() {
        let directory = tempfile::tempdir().unwrap();
        let files = files(&directory);
        let secret = amelia_core::config::secret::Secret::new("sk-sample-0123456789abcdef");
        let keep = files.clone().keeper(Arc::new(Redactor::new([secret])));
        let text = ResultFile { media_type: "text/plain", data: b"key: sk-sample-0123456789abcdef" };
        let kept = files.read(&keep(text).unwrap()).unwrap();
        assert!(kept.starts_with(b"key: ") && !kept.windows(9).any(|nine| nine == b"sk-sample"), "{kept:?}");
    }

    #[test]
    fn what_a_server_says_leads_nowhere_else_and_large_files_are_not_kept() {
        let directory = tempfile::tempdir().unwrap();
        let files = files(&directory);
        let name = files.keep(ResultFile { media_type: "../../x/y", data: b"abc" }).unwrap();
        assert_eq!(name, "ba7816bf8f01cfea414140de5dae2223.bin");
        for name in ["../task.json", "a/b.png", ".png", "a.", "a", "", "a.b.c", "..", "a.png/"] {
            assert!(matches!(files.read(name), Err(ServiceError::NotFound(_))), "{name}");
        }
        let large = vec![0; MAX_FILE_BYTES + 1];
        let refused = files.keep(ResultFile { media_type: "image/png", data: &large }).unwrap_err();
        assert_eq!(refused, "it is larger than 10 MB");
    }
}
