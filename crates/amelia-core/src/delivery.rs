//! Where the change of a run has gone: into a branch, or into a pull request.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::tracker::PullRequest;

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
    /// The command for a shell that undoes it, as long as the branch has no newer commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
}

/// How a merge was undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoneMerge {
    /// The branch no longer has it.
    Removed,
    /// The branch has commits that revert it.
    Reverted,
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
    /// What a tracker answered when it was opened, or found: one that was open already may have another base than the
    /// one that was requested, or be no draft.
    #[must_use]
    pub fn of_receipt(request: &PullRequest, receipt: &Value) -> Self {
        let text = |name: &str| receipt.get(name).and_then(Value::as_str).map(str::to_owned);
        Self {
            number: receipt.get("number").and_then(Value::as_u64).unwrap_or_default(),
            url: text("url").unwrap_or_default(),
            branch: request.head.clone(),
            base: text("base").or_else(|| request.base.clone()),
            is_draft: receipt.get("draft").and_then(Value::as_bool).unwrap_or(request.is_draft),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_pull_request_that_was_found_is_shown_as_it_is() {
        let request = PullRequest {
            title: "Greet".to_owned(),
            body: String::new(),
            head: "amelia/1".to_owned(),
            base: Some("develop".to_owned()),
            is_draft: true,
        };
        let found = json!({ "number": 5, "url": "u", "base": "main", "draft": false });
        let opened = OpenedPullRequest::of_receipt(&request, &found);
        assert_eq!((opened.base.as_deref(), opened.is_draft), (Some("main"), false));
        assert_eq!((opened.number, opened.branch.as_str()), (5, "amelia/1"));
        let terse = OpenedPullRequest::of_receipt(&request, &json!({ "number": 5, "url": "u" }));
        assert_eq!((terse.base.as_deref(), terse.is_draft), (Some("develop"), true), "as it was requested");
    }
}
