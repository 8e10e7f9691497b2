//! What agents remember, over HTTP.

use amelia_core::memory::{FoundMemory, MemoryEntry, MemoryScope, MemoryTotals};
use amelia_core::message::MemoryKind;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::{Limit, Place};

/// Which entries.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct MemoriesQuery {
    /// Only entries with this scope: `run`, `team`, `repository`, `global`.
    #[param(value_type = Option<String>)]
    pub scope: Option<MemoryScope>,
    /// Only entries of this type: `long_term`, `semantic`.
    #[serde(rename = "type")]
    #[param(value_type = Option<String>)]
    pub kind: Option<MemoryKind>,
    /// Only entries with this key.
    pub key: Option<String>,
    #[param(value_type = Option<u32>, minimum = 1, maximum = 500)]
    pub limit: Limit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<u64>)]
    pub cursor: Option<Place>,
}

/// An entry in its newest version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MemoryShown {
    /// `m12`
    pub memory_id: String,
    /// `long_term` or `semantic`
    #[schema(value_type = String)]
    #[cfg_attr(test, ts(type = "string"))]
    pub memory_type: MemoryKind,
    #[schema(required)]
    pub key: Option<String>,
    pub content: String,
    /// Who can read it: `run`, `team`, `repository`, `global`.
    #[schema(value_type = String)]
    #[cfg_attr(test, ts(type = "string"))]
    pub scope: MemoryScope,
    /// The run, team or repository that it belongs to; empty for `global`.
    pub owner: String,
    pub version: u32,
    pub created_at: Timestamp,
    /// The agent that wrote this version, or `user`.
    pub created_by: String,
    /// The run in which this version was written.
    #[schema(required)]
    pub run_id: Option<Uuid>,
    #[schema(required)]
    pub expires_at: Option<Timestamp>,
    /// How well it fits a search, from 0 to 1; `null` outside of searches.
    #[schema(required)]
    pub relevance_score: Option<f64>,
}

/// An entry with its versions, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MemoryDetail {
    #[serde(flatten)]
    pub entry: MemoryShown,
    pub versions: Vec<MemoryVersionShown>,
}

/// A version of an entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MemoryVersionShown {
    pub version: u32,
    pub content: String,
    pub created_at: Timestamp,
    pub created_by: String,
}

/// An entry that a person stores.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateMemory {
    /// The same key again makes a new version.
    #[serde(default)]
    pub key: Option<String>,
    pub content: String,
    /// `team`, `repository` or `global`
    #[schema(value_type = String)]
    pub scope: MemoryScope,
    /// The name of the team, with the scope `team`.
    #[serde(default)]
    pub team: Option<String>,
    /// A directory in the repository, with the scope `repository`, and for a team from a file there.
    #[serde(default)]
    pub repository: Option<String>,
    /// `long_term` (default) or `semantic`
    #[serde(rename = "type", default)]
    #[schema(value_type = Option<String>)]
    pub kind: Option<MemoryKind>,
    /// Seconds after which it is removed.
    #[serde(default)]
    pub ttl_seconds: Option<i64>,
}

/// A search.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchMemory {
    pub query: String,
    /// Default: 5, at most 100.
    #[serde(default)]
    pub limit: Option<u32>,
    /// Only these scopes. Default: all.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    pub scopes: Vec<MemoryScope>,
    /// Only these types. Default: all.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    pub types: Vec<MemoryKind>,
    /// The smallest `relevance_score`. Default: 0.
    #[serde(default)]
    pub threshold: Option<f64>,
}

/// What the agents of a run can read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RunMemorySummary {
    pub long_term: MemoryTotal,
    pub semantic: MemoryTotal,
}

/// How many entries there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MemoryTotal {
    pub items: u64,
    pub bytes: u64,
}

impl From<MemoryTotals> for MemoryTotal {
    fn from(totals: MemoryTotals) -> Self {
        Self { items: totals.items, bytes: totals.bytes }
    }
}

impl From<MemoryEntry> for MemoryShown {
    fn from(entry: MemoryEntry) -> Self {
        Self {
            memory_id: entry.id(),
            memory_type: entry.kind,
            key: entry.key,
            content: entry.text,
            scope: entry.space.scope,
            owner: entry.space.owner,
            version: entry.version,
            created_at: entry.at,
            created_by: entry.by,
            run_id: entry.run.map(|run| run.0),
            expires_at: entry.expires_at,
            relevance_score: None,
        }
    }
}

impl From<FoundMemory> for MemoryShown {
    fn from(found: FoundMemory) -> Self {
        Self { relevance_score: Some(found.relevance), ..found.entry.into() }
    }
}

impl From<MemoryEntry> for MemoryVersionShown {
    fn from(entry: MemoryEntry) -> Self {
        Self { version: entry.version, content: entry.text, created_at: entry.at, created_by: entry.by }
    }
}
