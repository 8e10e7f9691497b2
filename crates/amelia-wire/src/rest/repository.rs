//! Repositories that work may be requested for.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A repository that runs were started for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct KnownRepository {
    pub path: String,
    pub runs: u64,
    pub last_used: Timestamp,
}

/// `GET /repositories/look`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct LookQuery {
    /// An absolute path, or one that begins with `~`. It may be incomplete.
    pub path: String,
}

/// What is at a path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RepositoryLook {
    pub path: String,
    /// Root of the checkout; `null` if no run can start here.
    #[schema(required)]
    pub root: Option<String>,
    /// `null` if no branch is checked out.
    #[schema(required)]
    pub branch: Option<String>,
    #[schema(required)]
    pub head: Option<String>,
    /// Whether there are no uncommitted changes.
    pub is_clean: bool,
    /// Why no run can start here.
    #[schema(required)]
    pub problem: Option<String>,
    /// Directories that begin with the path, at most 20.
    pub suggestions: Vec<String>,
}
