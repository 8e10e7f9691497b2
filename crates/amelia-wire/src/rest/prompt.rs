//! Prompts over HTTP.

use amelia_core::document::Document;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// A prompt as it is used by runs that are ordered now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PromptShown {
    pub name: String,
    pub text: String,
    /// What it would be; `null` when that is what it is.
    #[schema(required)]
    pub shipped: Option<String>,
    /// Somebody has put it in the place of the shipped one.
    pub is_own: bool,
    #[schema(required)]
    pub version: Option<u32>,
    /// Why it is used as plain text and not as a template.
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

/// What a prompt was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PromptVersion {
    pub version: u32,
    pub created_at: Timestamp,
    /// `null`: back to the shipped one.
    #[schema(required)]
    pub text: Option<String>,
}

impl From<Document> for PromptVersion {
    fn from(document: Document) -> Self {
        let text = document.body.as_ref().and_then(Value::as_str).map(str::to_owned);
        Self { version: document.version, created_at: document.at, text }
    }
}
