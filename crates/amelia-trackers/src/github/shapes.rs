//! What is read of GitHub's answers. Fields that are not used are not named.

use amelia_core::tracker::Issue;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::text::{Comment, description};

#[derive(Debug, Deserialize)]
pub(super) struct IssueShape {
    #[serde(default)]
    number: u64,
    pub(super) title: String,
    pub(super) body: Option<String>,
    pub(super) state: String,
    #[serde(default)]
    labels: Vec<AnyLabel>,
    #[serde(default)]
    pub(super) comments: u64,
    /// Lists have both, and this in those that are none of ours.
    #[serde(default)]
    pull_request: Option<Value>,
}

/// What a search finds.
#[derive(Debug, Deserialize)]
pub(super) struct SearchPage {
    pub(super) items: Vec<IssueShape>,
}

/// Old issues have plain names.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum AnyLabel {
    Named(Label),
    Plain(String),
    Nameless {},
}

#[derive(Debug, Deserialize)]
pub(super) struct Label {
    pub(super) name: String,
}

impl IssueShape {
    /// As it is listed: without comments, and nothing for a pull request.
    pub(super) fn listed(self) -> Option<Issue> {
        if self.pull_request.is_some() {
            return None;
        }
        Some(Issue {
            key: format!("#{}", self.number),
            description: description(self.body.as_deref().unwrap_or_default(), &self.labels(), &[]),
            title: self.title,
            status: self.state,
        })
    }

    pub(super) fn labels(&self) -> Vec<String> {
        let name = |label: &AnyLabel| match label {
            AnyLabel::Named(label) => Some(label.name.clone()),
            AnyLabel::Plain(name) => Some(name.clone()),
            AnyLabel::Nameless {} => None,
        };
        self.labels.iter().filter_map(name).collect()
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct RemarkShape {
    id: u64,
    body: Option<String>,
    html_url: String,
    created_at: String,
    /// `None` when the account is gone.
    user: Option<User>,
}

#[derive(Debug, Deserialize)]
struct User {
    login: String,
}

impl RemarkShape {
    pub(super) fn text(&self) -> &str {
        self.body.as_deref().unwrap_or_default()
    }

    pub(super) fn receipt(&self) -> Value {
        json!({ "id": self.id, "url": self.html_url })
    }

    pub(super) fn comment(self) -> Comment {
        Comment {
            author: self.user.map_or_else(|| "ghost".to_owned(), |user| user.login),
            at: self.created_at,
            text: self.body.unwrap_or_default(),
        }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct RepositoryShape {
    pub(super) default_branch: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct PullShape {
    number: u64,
    html_url: String,
    body: Option<String>,
    draft: Option<bool>,
    base: Option<PullBaseShape>,
}

#[derive(Debug, Deserialize)]
struct PullBaseShape {
    #[serde(rename = "ref")]
    branch: String,
}

impl PullShape {
    pub(super) fn text(&self) -> &str {
        self.body.as_deref().unwrap_or_default()
    }

    pub(super) fn receipt(&self) -> Value {
        let mut receipt = Map::from_iter([
            ("number".to_owned(), self.number.into()),
            ("url".to_owned(), self.html_url.as_str().into()),
        ]);
        if let Some(base) = &self.base {
            receipt.insert("base".to_owned(), base.branch.as_str().into());
        }
        if let Some(is_draft) = self.draft {
            receipt.insert("draft".to_owned(), is_draft.into());
        }
        Value::Object(receipt)
    }
}
