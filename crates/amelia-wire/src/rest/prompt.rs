//! Prompts over HTTP.

use amelia_core::document::Document;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// A prompt as new runs use it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PromptShown {
    pub name: String,
    pub text: String,
    /// The built-in prompt; `null` if it is in use.
    #[schema(required)]
    pub shipped: Option<String>,
    /// Whether it replaces the built-in prompt.
    pub is_own: bool,
    #[schema(required)]
    pub version: Option<u32>,
    /// Why the prompt is used as plain text instead of a template.
    #[schema(required)]
    pub problem: Option<String>,
}

/// `PUT /prompts/{name}`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct NewPrompt {
    #[schema(min_length = 1)]
    pub text: String,
}

/// A version of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PromptVersion {
    pub version: u32,
    pub created_at: Timestamp,
    /// `null`: the built-in prompt was restored.
    #[schema(required)]
    pub text: Option<String>,
}

impl From<Document> for PromptVersion {
    fn from(document: Document) -> Self {
        let text = document.body.as_ref().and_then(Value::as_str).map(str::to_owned);
        Self { version: document.version, created_at: document.at, text }
    }
}
