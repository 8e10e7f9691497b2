//! A tree in a recording: its patch as text where it is text.

use amelia_core::workplace::Tree;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptTree {
    pub on: String,
    pub tree: String,
    pub patch: Patch,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Patch {
    Text(String),
    Base64(String),
}

impl From<Tree> for KeptTree {
    fn from(Tree { on, tree, patch }: Tree) -> Self {
        let patch = match String::from_utf8(patch) {
            Ok(text) => Patch::Text(text),
            Err(other) => Patch::Base64(STANDARD.encode(other.as_bytes())),
        };
        Self { on, tree, patch }
    }
}

impl From<KeptTree> for Tree {
    fn from(KeptTree { on, tree, patch }: KeptTree) -> Self {
        let patch = match patch {
            Patch::Text(text) => text.into_bytes(),
            Patch::Base64(text) => STANDARD.decode(text).unwrap_or_default(),
        };
        Self { on, tree, patch }
    }
}
