//! The directory that holds everything.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use amelia_core::problem::Problem;
use anyhow::{Context, Result};

use amelia_orchestrator::service::ServiceError;

/// `$AMELIA_HOME`, or `~/.amelia`.
#[derive(Debug, Clone)]
pub struct Home(PathBuf);

impl Home {
    /// The directory that was asked for, or the default one.
    pub fn find(asked: Option<PathBuf>) -> Result<Self> {
        match asked {
            Some(path) if path.as_os_str().is_empty() => {
                let problem =
                    Problem::new("the home is empty").with_hint("set --home or AMELIA_HOME to a directory");
                Err(ServiceError::invalid(problem).into())
            }
            // A server that this command starts stands somewhere else.
            Some(path) => Ok(Self(std::path::absolute(path)?)),
            None => {
                let none = || Problem::new("this user has no home directory").with_hint("set AMELIA_HOME");
                let user = std::env::home_dir().ok_or_else(none)?;
                Ok(Self(user.join(".amelia")))
            }
        }
    }

    /// A home at a known place.
    pub fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// Whether this is the home that commands use by default.
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

    /// Makes the directory, for its owner alone: what agents have read is in there.
    pub fn make(&self) -> Result<()> {
        let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.0);
        made.with_context(|| format!("{} cannot be created", self.0.display()))
    }
}
