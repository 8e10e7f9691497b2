//! Whether a server lives, and whether it can work.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// `GET /health`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Health {
    pub status: HealthStatus,
    pub version: String,
    /// Process id of the server.
    pub process_id: u32,
    pub uptime_seconds: u64,
    /// Number of runs in progress.
    pub active_workflows: usize,
    /// Number of queued runs.
    pub queued_workflows: usize,
}

/// `GET /health/live` and `/health/ready`. The status is 503 if a dependency is unavailable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Readiness {
    pub status: HealthStatus,
    /// For each dependency, `ok` or what is wrong.
    pub dependencies: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum HealthStatus {
    Ok,
    Unavailable,
}

/// `GET /session/state`: what a page needs before sign-in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SessionState {
    pub is_signed_in: bool,
    /// Whether this server requires sign-in.
    pub asks_for_token: bool,
    pub version: String,
    /// Whether this is `amelia demo`, whose agents follow a script and know one issue.
    pub is_demo: bool,
    /// Path of the server's home. Only after sign-in, or in a demo.
    #[schema(required)]
    pub home: Option<String>,
    /// Whether commands on the server's machine find this server without `--home`.
    pub is_default_home: bool,
    /// Name of the server's machine. Only after sign-in.
    #[schema(required)]
    pub machine: Option<String>,
}

/// `POST /session`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct SignIn {
    pub token: String,
}

/// A link that signs one browser in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewLink {
    /// Path on this server. Append `&next=/ui/` to set where the browser goes afterwards.
    pub path: String,
}

/// `POST /session/rotate`: the new token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct NewToken {
    pub token: String,
}

/// `GET /session`: signs a browser in.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SessionQuery {
    /// Code of a link that works once.
    #[serde(default)]
    pub code: Option<String>,
    /// The server's token, instead of a code.
    #[serde(default)]
    pub token: Option<String>,
    /// Path on this server to redirect to.
    #[serde(default)]
    pub next: Option<String>,
}
