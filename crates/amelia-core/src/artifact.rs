//! Artifacts: files that a run has made, with every version of each. The list is a fold of the log; content is kept
//! elsewhere, by its checksum. Pure.

mod media_type;
mod path;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::event::ArtifactEvent;
use crate::id::Seq;
use crate::message::Artifact;
use crate::object::Object;
use crate::problem::Problem;

pub use media_type::{directory, media_type};
pub use path::{ARTIFACTS_URI, ArtifactPath};

/// The most bytes of one artifact.
pub const MAX_ARTIFACT_BYTES: u64 = 100 * MB;
/// The most bytes of all versions of all artifacts of a run; the same content counts once.
pub const MAX_RUN_ARTIFACT_BYTES: u64 = 1024 * MB;
const MB: u64 = 1024 * 1024;
/// The most artifacts of a run.
const MAX_ARTIFACTS: usize = 10_000;

/// In the metadata: why a version was made.
const REASON: &str = "reason";
/// In the metadata: the version that its writer had not seen.
const CONFLICTS_WITH: &str = "conflicts_with";
/// In the metadata: the file in the directory of the run, when it was made there.
const FILE: &str = "file";

/// All artifacts of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ArtifactIndex {
    files: BTreeMap<ArtifactPath, StoredArtifact>,
    checksums: BTreeSet<String>,
    bytes: u64,
}

/// One artifact with its versions, oldest first. There is at least one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StoredArtifact {
    pub versions: Vec<ArtifactVersion>,
    /// Its file was removed. Its versions are kept.
    pub is_deleted: bool,
}

/// An artifact as it was since some moment.
#[derive(Debug, Clone, PartialEq)]
pub struct ArtifactVersion {
    /// From 1.
    pub number: u32,
    pub artifact: Artifact,
    pub at: Timestamp,
    /// The event that made it; none for one that is not written yet.
    pub seq: Option<Seq>,
}

/// A version that is to be made.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewArtifact {
    pub media_type: String,
    pub checksum: String,
    pub size_bytes: u64,
    pub description: Option<String>,
    pub tags: Vec<String>,
    pub created_by: Option<String>,
    pub reason: Option<String>,
    /// Lines that come and go, if it is text.
    pub lines: Option<(usize, usize)>,
    pub file: Option<String>,
    /// The newest version that the writer has seen; `None` if it need not know any.
    pub seen: Option<u32>,
}

impl ArtifactIndex {
    /// The artifacts that are there, by path.
    pub fn files(&self) -> impl Iterator<Item = (&ArtifactPath, &StoredArtifact)> {
        self.files.iter().filter(|(_, stored)| !stored.is_deleted)
    }

    /// Those too whose file was removed.
    pub fn with_deleted(&self) -> impl Iterator<Item = (&ArtifactPath, &StoredArtifact)> {
        self.files.iter()
    }

    /// The artifact at exactly this path, also a removed one.
    #[must_use]
    pub fn get(&self, path: &ArtifactPath) -> Option<&StoredArtifact> {
        self.files.get(path)
    }

    /// The artifact that a text names: by its path or address, or by its file name alone if only one has it.
    pub fn find(&self, given: &str) -> Result<(&ArtifactPath, &StoredArtifact), Problem> {
        let path = ArtifactPath::parse(given)?;
        if let Some(found) = self.files.get_key_value(&path) {
            return Ok(found);
        }
        let named: Vec<_> = self.files().filter(|(known, _)| known.name() == path.as_str()).collect();
        match named.as_slice() {
            [one] => Ok(*one),
            [] => Err(Problem::new(format!("there is no artifact `{path}`"))),
            several => {
                let paths: Vec<String> = several.iter().map(|(path, _)| format!("`{path}`")).collect();
                Err(Problem::new(format!("`{path}` could be {}", paths.join(" or "))))
            }
        }
    }

    /// The artifact that was made from a file of the run's directory.
    #[must_use]
    pub fn of_file(&self, file: &str) -> Option<&ArtifactPath> {
        let is_it = |(_, stored): &(&ArtifactPath, &StoredArtifact)| {
            stored.newest().is_some_and(|newest| newest.file() == Some(file))
        };
        self.files.iter().find(is_it).map(|(path, _)| path)
    }

    /// The facts that make a version; none when the newest one has this content. Refused beyond the limits.
    pub fn write(&self, path: &ArtifactPath, new: NewArtifact) -> Result<Vec<ArtifactEvent>, Problem> {
        let stored = self.files.get(path);
        let newest = stored.and_then(StoredArtifact::newest);
        let is_same = |newest: &ArtifactVersion| newest.artifact.checksum.as_ref() == Some(&new.checksum);
        if stored.is_some_and(|stored| !stored.is_deleted) && newest.is_some_and(is_same) {
            return Ok(Vec::new());
        }
        self.check(path, new.size_bytes)?;
        let more = if self.checksums.contains(&new.checksum) { 0 } else { new.size_bytes };
        if self.bytes.saturating_add(more) > MAX_RUN_ARTIFACT_BYTES {
            let message = format!(
                "`{path}` is too large: all versions of all artifacts of a run can have at most {} MB together",
                MAX_RUN_ARTIFACT_BYTES / MB
            );
            return Err(Problem::new(message));
        }
        let is_unseen = |newest: &&ArtifactVersion| new.seen.is_some_and(|seen| seen < newest.number);
        let conflict = newest.filter(is_unseen).map(|newest| newest.number);
        let before = newest.map(|newest| &newest.artifact);
        let number = newest.map_or(1, |newest| newest.number.saturating_add(1));
        let (reason, size, lines) = (new.reason.clone(), new.size_bytes, new.lines);
        let artifact =
            Artifact { version: Some(version_name(number)), ..new.artifact(path, conflict, before) };
        let Some(newest) = newest else { return Ok(vec![ArtifactEvent::Created(artifact)]) };
        let mut changes = Object::from_iter([("bytes".to_owned(), size.into())]);
        if let Some((added, removed)) = lines {
            changes.insert("added".to_owned(), added.into());
            changes.insert("removed".to_owned(), removed.into());
        }
        let (uri, version) = (path.uri(), version_name(number));
        let reason = reason.unwrap_or_else(|| match conflict {
            Some(other) => format!("conflicts with {}", version_name(other)),
            None => "changed".to_owned(),
        });
        let versioned = ArtifactEvent::Versioned {
            uri: uri.clone(),
            old: version_name(newest.number),
            new: version.clone(),
            reason,
        };
        Ok(vec![
            ArtifactEvent::Modified { uri, version, changes, artifact: Some(Box::new(artifact)) },
            versioned,
        ])
    }

    /// Refuses what can be no artifact at this path, with any content.
    pub fn check(&self, path: &ArtifactPath, size_bytes: u64) -> Result<(), Problem> {
        if size_bytes > MAX_ARTIFACT_BYTES {
            return Err(too_large(path, size_bytes));
        }
        if !self.files.contains_key(path) && self.files.len() >= MAX_ARTIFACTS {
            return Err(Problem::new(format!("a run has at most {MAX_ARTIFACTS} artifacts")));
        }
        let is_file = |above: &ArtifactPath| self.files.get(above).is_some_and(|stored| !stored.is_deleted);
        if let Some(above) = path.directories().find(is_file) {
            return Err(Problem::new(format!("`{above}` is an artifact, not a directory")));
        }
        match self.files().any(|(other, _)| other.directories().any(|above| above == *path)) {
            true => Err(Problem::new(format!("`{path}` is a directory with artifacts"))),
            false => Ok(()),
        }
    }

    /// Takes a fact. Facts about files of a worktree are not about artifacts.
    pub fn apply(&mut self, event: &ArtifactEvent, at: Timestamp, seq: Option<Seq>) {
        match event {
            ArtifactEvent::Created(artifact) => self.add(artifact, at, seq),
            ArtifactEvent::Modified { artifact: Some(artifact), .. } => self.add(artifact, at, seq),
            ArtifactEvent::Deleted { uri } => {
                let stored = ArtifactPath::of_uri(uri).and_then(|path| self.files.get_mut(&path));
                if let Some(stored) = stored {
                    stored.is_deleted = true;
                }
            }
            ArtifactEvent::Modified { artifact: None, .. } | ArtifactEvent::Versioned { .. } => {}
        }
    }

    /// Two may have written the same version, one in the run and one from outside: both are kept.
    fn add(&mut self, artifact: &Artifact, at: Timestamp, seq: Option<Seq>) {
        let (Some(path), Some(checksum)) = (ArtifactPath::of_uri(&artifact.uri), &artifact.checksum) else {
            return;
        };
        if self.checksums.insert(checksum.clone()) {
            self.bytes = self.bytes.saturating_add(artifact.size_bytes.unwrap_or_default());
        }
        let stored = self.files.entry(path).or_default();
        stored.is_deleted = false;
        let last = stored.newest().map_or(0, |newest| newest.number);
        let mut artifact = artifact.clone();
        let meant = artifact.version.as_deref().and_then(version_number).unwrap_or_default();
        if meant <= last {
            artifact.metadata.insert(CONFLICTS_WITH.to_owned(), version_name(meant.max(1)).into());
        }
        let number = last.saturating_add(1);
        artifact.version = Some(version_name(number));
        stored.versions.push(ArtifactVersion { number, artifact, at, seq });
    }
}

impl NewArtifact {
    /// What is not said is as before.
    fn artifact(self, path: &ArtifactPath, conflict: Option<u32>, before: Option<&Artifact>) -> Artifact {
        let mut metadata = Object::new();
        let mut set = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                metadata.insert(name.to_owned(), value.into());
            }
        };
        set(REASON, self.reason);
        set(CONFLICTS_WITH, conflict.map(version_name));
        set(FILE, self.file);
        let tags = match (self.tags.is_empty(), before) {
            (true, Some(before)) => before.tags.clone(),
            _ => self.tags,
        };
        Artifact {
            uri: path.uri(),
            mime_type: self.media_type,
            size_bytes: Some(self.size_bytes),
            description: self.description.or_else(|| before.and_then(|before| before.description.clone())),
            version: None,
            checksum: Some(self.checksum),
            metadata,
            created_by: self.created_by,
            tags,
        }
    }
}

impl StoredArtifact {
    #[must_use]
    pub fn newest(&self) -> Option<&ArtifactVersion> {
        self.versions.last()
    }

    /// The version of this name, `v2` or `2`; the newest one if there is no name.
    pub fn version(&self, name: Option<&str>) -> Result<&ArtifactVersion, Problem> {
        let number = name.map(version_number);
        let found = match number {
            None => self.newest(),
            Some(number) => self.versions.iter().find(|version| Some(version.number) == number),
        };
        let known = self.newest().map_or(0, |newest| newest.number);
        found.ok_or_else(|| {
            let message = format!("there is no version `{}`", name.unwrap_or_default());
            Problem::new(message).with_hint(format!("there are v1 to v{known}"))
        })
    }
}

impl ArtifactVersion {
    #[must_use]
    pub fn name(&self) -> String {
        version_name(self.number)
    }

    #[must_use]
    pub fn checksum(&self) -> &str {
        self.artifact.checksum.as_deref().unwrap_or_default()
    }

    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.artifact.size_bytes.unwrap_or_default()
    }

    /// Why it was made, as far as its writer said.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.artifact.metadata.get(REASON)?.as_str()
    }

    /// The version that its writer had not seen.
    #[must_use]
    pub fn conflicts_with(&self) -> Option<&str> {
        self.artifact.metadata.get(CONFLICTS_WITH)?.as_str()
    }

    /// The file in the directory of the run, when it was made there.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        self.artifact.metadata.get(FILE)?.as_str()
    }
}

/// What is said of an artifact that is larger than one may be.
#[must_use]
pub fn too_large(path: &ArtifactPath, bytes: u64) -> Problem {
    let (limit, size) = (MAX_ARTIFACT_BYTES / MB, bytes.div_ceil(MB));
    Problem::new(format!("`{path}` has {size} MB, but an artifact can have at most {limit} MB"))
}

fn version_name(number: u32) -> String {
    format!("v{number}")
}

fn version_number(name: &str) -> Option<u32> {
    name.strip_prefix(['v', 'V']).unwrap_or(name).parse().ok().filter(|number| *number > 0)
}

#[cfg(test)]
#[path = "artifact_tests.rs"]
mod tests;
