//! Artifacts of a run: files with versions.

use amelia_core::artifact::{ArtifactPath, ArtifactVersion, StoredArtifact};
use amelia_core::object::Object;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Limit, Place};

/// Which artifacts.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ArtifactsQuery {
    /// Only artifacts with this tag.
    pub tag: Option<String>,
    /// Only artifacts whose path begins with this.
    pub prefix: Option<String>,
    #[param(value_type = Option<u32>, minimum = 1, maximum = 500)]
    pub limit: Limit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<u64>)]
    pub cursor: Option<Place>,
}

/// What is wanted of an artifact.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ArtifactQuery {
    /// `v2`; the newest version when it is missing.
    pub version: Option<String>,
    /// `1`: read the path as a file, even if it ends with `/versions` or `/diff`.
    pub file: Option<String>,
}

/// Which versions are compared.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ArtifactDiffQuery {
    /// The version before `to` when it is missing.
    pub from: Option<String>,
    /// The newest version when it is missing.
    pub to: Option<String>,
}

/// An artifact in its newest version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ArtifactShown {
    /// Below the directory of artifacts.
    pub path: String,
    /// `file://artifacts/` and the path.
    pub uri: String,
    pub mime_type: String,
    pub size_bytes: u64,
    #[schema(required)]
    pub description: Option<String>,
    /// The newest version: `v1`, `v2`.
    pub version: String,
    /// `sha256:` and the hexadecimal checksum of the content.
    pub checksum: String,
    #[cfg_attr(test, ts(type = "Record<string, unknown>"))]
    pub metadata: Object,
    /// Who wrote the newest version.
    #[schema(required)]
    pub created_by: Option<String>,
    pub tags: Vec<String>,
    /// How many versions there are.
    pub versions: usize,
    /// Whether an agent wrote a version without having seen the one before.
    pub has_conflict: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A version of an artifact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ArtifactVersionShown {
    pub version: String,
    pub checksum: String,
    pub size_bytes: u64,
    pub mime_type: String,
    pub created_at: Timestamp,
    #[schema(required)]
    pub created_by: Option<String>,
    #[schema(required)]
    pub reason: Option<String>,
    /// The version that its author had not seen. Both are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub conflicts_with: Option<String>,
}

/// Two versions of an artifact, compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ArtifactDiff {
    pub path: String,
    pub from: String,
    pub to: String,
    /// A unified diff; empty if the versions are the same, or if one of them is not text.
    pub diff: String,
    /// Whether one of them is not text, so that there is no diff.
    pub is_binary: bool,
    /// Whether they are too long to compare, so that there is no diff.
    pub is_too_long: bool,
}

impl ArtifactShown {
    /// `None` for an artifact without versions, which there is not.
    #[must_use]
    pub fn new(path: &ArtifactPath, stored: &StoredArtifact) -> Option<Self> {
        let (first, newest) = (stored.versions.first()?, stored.newest()?);
        let artifact = newest.artifact.clone();
        Some(Self {
            path: path.to_string(),
            uri: path.uri(),
            mime_type: artifact.mime_type,
            size_bytes: newest.size_bytes(),
            description: artifact.description,
            version: newest.name(),
            checksum: newest.checksum().to_owned(),
            metadata: artifact.metadata,
            created_by: artifact.created_by,
            tags: artifact.tags,
            versions: stored.versions.len(),
            has_conflict: stored.versions.iter().any(|version| version.conflicts_with().is_some()),
            created_at: first.at,
            updated_at: newest.at,
        })
    }
}

impl From<&ArtifactVersion> for ArtifactVersionShown {
    fn from(version: &ArtifactVersion) -> Self {
        Self {
            version: version.name(),
            checksum: version.checksum().to_owned(),
            size_bytes: version.size_bytes(),
            mime_type: version.artifact.mime_type.clone(),
            created_at: version.at,
            created_by: version.artifact.created_by.clone(),
            reason: version.reason().map(str::to_owned),
            conflicts_with: version.conflicts_with().map(str::to_owned),
        }
    }
}
