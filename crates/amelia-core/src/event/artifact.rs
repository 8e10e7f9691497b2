//! Files of a run come, change and go.

use serde::{Deserialize, Serialize};

use super::EventLevel;
use crate::message::{Artifact, Object};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum ArtifactEvent {
    Created(Artifact),
    Modified {
        uri: String,
        version: String,
        #[serde(default, skip_serializing_if = "Object::is_empty")]
        changes: Object,
        /// The file as it is since then; absent for files of a worktree, whose versions nothing keeps.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        artifact: Option<Box<Artifact>>,
    },
    Deleted {
        uri: String,
    },
    Versioned {
        uri: String,
        old: String,
        new: String,
        reason: String,
    },
}

impl ArtifactEvent {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Created(_) => "artifact.created",
            Self::Modified { .. } => "artifact.modified",
            Self::Deleted { .. } => "artifact.deleted",
            Self::Versioned { .. } => "artifact.versioned",
        }
    }

    pub(super) fn level(&self) -> EventLevel {
        match self {
            Self::Created(_) | Self::Modified { .. } | Self::Deleted { .. } | Self::Versioned { .. } => {
                EventLevel::Info
            }
        }
    }

    pub(super) fn summary(&self) -> String {
        match self {
            Self::Created(artifact) => format!("{} created", artifact.uri),
            // Its version is the time of the file, which tells a person nothing.
            Self::Modified { uri, .. } => format!("{uri} modified"),
            Self::Deleted { uri } => format!("{uri} deleted"),
            Self::Versioned { uri, old, new, .. } => format!("{uri}: {old} → {new}"),
        }
    }
}
