//! The content of files that are attached to issues: in the home, each under its hash, for its owner alone.

use std::collections::HashSet;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use amelia_core::attachment::{AttachedFile, Attachment, media_type};
use amelia_core::problem::Problem;
use amelia_core::view::RunRow;
use amelia_drivers::attached_images::AttachedImages;
use amelia_orchestrator::service::{CleanupMode, UnusedAttachments};
use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};

use crate::home::Home;
use crate::unchanging_files;

/// So long a file waits for the run that it was attached to.
const NEW: Duration = Duration::from_hours(1);

/// Where they are.
#[derive(Debug, Clone)]
pub(crate) struct Attachments(PathBuf);

impl Attachments {
    pub(crate) fn of(home: &Home) -> Self {
        Self(home.path().join("attachments"))
    }

    /// Stores files. What is there already is not written again.
    pub(crate) fn keep(&self, files: &[AttachedFile]) -> Result<Vec<Attachment>> {
        files.iter().map(|file| self.keep_one(file)).collect()
    }

    fn keep_one(&self, AttachedFile { name, data }: &AttachedFile) -> Result<Attachment> {
        let hash = hash(data);
        let path = self.path(&hash);
        let unwritable = || format!("{} cannot be written", path.display());
        if std::fs::metadata(&path).is_ok_and(|found| found.len() == data.len() as u64) {
            // It is in use from now on, though no run refers to it yet.
            let touched = File::options().write(true).open(&path).and_then(|file| file.set_modified(now()));
            touched.with_context(unwritable)?;
            return Ok(described(name, data, hash));
        }
        unchanging_files::keep(&self.0, &hash, data).with_context(unwritable)?;
        Ok(described(name, data, hash))
    }

    /// Counts the files that are not used, and removes them if told to. A new one stays: its run may be about to start.
    pub(crate) fn tidy(&self, used: &HashSet<String>, how: CleanupMode) -> Result<UnusedAttachments> {
        let mut unused = UnusedAttachments::default();
        let entries = match std::fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(unused),
            Err(error) => return Err(error).with_context(|| format!("{} cannot be read", self.0.display())),
        };
        for entry in entries {
            let entry = entry?;
            let metadata = entry.metadata()?;
            let is_used = entry.file_name().to_str().is_some_and(|name| used.contains(name));
            let is_new = now().duration_since(metadata.modified()?).is_ok_and(|age| age < NEW);
            if is_used || is_new || !metadata.is_file() {
                continue;
            }
            if how == CleanupMode::Remove {
                let path = entry.path();
                std::fs::remove_file(&path)
                    .with_context(|| format!("{} cannot be removed", path.display()))?;
            }
            unused.count += 1;
            unused.bytes += metadata.len();
        }
        Ok(unused)
    }

    /// The content of one.
    pub(crate) fn read(&self, attachment: &Attachment) -> Result<Vec<u8>, Problem> {
        let gone = |why: String| {
            Problem::new(format!("the content of the attachment `{}` is gone: {why}", attachment.name))
                .with_hint(
                    "restore the directory `attachments` of the home from a backup, or start a new run",
                )
        };
        let path = self.path(&attachment.hash);
        let data = std::fs::read(&path).map_err(|error| gone(format!("{}: {error}", path.display())))?;
        if hash(&data) != attachment.hash {
            return Err(gone(format!("{} is damaged", path.display())));
        }
        Ok(data)
    }

    /// Where the images are that conversations name.
    pub(crate) fn images(&self, all: &[Attachment]) -> AttachedImages {
        let image = |file: &Attachment| (file.placeholder(), self.path(&file.hash));
        let attached = all.iter().filter(|file| file.is_image()).map(image).collect();
        AttachedImages { attached, results: None }
    }

    pub(crate) fn path(&self, hash: &str) -> PathBuf {
        // Nothing but a hash leads to a file.
        let name: String = hash.chars().filter(char::is_ascii_alphanumeric).collect();
        Path::new(&self.0).join(name)
    }
}

/// The files that were attached to the issue of a run.
pub(crate) fn attached_to(row: &RunRow) -> Vec<Attachment> {
    let given = row.run.spec.input.pointer("/wanted/attachments").cloned();
    given.and_then(|given| serde_json::from_value(given).ok()).unwrap_or_default()
}

fn described(name: &str, data: &[u8], hash: String) -> Attachment {
    Attachment {
        name: name.to_owned(),
        size: data.len() as u64,
        media_type: media_type(data).to_owned(),
        hash,
    }
}

/// By the clock of the file system.
fn now() -> SystemTime {
    SystemTime::now()
}

fn hash(data: &[u8]) -> String {
    Sha256::digest(data).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_file_is_kept_once_for_its_owner_and_read_whole() {
        let dir = tempfile::tempdir().unwrap();
        let store = Attachments::of(&Home::at(dir.path()));
        let file = |name: &str| AttachedFile { name: name.to_owned(), data: b"abc".to_vec() };
        let kept = store.keep(&[file("a.txt"), file("b.txt")]).unwrap();
        assert_eq!(kept[0].hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(
            (kept[1].name.as_str(), kept[1].size, kept[1].media_type.as_str()),
            ("b.txt", 3, "text/plain")
        );
        assert_eq!(std::fs::read_dir(&store.0).unwrap().count(), 1);
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&store.0), mode(&store.path(&kept[0].hash))), (0o700, 0o600));
        assert_eq!(store.read(&kept[0]).unwrap(), b"abc");
    }

    #[test]
    fn old_files_that_no_run_uses_are_removed_and_no_others() {
        let dir = tempfile::tempdir().unwrap();
        let store = Attachments::of(&Home::at(dir.path()));
        let none = store.tidy(&HashSet::new(), CleanupMode::Remove).unwrap();
        assert_eq!(none, UnusedAttachments::default(), "there is no directory");
        let file = |data: &[u8]| AttachedFile { name: "a.txt".to_owned(), data: data.to_vec() };
        let [used, unused, touched, _new] = store
            .keep(&[file(b"used"), file(b"unused"), file(b"again"), file(b"new")])
            .unwrap()
            .try_into()
            .unwrap();
        for kept in [&used, &unused, &touched] {
            let kept = File::options().write(true).open(store.path(&kept.hash)).unwrap();
            kept.set_modified(SystemTime::now() - NEW * 2).unwrap();
        }
        // Attached to a run that is about to start.
        store.keep(&[file(b"again")]).unwrap();
        let uses = HashSet::from([used.hash]);
        let found = UnusedAttachments { count: 1, bytes: 6 };
        assert_eq!(store.tidy(&uses, CleanupMode::Look).unwrap(), found);
        assert_eq!(std::fs::read_dir(&store.0).unwrap().count(), 4, "it only looked");
        assert_eq!(store.tidy(&uses, CleanupMode::Remove).unwrap(), found);
        assert!(!store.path(&unused.hash).exists());
        assert_eq!(std::fs::read_dir(&store.0).unwrap().count(), 3);
    }

    #[test]
    fn content_that_is_damaged_or_gone_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let store = Attachments::of(&Home::at(dir.path()));
        let kept = store.keep(&[AttachedFile { name: "a.txt".to_owned(), data: b"abc".to_vec() }]).unwrap();
        std::fs::write(store.path(&kept[0].hash), "abd").unwrap();
        assert!(store.read(&kept[0]).unwrap_err().to_text().contains("is damaged"));
        std::fs::remove_file(store.path(&kept[0].hash)).unwrap();
        assert!(store.read(&kept[0]).unwrap_err().to_text().contains("`a.txt` is gone"));
    }

    #[test]
    fn nothing_but_a_hash_leads_to_a_file() {
        let store = Attachments(PathBuf::from("/home/attachments"));
        assert_eq!(store.path("../../etc/passwd"), Path::new("/home/attachments/etcpasswd"));
    }
}
