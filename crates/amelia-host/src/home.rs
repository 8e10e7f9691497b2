//! The directory that holds everything, and what is opened in it.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use amelia_core::clock::SystemClock;
use amelia_core::store::Store;
use amelia_orchestrator::runs::Runs;
use amelia_store::sqlite::{Options, SqliteStore};
use anyhow::{Context, Result};

use crate::server_config;
use amelia_orchestrator::service::ServiceError;

/// `$AMELIA_HOME`, or `~/.amelia`.
#[derive(Debug, Clone)]
pub struct Home(PathBuf);

impl Home {
    /// The directory that was asked for, or the default one.
    pub fn find(asked: Option<PathBuf>) -> Result<Self> {
        match asked {
            Some(path) if path.as_os_str().is_empty() => Err(ServiceError::invalid(
                "the home is empty\n  hint: give --home or AMELIA_HOME a directory",
            )
            .into()),
            // A server that this command starts stands somewhere else.
            Some(path) => Ok(Self(std::path::absolute(path)?)),
            None => {
                let user = std::env::home_dir()
                    .context("this user has no home directory\n  hint: set AMELIA_HOME")?;
                Ok(Self(user.join(".amelia")))
            }
        }
    }

    /// A home at a known place.
    pub fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// Whether commands come here when nobody names a home.
    pub fn is_default(&self) -> bool {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        std::env::home_dir().is_some_and(|user| real(&user.join(".amelia")) == real(&self.0))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Where is noted what users have edited themselves in checkouts that runs work in.
    pub fn own_edits(&self) -> PathBuf {
        self.0.join("own-edits")
    }

    /// The store, with the sole right to write it.
    pub fn open(&self) -> Result<Arc<SqliteStore>> {
        self.make()?;
        Ok(Arc::new(SqliteStore::open(&self.database()?, Options::default())?))
    }

    /// Makes the directory, for its owner alone: what agents have read is in there.
    pub fn make(&self) -> Result<()> {
        let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.0);
        made.with_context(|| format!("{} cannot be made", self.0.display()))
    }

    /// Where the store is: in this home, unless the server's configuration says otherwise.
    pub fn database(&self) -> Result<PathBuf> {
        server_config::database(self)
    }

    /// The store, to look at: whoever is at work in it goes on.
    pub fn look(&self) -> Result<Arc<SqliteStore>> {
        Ok(Arc::new(SqliteStore::look(&self.existing()?)?))
    }

    /// Whether some process is at work in this home.
    pub fn is_busy(&self) -> bool {
        // Where nobody can say where it is, nobody is at work in it; whoever opens it hears why.
        self.database().is_ok_and(|file| SqliteStore::is_owned(&file))
    }

    /// The process that is at work in this home.
    pub fn owner(&self) -> Option<u32> {
        SqliteStore::owner(&self.database().ok()?)
    }

    /// Whether anything was ever kept here.
    pub fn has_runs(&self) -> bool {
        self.database().is_ok_and(|file| file.exists())
    }

    /// The file of the store, or that there is none.
    pub fn existing(&self) -> Result<PathBuf> {
        let file = self.database()?;
        if file.exists() {
            return Ok(file);
        }
        let message = format!(
            "there are no runs in {}\n  hint: `amelia do` starts one; --home or AMELIA_HOME name another place",
            self.0.display()
        );
        Err(ServiceError::not_found(message).into())
    }
}

/// Runs on a store.
pub fn runs_on(store: Arc<dyn Store>) -> Runs {
    Runs::new(store, Arc::new(SystemClock))
}
