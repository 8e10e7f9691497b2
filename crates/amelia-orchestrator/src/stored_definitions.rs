//! Teams and guardrail policies that were sent to the API, with every version. Those in files are found elsewhere, and come
//! first.

use std::sync::Arc;

use amelia_core::clock::Clock;
use amelia_core::document::{DocumentChange, DocumentKind, Documents};
use amelia_core::store::StoreError;
use serde_json::Value;

/// A handle on the definitions of one kind in a store.
#[derive(Clone)]
pub struct StoredDefinitions {
    kind: DocumentKind,
    documents: Arc<dyn Documents>,
    clock: Arc<dyn Clock>,
}

impl StoredDefinitions {
    /// Teams in `documents`.
    #[must_use]
    pub fn teams(documents: Arc<dyn Documents>, clock: Arc<dyn Clock>) -> Self {
        Self { kind: DocumentKind::Team, documents, clock }
    }

    /// Guardrail policies in `documents`.
    #[must_use]
    pub fn policies(documents: Arc<dyn Documents>, clock: Arc<dyn Clock>) -> Self {
        Self { kind: DocumentKind::Policy, documents, clock }
    }

    /// All of them by name, each as the text of its definition.
    pub async fn all(&self) -> Result<Vec<(String, String)>, StoreError> {
        let found = self.documents.documents(self.kind).await?;
        let text = |body: Option<Value>| body?.as_str().map(str::to_owned);
        Ok(found.into_iter().filter_map(|one| Some((one.name, text(one.body)?))).collect())
    }

    /// Whether there is one of this name.
    pub async fn has(&self, name: &str) -> Result<bool, StoreError> {
        let last = self.documents.versions(self.kind, name).await?.pop();
        Ok(last.is_some_and(|last| last.body.is_some()))
    }

    /// The newest version; 0 when there never was one.
    pub async fn version(&self, name: &str) -> Result<u32, StoreError> {
        let versions = self.documents.versions(self.kind, name).await?;
        Ok(versions.last().map_or(0, |last| last.version))
    }

    /// Keeps one; with `after`, only when that is the newest version.
    pub async fn put(&self, name: &str, text: String, after: Option<u32>) -> Result<(), StoreError> {
        let change = DocumentChange::new(self.kind, name, Some(Value::String(text)));
        self.write(DocumentChange { after, ..change }).await
    }

    /// Forgets one; its versions are kept. `false` when there is none of this name.
    pub async fn delete(&self, name: &str) -> Result<bool, StoreError> {
        if !self.has(name).await? {
            return Ok(false);
        }
        self.write(DocumentChange::new(self.kind, name, None)).await?;
        Ok(true)
    }

    async fn write(&self, change: DocumentChange) -> Result<(), StoreError> {
        self.documents.change(self.clock.now(), vec![change]).await.map(|_| ())
    }
}
