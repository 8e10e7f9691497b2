//! What is read of Jira's answers. Fields that are not used are not named.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

#[derive(Debug, Deserialize)]
pub(super) struct IssueShape {
    /// Its key today: issues move between projects.
    pub(super) key: String,
    pub(super) fields: Fields,
}

/// What a search finds.
#[derive(Debug, Deserialize)]
pub(super) struct SearchPage {
    pub(super) issues: Vec<IssueShape>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Fields {
    pub(super) summary: String,
    /// A tree in v3, text in v2, nothing when empty.
    #[serde(default)]
    pub(super) description: Value,
    pub(super) status: Status,
    #[serde(default)]
    pub(super) labels: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct StatusShape {
    pub(super) fields: StatusField,
}

#[derive(Debug, Deserialize)]
pub(super) struct StatusField {
    pub(super) status: Status,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Status {
    pub(super) name: String,
    #[serde(rename = "statusCategory", default)]
    pub(super) category: Category,
}

/// The only thing about a status that does not depend on its project's taste.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Category {
    /// `new`, `indeterminate`, `done`.
    #[serde(default)]
    pub(super) key: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Transitions {
    pub(super) transitions: Vec<Transition>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Transition {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) to: Status,
}

#[derive(Debug, Deserialize)]
pub(super) struct Remarks {
    #[serde(default)]
    pub(super) total: usize,
    pub(super) comments: Vec<RemarkShape>,
}

#[derive(Debug, Deserialize)]
pub(super) struct RemarkShape {
    pub(super) id: String,
    #[serde(default)]
    pub(super) body: Value,
    #[serde(default)]
    pub(super) created: String,
    /// `None` when the account is gone.
    #[serde(default)]
    pub(super) author: Option<Author>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Author {
    #[serde(rename = "displayName", default = "nobody", deserialize_with = "named")]
    pub(super) display_name: String,
}

fn nobody() -> String {
    "nobody".to_owned()
}

fn named<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.unwrap_or_else(nobody))
}
