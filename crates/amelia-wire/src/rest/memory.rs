//! What agents remember, over HTTP.

use amelia_core::memory::summary::SummaryMethod;
use amelia_core::memory::{FoundMemory, MemoryEntry, MemoryScope, MemoryTotals, memory_id};
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
    /// The summary that has taken its place in searches.
    #[schema(required)]
    pub part_of: Option<String>,
    /// How it was written, if it is a summary: `model` or `extractive`.
    #[schema(required, value_type = Option<String>)]
    #[cfg_attr(test, ts(type = "string | null"))]
    pub method: Option<SummaryMethod>,
}

/// An entry with its versions, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MemoryDetail {
    #[serde(flatten)]
    pub entry: MemoryShown,
    pub versions: Vec<MemoryVersionShown>,
    /// The entries in it, if it is a summary, in the versions that became part of it.
    #[serde(default)]
    pub sources: Vec<MemoryShown>,
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
    /// Also entries that are part of a summary. Default: false.
    #[serde(default)]
    pub with_sources: bool,
}

/// Which entries become summaries. Default: all of which there are enough.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidateMemory {
    /// Only entries with this key, or with a key that continues it after a `/`.
    pub topic: Option<String>,
    /// Only entries with this scope: `run`, `team`, `repository`, `global`.
    #[schema(value_type = Option<String>)]
    pub scope: Option<MemoryScope>,
}

/// What becomes summaries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ConsolidationStarted {
    /// Empty if there is nothing to summarise.
    pub topics: Vec<String>,
    /// The runs that write the summaries.
    pub runs: Vec<ConsolidationRun>,
}

/// A run that writes summaries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ConsolidationRun {
    pub run_id: Uuid,
    /// As in `r12`.
    pub number: u64,
    pub topics: Vec<String>,
    /// By the `model` of a team, or `extractive`: the first sentence of each entry.
    #[schema(value_type = String)]
    #[cfg_attr(test, ts(type = "string"))]
    pub method: SummaryMethod,
}

/// A topic with its summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ConsolidatedTopic {
    pub topic: String,
    /// The summary.
    pub memory_id: String,
    /// How many entries are part of it.
    pub items: u64,
    pub updated_at: Timestamp,
}

/// What the agents of a run can read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RunMemorySummary {
    pub long_term: MemoryTotal,
    pub semantic: MemoryTotal,
    #[serde(default)]
    pub consolidated: Vec<ConsolidatedTopic>,
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
            part_of: entry.consolidation.summary().map(memory_id),
            method: entry.consolidation.method(),
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
