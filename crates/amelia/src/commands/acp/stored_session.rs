//! Sessions of editors, kept in the home so that an editor that was closed can open them again.

use std::path::PathBuf;

use amelia_core::id::RunId;
use amelia_host::home::Home;
use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use crate::commands::new_run::RunMode;

/// Where they are in a home.
const DIRECTORY: &str = "acp";

/// What is kept of a session. Its words are in the logs of its runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoredSession {
    pub(super) mode: RunMode,
    /// Oldest first. The last one is what the conversation is about.
    pub(super) runs: Vec<RunId>,
}

impl StoredSession {
    /// `None` if there is no such session, or it is not readable any more.
    pub(super) fn load(home: &Home, id: &str) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(path(home, id)?).ok()?).ok()
    }

    pub(super) fn save(&self, home: &Home, id: &str) -> Result<()> {
        let path = path(home, id).context("the session has no file")?;
        let directory = home.path().join(DIRECTORY);
        std::fs::create_dir_all(&directory)
            .with_context(|| format!("{} cannot be created", directory.display()))?;
        // Whole, or as it was.
        let new = path.with_extension("new");
        std::fs::write(&new, serde_json::to_vec(self)?)
            .and_then(|()| std::fs::rename(&new, &path))
            .with_context(|| format!("{} cannot be written", path.display()))
    }
}

/// An id of ours is a UUID: nothing else is a name of a file.
fn path(home: &Home, id: &str) -> Option<PathBuf> {
    let id = uuid::Uuid::parse_str(id).ok()?;
    Some(home.path().join(DIRECTORY).join(format!("{id}.json")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_found_again_and_no_path_is_one() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::at(directory.path());
        let id = uuid::Uuid::now_v7().to_string();
        assert_eq!(StoredSession::load(&home, &id), None);
        let session = StoredSession { mode: RunMode::Do, runs: vec![RunId(uuid::Uuid::now_v7())] };
        session.save(&home, &id).unwrap();
        assert_eq!(StoredSession::load(&home, &id), Some(session.clone()));
        std::fs::write(directory.path().join("secret.json"), "{}").unwrap();
        assert_eq!(StoredSession::load(&home, "../secret"), None);
        assert!(session.save(&home, "../secret").is_err());
    }
}
