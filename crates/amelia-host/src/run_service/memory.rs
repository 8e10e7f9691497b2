//! What agents remember, for people: read, searched, written and forgotten.

use std::path::Path;

use amelia_core::clock::{Clock, SystemClock};
use amelia_core::id::RunId;
use amelia_core::memory::{
    FoundMemory, MemoryEntry, MemoryFilter, MemoryQuery, MemoryScope, MemorySpace, MemoryTotals, NewMemory,
    WrittenMemory,
};
use amelia_core::message::MemoryKind;
use amelia_core::problem::Problem;
use amelia_core::view::RunRow;
use amelia_orchestrator::memory_service::{ConsolidationRequest, MemoryService, PlannedConsolidation};
use amelia_orchestrator::service::ServiceError;
use async_trait::async_trait;
use jiff::Timestamp;

use super::{LocalRunService, unavailable};
use crate::definitions::DefinitionKind;
use crate::error::service_error;
use crate::keys::Keys;
use crate::memory::SharedMemory;
use crate::run_parts::input;
use crate::team_input::{TeamInput, spaces_of};

impl LocalRunService {
    pub(super) fn shared_memory(&self) -> Result<&SharedMemory, ServiceError> {
        self.memory.as_ref().ok_or_else(|| ServiceError::not_found("there is no memory here"))
    }

    /// A fork remembers what its run did at the checkpoint.
    pub(super) async fn copy_memory(&self, run: RunId, fork: RunId, until: Timestamp) -> anyhow::Result<()> {
        if let Some(shared) = &self.memory {
            let (from, to) = (MemorySpace::of_run(run), MemorySpace::of_run(fork));
            shared.memories.copy_memories(from, to, until).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl MemoryService for LocalRunService {
    async fn space(
        &self,
        scope: MemoryScope,
        team: Option<&str>,
        directory: &Path,
    ) -> Result<MemorySpace, ServiceError> {
        if scope == MemoryScope::Global {
            return Ok(MemorySpace::of_all());
        }
        let definitions = self.definitions(directory).await?;
        let repository = definitions.repository().and_then(|root| root.canonicalize().ok());
        match (scope, team) {
            (MemoryScope::Repository, _) => {
                let missing = || {
                    let problem = Problem::new(format!("{} is in no git repository", directory.display()));
                    ServiceError::Invalid(problem.with_hint("change to one, or use the scope `global`"))
                };
                Ok(MemorySpace::of_repository(repository.as_deref().ok_or_else(missing)?))
            }
            (MemoryScope::Team, Some(team)) => {
                let file = definitions.file(DefinitionKind::Team, team).map_err(ServiceError::NotFound)?;
                Ok(MemorySpace::of_team(team, repository.as_deref().filter(|_| file.is_of_repository)))
            }
            (MemoryScope::Team, None) => {
                Err(ServiceError::Invalid(Problem::new("the name of the team is missing")).at("team"))
            }
            (MemoryScope::Run | MemoryScope::Global, _) => {
                let problem = Problem::new("only its agents can store entries of a run");
                Err(ServiceError::Invalid(problem.with_hint("use team, repository or global")).at("scope"))
            }
        }
    }

    fn spaces_of(&self, row: &RunRow) -> Vec<MemorySpace> {
        match input::<TeamInput>(row) {
            Ok(input) => spaces_of(&input, row.run.id),
            Err(_) => Vec::new(),
        }
    }

    async fn memories(&self, filter: MemoryFilter) -> Result<Vec<MemoryEntry>, ServiceError> {
        self.shared_memory()?.memories.memories(filter, SystemClock.now()).await.map_err(unavailable)
    }

    async fn memory_versions(&self, number: u64) -> Result<Vec<MemoryEntry>, ServiceError> {
        let mut versions = self.shared_memory()?.memories.memory(number).await.map_err(unavailable)?;
        let now = SystemClock.now();
        if versions.last().is_some_and(|newest| newest.is_expired(now)) {
            versions.clear();
        }
        Ok(versions)
    }

    async fn find_memories(&self, query: MemoryQuery) -> Result<Vec<FoundMemory>, ServiceError> {
        self.shared_memory()?.find(query).await.map_err(unavailable)
    }

    async fn memory_totals(
        &self,
        spaces: Vec<MemorySpace>,
        kind: MemoryKind,
    ) -> Result<MemoryTotals, ServiceError> {
        let memories = &self.shared_memory()?.memories;
        memories.memory_totals(spaces, kind, SystemClock.now()).await.map_err(unavailable)
    }

    async fn remember(&self, new: NewMemory) -> Result<WrittenMemory, ServiceError> {
        let keys = Keys::gather(&self.home, &[]).map_err(service_error)?;
        let clean = |text: String| keys.redactor().text(&text).into_owned();
        let new = NewMemory { text: clean(new.text), key: new.key.map(clean), ..new };
        new.check().map_err(ServiceError::Invalid)?;
        self.shared_memory()?.remember(new).await.map_err(unavailable)
    }

    async fn memory_sources(&self, summary: u64) -> Result<Vec<MemoryEntry>, ServiceError> {
        self.shared_memory()?.memories.memory_sources(summary).await.map_err(unavailable)
    }

    async fn consolidations(
        &self,
        asked: ConsolidationRequest<'_>,
    ) -> Result<Vec<PlannedConsolidation>, ServiceError> {
        self.asked_consolidations(asked, SystemClock.now()).await
    }

    async fn due_consolidations(&self, now: Timestamp) -> Result<Vec<PlannedConsolidation>, ServiceError> {
        self.due_now(now).await
    }

    async fn forget(&self, number: u64) -> Result<bool, ServiceError> {
        self.shared_memory()?.memories.forget_memory(number).await.map_err(unavailable)
    }
}
