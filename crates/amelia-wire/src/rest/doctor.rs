//! What was looked at on the server's machine, and what to do about it.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// `GET /doctor`
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CheckupQuery {
    /// Any directory inside a repository, as an absolute path or one that begins with `~`. Without it, the repository of
    /// the active profile is checked.
    pub worktree_path: Option<String>,
}

/// `GET /doctor`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Checkup {
    pub checks: Vec<Finding>,
}

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Finding {
    pub name: String,
    pub state: FindingState,
    pub message: String,
    /// What to do.
    #[schema(required)]
    pub hint: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FindingState {
    Ok,
    /// Not installed or too old, but nothing here needs it.
    Optional,
    Warning,
    Error,
}
