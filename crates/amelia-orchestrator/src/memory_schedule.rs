//! Consolidation by schedule: runs that summarise what agents remember are created when the settings of their teams say so.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use amelia_core::clock::Clock;
use amelia_core::id::RunId;

use crate::memory_service::PlannedConsolidation;
use crate::orchestrator::{CommandError, Orchestrator, StartMode};
use crate::service::{RunService, ServiceError};

/// How often is looked.
const PERIOD: Duration = Duration::from_secs(60);

/// Why a look has led to nothing.
#[derive(Debug, thiserror::Error)]
pub enum ScheduleError {
    #[error(transparent)]
    Service(#[from] ServiceError),
    #[error(transparent)]
    Command(#[from] CommandError),
}

/// Looks whether summaries are due, as long as a server lives.
pub struct ConsolidationSchedule {
    orchestrator: Orchestrator,
    service: Arc<dyn RunService>,
    clock: Arc<dyn Clock>,
    /// Keys of runs that it has created. A failed one is due until there is something new.
    created: BTreeSet<String>,
}

impl ConsolidationSchedule {
    #[must_use]
    pub fn new(orchestrator: &Orchestrator, service: &Arc<dyn RunService>, clock: Arc<dyn Clock>) -> Self {
        let (orchestrator, service) = (orchestrator.clone(), Arc::clone(service));
        Self { orchestrator, service, clock, created: BTreeSet::new() }
    }

    /// Looks every minute, until it is dropped.
    pub async fn keep(mut self) {
        loop {
            tokio::time::sleep(PERIOD).await;
            if let Err(error) = self.start_due().await {
                tracing::error!("memory cannot be summarised: {error}");
            }
        }
    }

    /// Creates the runs that are due. One that is there already, and has failed, is not created again.
    pub async fn start_due(&mut self) -> Result<Vec<RunId>, ScheduleError> {
        let Some(memory) = self.service.memory_service() else { return Ok(Vec::new()) };
        let mut started = Vec::new();
        for PlannedConsolidation { spec, .. } in memory.due_consolidations(self.clock.now()).await? {
            let key = spec.idempotency_key.clone();
            if key.as_ref().is_some_and(|key| self.created.contains(key)) {
                continue;
            }
            started.push(self.orchestrator.start(spec, StartMode::Soon).await?);
            self.created.extend(key);
        }
        Ok(started)
    }
}
