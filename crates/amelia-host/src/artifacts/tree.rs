//! Artifacts as files that people open: the newest version under its path, earlier ones in `.versions/<name>/vN` beside it,
//! and what is known of them in a `.metadata.json` per directory. Made from the log and the contents, at any time again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use amelia_core::artifact::{ArtifactPath, StoredArtifact};
use amelia_tools::Root;
use amelia_wire::agentx::workspace::{ARTIFACTS, METADATA, VERSIONS};
use amelia_wire::rest::artifact::{ArtifactShown, ArtifactVersionShown};
use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

/// The directory `artifacts` of a task.
#[derive(Debug)]
pub struct ArtifactTree {
    root: Root,
}

/// An artifact with its versions, as the files tell it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArtifactRecord {
    #[serde(flatten)]
    pub artifact: ArtifactShown,
    pub history: Vec<ArtifactVersionShown>,
    /// Its file was removed; its versions are there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_deleted: bool,
}

/// What a directory says of its files.
type Metadata = BTreeMap<String, ArtifactRecord>;

impl ArtifactRecord {
    /// `None` for an artifact without versions, which there is not.
    #[must_use]
    pub fn new(path: &ArtifactPath, stored: &StoredArtifact) -> Option<Self> {
        let history = stored.versions.iter().map(ArtifactVersionShown::from).collect();
        Some(Self { artifact: ArtifactShown::new(path, stored)?, history, is_deleted: stored.is_deleted })
    }
}

impl ArtifactTree {
    /// Below the directory of a task.
    pub fn open(task: &std::path::Path) -> Result<Self> {
        let path: PathBuf = task.join(ARTIFACTS);
        std::fs::create_dir_all(&path)?;
        let root = Root::open(&path).with_context(|| format!("{} cannot be used", path.display()))?;
        Ok(Self { root })
    }

    /// Writes what is not there yet. Returns how many files were written.
    pub fn write(
        &self,
        records: &[ArtifactRecord],
        mut content: impl FnMut(&ArtifactRecord, &ArtifactVersionShown) -> Result<Vec<u8>>,
    ) -> Result<usize> {
        let mut directories: BTreeMap<String, Metadata> = BTreeMap::new();
        for record in records {
            let path = path_of(record)?;
            let parent = path.parent().to_owned();
            directories.entry(parent).or_default().insert(path.name().to_owned(), record.clone());
        }
        let mut written = 0;
        for (parent, records) in &directories {
            let known = self.metadata(parent);
            for (name, record) in records {
                if known.get(name) != Some(record) {
                    written += self.write_artifact(parent, name, record, known.get(name), &mut content)?;
                }
            }
            if known != *records {
                // Last: what is not named here is written again.
                let text = serde_json::to_string_pretty(records)?;
                self.root.write(&inside(parent, METADATA), text.as_bytes())?;
                written += 1;
            }
        }
        Ok(written)
    }

    fn write_artifact(
        &self,
        parent: &str,
        name: &str,
        record: &ArtifactRecord,
        known: Option<&ArtifactRecord>,
        content: &mut impl FnMut(&ArtifactRecord, &ArtifactVersionShown) -> Result<Vec<u8>>,
    ) -> Result<usize> {
        let old: BTreeSet<&str> = known.iter().flat_map(|known| earlier(known)).collect();
        let mut written = 0;
        for version in &record.history {
            let is_newest = version.version == record.artifact.version && !record.is_deleted;
            if old.contains(version.version.as_str()) {
                continue;
            }
            let bytes = content(record, version)?;
            let file = match is_newest {
                true => inside(parent, name),
                false => inside(parent, &format!("{VERSIONS}/{name}/{}", version.version)),
            };
            self.root.write(&file, &bytes)?;
            written += 1;
        }
        let file = inside(parent, name);
        if record.is_deleted && self.root.exists(&file).unwrap_or_default() {
            self.root.remove(&file)?;
        }
        Ok(written)
    }

    /// What a directory says of its files; nothing if that cannot be read.
    fn metadata(&self, parent: &str) -> Metadata {
        let read = || {
            let file = self.root.file(&inside(parent, METADATA)).ok()?;
            serde_json::from_reader(std::io::BufReader::new(file)).ok()
        };
        read().unwrap_or_default()
    }
}

/// The versions that lie beside a file.
fn earlier(record: &ArtifactRecord) -> impl Iterator<Item = &str> {
    let newest = (!record.is_deleted).then_some(record.artifact.version.as_str());
    record.history.iter().map(|version| version.version.as_str()).filter(move |one| Some(*one) != newest)
}

/// A record may come from another program: its path is looked at again.
fn path_of(record: &ArtifactRecord) -> Result<ArtifactPath> {
    ArtifactPath::parse(&record.artifact.path).map_err(|problem| anyhow::anyhow!("{problem}"))
}

fn inside(parent: &str, name: &str) -> String {
    if parent.is_empty() { name.to_owned() } else { format!("{parent}/{name}") }
}

#[cfg(test)]
mod tests {
    use amelia_core::artifact::{ArtifactIndex, NewArtifact};
    use amelia_core::event::ArtifactEvent;
    use jiff::Timestamp;

    use super::*;

    fn records(index: &ArtifactIndex) -> Vec<ArtifactRecord> {
        index.with_deleted().filter_map(|(path, stored)| ArtifactRecord::new(path, stored)).collect()
    }

    fn add(index: &mut ArtifactIndex, path: &str, content: &str) {
        let checksum = content.to_owned();
        let new = NewArtifact { media_type: "text/markdown".into(), checksum, ..NewArtifact::default() };
        for event in index.write(&ArtifactPath::parse(path).unwrap(), new).unwrap() {
            index.apply(&event, Timestamp::UNIX_EPOCH, None);
        }
    }

    #[test]
    fn the_newest_version_has_the_path_and_earlier_ones_lie_beside_it() {
        let task = tempfile::tempdir().unwrap();
        let tree = ArtifactTree::open(task.path()).unwrap();
        let read = |file: &str| std::fs::read_to_string(task.path().join("artifacts").join(file)).ok();
        let write = |index: &ArtifactIndex| {
            tree.write(&records(index), |_, version| Ok(version.checksum.clone().into_bytes())).unwrap()
        };
        let mut index = ArtifactIndex::default();
        add(&mut index, "documents/a.md", "one");
        assert_eq!((write(&index), write(&index)), (2, 0), "what is there is not written again");
        add(&mut index, "documents/a.md", "two");
        add(&mut index, "top.md", "three");
        write(&index);
        assert_eq!(read("documents/a.md").unwrap(), "two");
        assert_eq!(read("documents/.versions/a.md/v1").unwrap(), "one");
        assert_eq!(read("top.md").unwrap(), "three");
        let told: serde_json::Value =
            serde_json::from_str(&read("documents/.metadata.json").unwrap()).unwrap();
        assert_eq!(told["a.md"]["version"], "v2");
        assert_eq!(told["a.md"]["history"][0]["checksum"], "one");
        let gone = ArtifactEvent::Deleted { uri: "file://artifacts/top.md".to_owned() };
        index.apply(&gone, Timestamp::UNIX_EPOCH, None);
        write(&index);
        assert_eq!((read("top.md"), read(".versions/top.md/v1").unwrap()), (None, "three".to_owned()));
    }

    #[test]
    fn nothing_is_written_through_a_link_that_leads_elsewhere() {
        let (task, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let tree = ArtifactTree::open(task.path()).unwrap();
        std::os::unix::fs::symlink(other.path(), task.path().join("artifacts/documents")).unwrap();
        let mut index = ArtifactIndex::default();
        add(&mut index, "documents/a.md", "one");
        assert!(tree.write(&records(&index), |_, _| Ok(Vec::new())).is_err());
        assert_eq!(std::fs::read_dir(other.path()).unwrap().count(), 0);
    }
}
