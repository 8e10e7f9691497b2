//! A tree in a recording: its patch as text where it is text.

use amelia_core::workplace::WorktreeContents;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedTree {
    pub on: String,
    pub tree: String,
    pub patch: TreePatch,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TreePatch {
    Text(String),
    Base64(String),
}

impl From<WorktreeContents> for RecordedTree {
    fn from(WorktreeContents { on, tree, patch }: WorktreeContents) -> Self {
        let patch = match String::from_utf8(patch) {
            Ok(text) => TreePatch::Text(text),
            Err(other) => TreePatch::Base64(STANDARD.encode(other.as_bytes())),
        };
        Self { on, tree, patch }
    }
}

impl From<RecordedTree> for WorktreeContents {
    fn from(RecordedTree { on, tree, patch }: RecordedTree) -> Self {
        let patch = match patch {
            TreePatch::Text(text) => text.into_bytes(),
            TreePatch::Base64(text) => STANDARD.decode(text).unwrap_or_default(),
        };
        Self { on, tree, patch }
    }
}
