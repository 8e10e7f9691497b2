//! Configuration that is kept in the store: profiles, prompts, definitions. Every change is a version; nothing is overwritten.

use std::fmt;

use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::store::StoreError;

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentKind {
    Profile,
    /// Single values: which profile is active.
    Setting,
    Prompt,
    /// Sent to the API, like what follows.
    Agent,
    Workflow,
    Team,
    /// A guardrail policy.
    Policy,
    McpServer,
}

impl DocumentKind {
    /// As it is stored.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Profile => "profile",
            Self::Setting => "setting",
            Self::Prompt => "prompt",
            Self::Agent => "agent",
            Self::Workflow => "workflow",
            Self::Team => "team",
            Self::Policy => "policy",
            Self::McpServer => "mcp_server",
        }
    }
}

impl fmt::Display for DocumentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One version of a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    pub kind: DocumentKind,
    pub name: String,
    /// 1, 2, 3 … for ever, also over deletions.
    pub version: u32,
    pub at: Timestamp,
    /// `None`: deleted.
    pub body: Option<Value>,
}

/// What is to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentChange {
    pub kind: DocumentKind,
    pub name: String,
    pub body: Option<Value>,
    /// Only when this is the newest version; 0 when there must be none. Otherwise [`StoreError::Outdated`].
    pub after: Option<u32>,
}

impl DocumentChange {
    /// A change of the newest version, without naming it.
    #[must_use]
    pub fn new(kind: DocumentKind, name: impl Into<String>, body: Option<Value>) -> Self {
        Self { kind, name: name.into(), body, after: None }
    }

    /// Refuses a change of a version that is not the newest any more.
    pub fn check(&self, newest: u32) -> Result<(), StoreError> {
        match self.after {
            Some(expected) if expected != newest => {
                Err(StoreError::Outdated { what: format!("{} `{}`", self.kind, self.name), expected, newest })
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// Storage of documents. Every implementation passes the same checks as a store of runs.
#[async_trait]
pub trait Documents: Send + Sync {
    /// The newest version of every document of a kind that is not deleted, by name.
    async fn documents(&self, kind: DocumentKind) -> Result<Vec<Document>, StoreError>;

    /// Every version of one document, oldest first.
    async fn versions(&self, kind: DocumentKind, name: &str) -> Result<Vec<Document>, StoreError>;

    /// Writes all changes in one transaction, or none; says the new versions in their order. A change that changes
    /// nothing writes nothing, and its version is the old one.
    async fn change(&self, at: Timestamp, changes: Vec<DocumentChange>) -> Result<Vec<u32>, StoreError>;
}
