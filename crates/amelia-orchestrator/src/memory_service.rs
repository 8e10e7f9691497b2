//! What agents remember, for people who look at it and change it: the port through which server and command line reach it.

use std::path::Path;

use amelia_core::memory::{
    FoundMemory, MemoryEntry, MemoryFilter, MemoryQuery, MemoryScope, MemorySpace, MemoryTotals, NewMemory,
    WrittenMemory,
};
use amelia_core::message::MemoryKind;
use amelia_core::view::RunRow;
use async_trait::async_trait;

use crate::service_error::ServiceError;

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

    /// Removes every version of an entry; says whether there was one.
    async fn forget(&self, number: u64) -> Result<bool, ServiceError>;
}
