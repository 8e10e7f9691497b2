//! Issues of a profile's tracker, to choose from.

use amelia_core::tracker::Issue;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Limit;

/// `GET /issues`
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct IssueQuery {
    /// Default: the repository's profile, else the active one.
    pub profile: Option<String>,
    /// The repository, if the tracker depends on it.
    pub worktree_path: Option<String>,
    /// Words in the title, or the key. Default: the newest open issues.
    pub q: Option<String>,
    #[param(value_type = Option<u32>, minimum = 1, maximum = 500)]
    pub limit: Limit,
}

/// An issue in a tracker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct IssueShown {
    pub key: String,
    pub title: String,
    pub description: String,
    pub status: String,
}

impl From<Issue> for IssueShown {
    fn from(Issue { key, title, description, status }: Issue) -> Self {
        Self { key, title, description, status }
    }
}
