//! What agents remember, for people who look at it and change it: the port through which server and command line reach it.

use std::path::Path;

use amelia_core::memory::summary::SummaryMethod;
use amelia_core::memory::{
    FoundMemory, MemoryEntry, MemoryFilter, MemoryQuery, MemoryScope, MemorySpace, MemoryTotals, NewMemory,
    WrittenMemory,
};
use amelia_core::message::MemoryKind;
use amelia_core::run::RunSpec;
use amelia_core::view::RunRow;
use async_trait::async_trait;
use jiff::Timestamp;

use crate::service_error::ServiceError;

/// Which entries a person wants to become summaries.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConsolidationRequest<'a> {
    /// Only what the agents of this run can store, by the model of its team.
    pub run: Option<&'a RunRow>,
    pub scope: Option<MemoryScope>,
    /// Only entries with this key, or with a key that continues it after a `/`.
    pub topic: Option<&'a str>,
}

/// A run that summarises topics, before it is created.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedConsolidation {
    pub topics: Vec<String>,
    pub method: SummaryMethod,
    pub spec: RunSpec,
}

/// The port.
#[async_trait]
pub trait MemoryService: Send + Sync {
    /// The space with this scope for work in a directory; `team` names the team of the scope `team`.
    async fn space(
        &self,
        scope: MemoryScope,
        team: Option<&str>,
        directory: &Path,
    ) -> Result<MemorySpace, ServiceError>;

    /// Everything that the agents of a run can read; empty for runs without memory.
    fn spaces_of(&self, row: &RunRow) -> Vec<MemorySpace>;

    /// Entries in their newest version, newest first.
    async fn memories(&self, filter: MemoryFilter) -> Result<Vec<MemoryEntry>, ServiceError>;

    /// Every version of an entry, oldest first; empty if it is not there.
    async fn memory_versions(&self, number: u64) -> Result<Vec<MemoryEntry>, ServiceError>;

    /// The entries that fit a question, best first.
    async fn find_memories(&self, query: MemoryQuery) -> Result<Vec<FoundMemory>, ServiceError>;

    async fn memory_totals(
        &self,
        spaces: Vec<MemorySpace>,
        kind: MemoryKind,
    ) -> Result<MemoryTotals, ServiceError>;

    /// Stores an entry that a person has written, without keys and tokens.
    async fn remember(&self, new: NewMemory) -> Result<WrittenMemory, ServiceError>;

    /// The entries in a summary, in the versions that became part of it, oldest first.
    async fn memory_sources(&self, summary: u64) -> Result<Vec<MemoryEntry>, ServiceError>;

    /// The runs that write the summaries that a person wants.
    async fn consolidations(
        &self,
        asked: ConsolidationRequest<'_>,
    ) -> Result<Vec<PlannedConsolidation>, ServiceError>;

    /// The runs that write the summaries that are due at `now` by the settings of teams.
    async fn due_consolidations(&self, now: Timestamp) -> Result<Vec<PlannedConsolidation>, ServiceError>;

    /// Removes every version of an entry; says whether there was one.
    async fn forget(&self, number: u64) -> Result<bool, ServiceError>;
}
