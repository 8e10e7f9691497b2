//! The database of a home: where it is, whether a process owns it, and opening it.

use std::path::PathBuf;
use std::sync::Arc;

use amelia_core::clock::SystemClock;
use amelia_core::problem::Problem;
use amelia_core::store::Store;
use amelia_orchestrator::runs::Runs;
use amelia_orchestrator::service::ServiceError;
use amelia_store::sqlite::{SqliteOptions, SqliteStore};
use anyhow::Result;

use crate::home::Home;
use crate::server_config;

impl Home {
    /// Opens the store to write it. Only one process can.
    pub fn open(&self) -> Result<Arc<SqliteStore>> {
        self.make()?;
        Ok(Arc::new(SqliteStore::open(&self.database()?, SqliteOptions::default())?))
    }

    /// Opens the store to read it, also while another process writes.
    pub fn look(&self) -> Result<Arc<SqliteStore>> {
        Ok(Arc::new(SqliteStore::look(&self.existing()?)?))
    }

    /// Where the store is: in this home, unless the server's configuration says otherwise.
    pub fn database(&self) -> Result<PathBuf> {
        server_config::database(self)
    }

    /// Whether a process owns the store.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        // A path that cannot be read is owned by no process; opening it says why.
        self.database().is_ok_and(|file| SqliteStore::is_owned(&file))
    }

    /// The process that owns the store.
    #[must_use]
    pub fn owner(&self) -> Option<u32> {
        SqliteStore::owner(&self.database().ok()?)
    }

    /// Whether there is a store.
    #[must_use]
    pub fn has_runs(&self) -> bool {
        self.database().is_ok_and(|file| file.exists())
    }

    /// The file of the store, or that there is none.
    pub fn existing(&self) -> Result<PathBuf> {
        let file = self.database()?;
        if file.exists() {
            return Ok(file);
        }
        let problem = Problem::new(format!("there are no runs in {}", self.path().display()))
            .with_hint("`amelia do` starts one; use --home or AMELIA_HOME for another home");
        Err(ServiceError::not_found(problem).into())
    }
}

/// Runs on a store.
#[must_use]
pub fn runs_on(store: Arc<dyn Store>) -> Runs {
    Runs::new(store, Arc::new(SystemClock))
}
