//! Prompts of the roles: those that ship, and what people have put in their place, with every version.

use std::sync::Arc;

use amelia_agents::prompt::{SHIPPED, problem};
use amelia_core::clock::Clock;
use amelia_core::document::{Document, DocumentChange, DocumentKind, Documents};
use amelia_core::store::StoreError;
use serde_json::Value;

/// No prompt is larger.
pub const LARGEST: usize = 256 * 1024;

/// A handle on the prompts of a store.
#[derive(Clone)]
pub struct PromptBook {
    documents: Arc<dyn Documents>,
    clock: Arc<dyn Clock>,
}

/// A prompt as it is used by runs that are requested now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    pub name: &'static str,
    pub text: String,
    /// The prompt that ships, when there is no other.
    pub shipped: &'static str,
    /// Of what people have written; `None` when the shipped one is used.
    pub own_version: Option<u32>,
    /// Why a template is used as plain text.
    pub problem: Option<String>,
}

impl PromptBook {
    #[must_use]
    pub fn new(documents: Arc<dyn Documents>, clock: Arc<dyn Clock>) -> Self {
        Self { documents, clock }
    }

    /// All of them, in the order of the work.
    pub async fn all(&self) -> Result<Vec<Prompt>, StoreError> {
        let own = self.documents.documents(DocumentKind::Prompt).await?;
        let prompt = |(name, shipped): &(&'static str, &'static str)| {
            prompt(name, shipped, own.iter().find(|document| document.name == *name))
        };
        Ok(SHIPPED.iter().map(prompt).collect())
    }

    /// One of them, if there is one of this name.
    pub async fn find(&self, name: &str) -> Result<Option<Prompt>, StoreError> {
        let Some((name, shipped)) = SHIPPED.iter().find(|(known, _)| *known == name) else {
            return Ok(None);
        };
        let last = self.documents.versions(DocumentKind::Prompt, name).await?.pop();
        Ok(Some(prompt(name, shipped, last.as_ref())))
    }

    /// Every version that people have written, oldest first; without a text they went back to the shipped one.
    pub async fn history(&self, name: &str) -> Result<Vec<Document>, StoreError> {
        self.documents.versions(DocumentKind::Prompt, name).await
    }

    /// The newest version that people have written; 0 when there is none.
    pub async fn version(&self, name: &str) -> Result<u32, StoreError> {
        Ok(self.history(name).await?.last().map_or(0, |last| last.version))
    }

    /// Puts a text in the place of a prompt, or the shipped one back; with `after`, only when that is the newest version.
    pub async fn change(
        &self,
        name: &str,
        text: Option<String>,
        after: Option<u32>,
    ) -> Result<(), StoreError> {
        let change = DocumentChange {
            after,
            ..DocumentChange::new(DocumentKind::Prompt, name, text.map(Value::from))
        };
        self.documents.change(self.clock.now(), vec![change]).await.map(|_| ())
    }
}

fn prompt(name: &'static str, shipped: &'static str, own: Option<&Document>) -> Prompt {
    let found = own.and_then(|own| Some((own.version, own.body.as_ref()?.as_str()?)));
    match found {
        None => Prompt { name, text: shipped.to_owned(), shipped, own_version: None, problem: None },
        Some((version, text)) => Prompt {
            name,
            text: text.to_owned(),
            shipped,
            own_version: Some(version),
            problem: problem(text),
        },
    }
}
