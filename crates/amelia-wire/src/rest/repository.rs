//! Repositories that work may be ordered for.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// One that runs were ordered for.
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
    /// As far as somebody has typed it; absolute, or beginning with `~`.
    pub path: String,
}

/// What is at a path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RepositoryLook {
    pub path: String,
    /// The top of its checkout; `null` when work cannot be ordered here.
    #[schema(required)]
    pub root: Option<String>,
    /// `null` when nothing is checked out by name.
    #[schema(required)]
    pub branch: Option<String>,
    #[schema(required)]
    pub head: Option<String>,
    /// Nothing is changed that is not committed.
    pub is_clean: bool,
    /// Why work cannot be ordered here.
    #[schema(required)]
    pub problem: Option<String>,
    /// Directories that begin with what was typed, at most 20.
    pub suggestions: Vec<String>,
}
