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
    /// Of the server, on its machine.
    pub process_id: u32,
    pub uptime_seconds: u64,
    /// Runs at work.
    pub active_workflows: usize,
    /// Runs that wait for their turn.
    pub queued_workflows: usize,
}

/// `GET /health/live` and `/health/ready`: 503 when something is not there, and what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Readiness {
    pub status: HealthStatus,
    /// `ok`, or what is wrong, by dependency.
    pub dependencies: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum HealthStatus {
    Ok,
    Unavailable,
}

/// `GET /session/state`: what a page needs to know before anybody has signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SessionState {
    pub is_signed_in: bool,
    /// Whether this server asks anybody to.
    pub asks_for_token: bool,
    pub version: String,
    /// `amelia demo`: the crew plays a script and knows one issue.
    pub is_demo: bool,
    /// Where the server keeps everything; only for who has signed in, or in a demo.
    #[schema(required)]
    pub home: Option<String>,
    /// Whether commands on its machine find this server when nobody names a home.
    pub is_default_home: bool,
    /// The machine that it runs on; likewise.
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

/// Where a browser signs in, once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewLink {
    /// On this server. `&next=/ui/` says where to go then.
    pub path: String,
}

/// `POST /session/rotate`: the token that counts from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct NewToken {
    pub token: String,
}

/// `GET /session`: a link with the token becomes a cookie.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SessionQuery {
    /// Of a link that works once.
    #[serde(default)]
    pub code: Option<String>,
    /// The token itself, where there is no such link.
    #[serde(default)]
    pub token: Option<String>,
    /// Where to go then, on this server.
    #[serde(default)]
    pub next: Option<String>,
}
