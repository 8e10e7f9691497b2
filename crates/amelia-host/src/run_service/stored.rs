//! Definitions that a run may be made of: from files, and sent to the API.

use std::path::Path;
use std::sync::Arc;

use amelia_core::clock::SystemClock;
use amelia_orchestrator::service::ServiceError;
use amelia_orchestrator::stored_definitions::StoredDefinitions;

use super::{LocalRunService, unavailable};
use crate::definitions::Definitions;

impl LocalRunService {
    /// Those that were sent to the API.
    pub(crate) fn stored_definitions(&self) -> StoredDefinitions {
        StoredDefinitions::new(Arc::clone(&self.documents), Arc::new(SystemClock))
    }

    /// All that can be named in a directory; without one, those of the home.
    pub(super) async fn definitions(&self, directory: &Path) -> Result<Definitions, ServiceError> {
        let found = match directory.as_os_str().is_empty() {
            true => Definitions::of_home(&self.home),
            false => Definitions::find(&self.home, directory),
        };
        found.with_stored(&self.stored_definitions()).await.map_err(unavailable)
    }
}
