//! Definitions that were sent to the API.

use std::sync::Arc;

use amelia_core::clock::SystemClock;
use amelia_orchestrator::stored_definitions::StoredDefinitions;

use super::LocalRunService;

impl LocalRunService {
    /// Teams that were sent to the API.
    pub(crate) fn stored_teams(&self) -> StoredDefinitions {
        StoredDefinitions::teams(Arc::clone(&self.documents), Arc::new(SystemClock))
    }

    /// Guardrail policies that were sent to the API.
    pub(crate) fn stored_policies(&self) -> StoredDefinitions {
        StoredDefinitions::policies(Arc::clone(&self.documents), Arc::new(SystemClock))
    }
}
