//! Agents, workflows, teams, guardrail policies and MCP servers that were sent to the API, with every version. Those in
//! files are found elsewhere, and come first.

use std::sync::Arc;

use amelia_core::clock::Clock;
use amelia_core::document::{DocumentChange, DocumentKind, Documents};
use amelia_core::store::StoreError;
use serde_json::Value;

/// A handle on the definitions in a store.
#[derive(Clone)]
pub struct StoredDefinitions {
    documents: Arc<dyn Documents>,
    clock: Arc<dyn Clock>,
}

impl StoredDefinitions {
    #[must_use]
    pub fn new(documents: Arc<dyn Documents>, clock: Arc<dyn Clock>) -> Self {
        Self { documents, clock }
    }

    /// All of a kind by name, each as the text of its definition.
    pub async fn all(&self, kind: impl Into<DocumentKind>) -> Result<Vec<(String, String)>, StoreError> {
        let found = self.documents.documents(kind.into()).await?;
        let text = |body: Option<Value>| body?.as_str().map(str::to_owned);
        Ok(found.into_iter().filter_map(|one| Some((one.name, text(one.body)?))).collect())
    }

    /// The newest version; 0 when there never was one.
    pub async fn version(&self, kind: impl Into<DocumentKind>, name: &str) -> Result<u32, StoreError> {
        let versions = self.documents.versions(kind.into(), name).await?;
        Ok(versions.last().map_or(0, |last| last.version))
    }

    /// Keeps one; with `after`, only when that is the newest version.
    pub async fn put(
        &self,
        kind: impl Into<DocumentKind>,
        name: &str,
        text: String,
        after: Option<u32>,
    ) -> Result<(), StoreError> {
        let change = DocumentChange::new(kind.into(), name, Some(Value::String(text)));
        self.write(DocumentChange { after, ..change }).await
    }

    /// Forgets one; its versions are kept. `false` when there is none of this name.
    pub async fn delete(&self, kind: impl Into<DocumentKind>, name: &str) -> Result<bool, StoreError> {
        let kind = kind.into();
        let last = self.documents.versions(kind, name).await?.pop();
        if last.is_none_or(|last| last.body.is_none()) {
            return Ok(false);
        }
        self.write(DocumentChange::new(kind, name, None)).await?;
        Ok(true)
    }

    async fn write(&self, change: DocumentChange) -> Result<(), StoreError> {
        self.documents.change(self.clock.now(), vec![change]).await.map(|_| ())
    }
}
