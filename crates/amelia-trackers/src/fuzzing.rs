//! What the fuzz targets may see of the private parts. In no other build.

use serde_json::Value;

/// Rich text of Jira Cloud as Markdown.
#[must_use]
pub fn adf(document: &Value) -> String {
    crate::jira::adf::to_markdown(document)
}

/// Wiki text of Jira Server as Markdown.
#[must_use]
pub fn wiki(text: &str) -> String {
    crate::jira::wiki::to_markdown(text)
}
