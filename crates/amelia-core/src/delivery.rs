//! Where the change of a run has gone: into a branch, or into a pull request.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How the commits of a run get into another branch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum MergeMethod {
    /// As `git merge` does: a fast-forward where that is possible, a merge commit where it is not.
    #[default]
    Merge,
    /// One commit with all changes.
    Squash,
    /// The commits one by one on top of the branch.
    Rebase,
}

impl fmt::Display for MergeMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Merge => "merge",
            Self::Squash => "squash",
            Self::Rebase => "rebase",
        })
    }
}

/// The change of a run is in another branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct MergedChange {
    pub method: MergeMethod,
    /// The branch that was merged.
    pub branch: String,
    /// The branch that it was merged into.
    pub into: String,
    /// Where that branch was before.
    pub before: String,
    /// Where it is now.
    pub commit: String,
    /// Where the merged branch was. A branch that has moved since has more than was merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The merged branch was deleted.
    #[serde(default)]
    pub branch_deleted: bool,
}

/// A pull request with the change of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct OpenedPullRequest {
    pub number: u64,
    pub url: String,
    /// The branch that it proposes to merge.
    pub branch: String,
    /// The branch that it goes into; the default branch of the repository when nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    #[serde(default)]
    pub is_draft: bool,
}

impl OpenedPullRequest {
    /// What a tracker answered when it was opened, or found: its number and address.
    #[must_use]
    pub fn of_receipt(branch: String, receipt: &Value) -> Self {
        let number = receipt.get("number").and_then(Value::as_u64).unwrap_or_default();
        let url = receipt.get("url").and_then(Value::as_str).unwrap_or_default().to_owned();
        Self { number, url, branch, base: None, is_draft: false }
    }
}
