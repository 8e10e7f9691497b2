//! The artifacts of a run, for people: listed from its log, read from the home.

use amelia_core::artifact::{ArtifactIndex, ArtifactPath, ArtifactVersion, NewArtifact};
use amelia_core::event::ArtifactEvent;
use amelia_core::view::RunRow;
use amelia_orchestrator::artifact_service::{ArtifactService, ContentDiff};
use amelia_orchestrator::service::ServiceError;
use amelia_tools::{Root, line_diff};
use async_trait::async_trait;

use super::{LocalRunService, unavailable};
use crate::artifacts::ArtifactContents;
use crate::workspaces;

/// Longer texts are not compared.
const MAX_COMPARED_BYTES: usize = 2 * 1024 * 1024;
/// Who restores, as versions name them.
const PERSON: &str = "user";

#[async_trait]
impl ArtifactService for LocalRunService {
    async fn artifacts(&self, row: &RunRow) -> Result<ArtifactIndex, ServiceError> {
        let folded = self.folded_logs.of(&*self.store, row.run.id).await.map_err(unavailable)?;
        Ok(folded.index.clone())
    }

    async fn content(&self, row: &RunRow, version: &ArtifactVersion) -> Result<Vec<u8>, ServiceError> {
        let (contents, checksum) =
            (ArtifactContents::of(&self.home, row.run.id), version.checksum().to_owned());
        tokio::task::spawn_blocking(move || contents.read(&checksum)).await.map_err(unavailable)?
    }

    async fn diff(
        &self,
        row: &RunRow,
        path: &ArtifactPath,
        from: &ArtifactVersion,
        to: &ArtifactVersion,
    ) -> Result<ContentDiff, ServiceError> {
        let (before, after) = (self.content(row, from).await?, self.content(row, to).await?);
        let name = path.to_string();
        tokio::task::spawn_blocking(move || compared(&name, before, after)).await.map_err(unavailable)
    }

    async fn restored(
        &self,
        row: &RunRow,
        path: &ArtifactPath,
        version: &ArtifactVersion,
    ) -> Result<Vec<ArtifactEvent>, ServiceError> {
        // What cannot be read must not become the newest version.
        let content = self.content(row, version).await?;
        let artifact = &version.artifact;
        let new = NewArtifact {
            media_type: artifact.mime_type.clone(),
            checksum: version.checksum().to_owned(),
            size_bytes: version.size_bytes(),
            description: artifact.description.clone(),
            tags: artifact.tags.clone(),
            created_by: Some(PERSON.to_owned()),
            reason: Some(format!("restored {}", version.name())),
            file: version.file().map(str::to_owned),
            ..NewArtifact::default()
        };
        let events = self.artifacts(row).await?.write(path, new).map_err(ServiceError::conflict)?;
        let workspace = workspaces::of(&self.home, row).filter(|root| !events.is_empty() && root.is_dir());
        if let Some((root, file)) = workspace.zip(version.file()) {
            let (root, file) = (root.to_owned(), file.to_owned());
            let written = tokio::task::spawn_blocking(move || {
                let root = Root::open(root).map_err(|error| error.to_string())?;
                root.write(&file, &content).map_err(|error| error.to_string())
            });
            written.await.map_err(unavailable)?.map_err(ServiceError::conflict)?;
        }
        Ok(events)
    }
}

fn compared(name: &str, before: Vec<u8>, after: Vec<u8>) -> ContentDiff {
    if before == after {
        return ContentDiff::Text(String::new());
    }
    let (Ok(before), Ok(after)) = (String::from_utf8(before), String::from_utf8(after)) else {
        return ContentDiff::Binary;
    };
    match before.len().max(after.len()) > MAX_COMPARED_BYTES {
        true => ContentDiff::TooLong,
        false => ContentDiff::Text(line_diff::unified(name, &before, &after)),
    }
}
