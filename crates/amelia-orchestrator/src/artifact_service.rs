//! The artifacts of a run, for people who look at them: the port through which server and command line reach their content.

use amelia_core::artifact::{ArtifactIndex, ArtifactPath, ArtifactVersion};
use amelia_core::event::ArtifactEvent;
use amelia_core::view::RunRow;
use async_trait::async_trait;

use crate::service_error::ServiceError;

/// What two versions of an artifact differ in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContentDiff {
    /// A unified diff; empty when they are the same.
    Text(String),
    /// One of them is no text.
    Binary,
    /// Longer than is compared.
    TooLong,
}

/// The port.
#[async_trait]
pub trait ArtifactService: Send + Sync {
    /// The artifacts that the log of a run tells of.
    async fn artifacts(&self, row: &RunRow) -> Result<ArtifactIndex, ServiceError>;

    /// The content of a version, whole and undamaged.
    async fn content(&self, row: &RunRow, version: &ArtifactVersion) -> Result<Vec<u8>, ServiceError>;

    async fn diff(
        &self,
        row: &RunRow,
        path: &ArtifactPath,
        from: &ArtifactVersion,
        to: &ArtifactVersion,
    ) -> Result<ContentDiff, ServiceError>;

    /// The facts that make a version with the content of an earlier one; none when the newest one has it. They are written by
    /// the caller.
    async fn restored(
        &self,
        row: &RunRow,
        path: &ArtifactPath,
        version: &ArtifactVersion,
    ) -> Result<Vec<ArtifactEvent>, ServiceError>;
}
