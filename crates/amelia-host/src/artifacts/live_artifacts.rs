//! The artifacts of a run at work, for one of its agents: content is kept first, then a version is made of it.

use std::sync::Arc;

use amelia_core::artifact::{ArtifactIndex, ArtifactPath, NewArtifact, too_large};
use amelia_core::id::Step;
use amelia_core::problem::Problem;
use amelia_core::redact::Redactor;
use amelia_tools::{Root, line_diff};
use parking_lot::Mutex;

use super::book::{ArtifactBook, ArtifactWriter, WrittenArtifact};
use super::{ArtifactContents, read_whole};
use crate::run_tools::MadeEvents;

/// Longer texts are not compared line by line.
const MAX_COMPARED_BYTES: usize = 1024 * 1024;

/// The artifacts of a run at work, for one of its agents.
pub(crate) struct LiveArtifacts {
    pub(super) shared: SharedArtifacts,
    pub(super) agent: String,
    /// Whether the agent has other tools that write.
    pub(super) has_writers: bool,
    pub(super) step: Mutex<Option<Step>>,
    pub(super) made: MadeEvents,
}

/// What the artifacts of all agents of a run have in common.
#[derive(Clone)]
pub(crate) struct SharedArtifacts {
    pub(crate) book: Arc<ArtifactBook>,
    pub(crate) contents: ArtifactContents,
    pub(crate) redactor: Arc<Redactor>,
    /// The directory that the agents work in.
    pub(crate) root: Option<Arc<Root>>,
    /// Whether what is written there becomes artifacts.
    pub(crate) keeps_files: bool,
}

impl LiveArtifacts {
    pub(super) fn writer(&self) -> ArtifactWriter {
        ArtifactWriter { agent: self.agent.clone(), step: *self.step.lock() }
    }

    pub(super) async fn index(&self) -> Result<ArtifactIndex, Problem> {
        self.shared.book.index().await.map_err(|error| Problem::parse(&error.to_string()))
    }

    /// Makes a version with this content, which is on the disk then.
    pub(super) async fn keep(
        &self,
        writer: &ArtifactWriter,
        path: &ArtifactPath,
        content: Vec<u8>,
        new: NewArtifact,
    ) -> Result<WrittenArtifact, Problem> {
        let content = match std::str::from_utf8(&content) {
            Ok(text) => self.shared.redactor.text(text).into_owned().into_bytes(),
            Err(_) => content,
        };
        let size_bytes = u64::try_from(content.len()).unwrap_or(u64::MAX);
        let before = self.index().await?;
        // Before anything is written: what is refused leaves nothing on the disk.
        before.check(path, size_bytes)?;
        let newest =
            before.get(path).and_then(|stored| stored.newest()).map(|newest| newest.checksum().to_owned());
        let contents = self.shared.contents.clone();
        let kept = tokio::task::spawn_blocking(move || {
            let checksum = contents.keep(&content)?;
            let before = newest.filter(|newest| *newest != checksum).and_then(|sum| contents.read(&sum).ok());
            let lines = before.and_then(|before| changed_lines(&before, &content));
            std::io::Result::Ok((checksum, lines))
        });
        let unwritable = |error: std::io::Error| Problem::new(format!("`{path}` cannot be kept: {error}"));
        let kept = kept.await.unwrap_or_else(|error| Err(std::io::Error::other(error)));
        let (checksum, lines) = kept.map_err(unwritable)?;
        let new = NewArtifact { checksum, size_bytes, lines, ..new };
        let written = self.shared.book.write(writer, path, new).await;
        written.map_err(|error| Problem::parse(&error.to_string()))?
    }

    /// A file of the directory that the agent works in.
    pub(super) async fn file(&self, file: &str) -> Result<Vec<u8>, Problem> {
        let Some(root) = self.shared.root.clone() else {
            return Err(Problem::new("there are no files here: give content instead of from_file"));
        };
        let name = file.to_owned();
        let read = tokio::task::spawn_blocking(move || {
            let opened = root.file(&name).map_err(|error| error.to_string())?;
            read_whole(opened).map_err(|error| format!("`{name}`: {error}"))
        });
        let read = read.await.map_err(|error| Problem::new(error.to_string()))?;
        match read.map_err(Problem::new)? {
            Ok(content) => Ok(content),
            Err(bytes) => Err(too_large(&ArtifactPath::parse(file)?, bytes)),
        }
    }
}

/// How many lines come and go, if both are text that is compared.
fn changed_lines(before: &[u8], after: &[u8]) -> Option<(usize, usize)> {
    if before.len().max(after.len()) > MAX_COMPARED_BYTES {
        return None;
    }
    let (before, after) = (std::str::from_utf8(before).ok()?, std::str::from_utf8(after).ok()?);
    Some(line_diff::changed_lines(before, after))
}
