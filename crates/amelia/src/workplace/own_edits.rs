//! In the user's own checkout: what the user has edited before any agent worked there, while a plan waited for approval.
//! It is neither shown as a change of the run nor committed, for as long as it stays as the user left it. A file that an
//! agent has changed since is the agent's work, too, and is committed whole.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use amelia_core::id::RunId;
use amelia_core::workplace::WorkplaceError;
use amelia_sandbox::{Repository, Worktree};
use serde::{Deserialize, Serialize};

use super::broken;

/// Kept in a file of ours, over the life of the process.
pub(super) struct OwnEdits {
    file: PathBuf,
    noted: Mutex<Noted>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Noted {
    /// An agent may have written here: what is found from now on is not the user's alone.
    has_begun: bool,
    /// By path, with a name of their content.
    files: BTreeMap<String, String>,
    /// What we have written ourselves, such as the plan.
    ours: BTreeSet<String>,
}

impl OwnEdits {
    pub(super) async fn open(
        dir: &Path,
        run: RunId,
        repository: &Repository,
        worktree: &Worktree,
    ) -> Result<Self, WorkplaceError> {
        let file = dir.join(format!("{run}.json"));
        let mut noted: Noted = match std::fs::read(&file) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error| WorkplaceError(format!("{}: {error}", file.display())))?,
            Err(_) => Noted::default(),
        };
        if !noted.has_begun {
            noted.files = repository.contents(worktree).await.map_err(broken)?;
            noted.files.retain(|path, _| !noted.ours.contains(path));
        }
        let own = Self { file, noted: Mutex::new(noted) };
        own.change(|_| {})?;
        Ok(own)
    }

    /// An agent begins to work.
    pub(super) fn begin(&self) -> Result<(), WorkplaceError> {
        self.change(|noted| noted.has_begun = true)
    }

    /// We have written this file.
    pub(super) fn written(&self, path: &str) -> Result<(), WorkplaceError> {
        self.change(|noted| {
            noted.files.remove(path);
            noted.ours.insert(path.to_owned());
        })
    }

    /// Those that are still as the user left them.
    pub(super) async fn untouched(
        &self,
        repository: &Repository,
        worktree: &Worktree,
    ) -> Result<Vec<String>, WorkplaceError> {
        let noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner).files.clone();
        if noted.is_empty() {
            return Ok(Vec::new());
        }
        let now = repository.contents(worktree).await.map_err(broken)?;
        Ok(noted.into_iter().filter(|(path, was)| now.get(path) == Some(was)).map(|(path, _)| path).collect())
    }

    fn change(&self, change: impl FnOnce(&mut Noted)) -> Result<(), WorkplaceError> {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut noted);
        let failed =
            |error: &dyn std::fmt::Display| WorkplaceError(format!("{}: {error}", self.file.display()));
        let bytes = serde_json::to_vec(&*noted).map_err(|error| failed(&error))?;
        if let Some(dir) = self.file.parent() {
            std::fs::create_dir_all(dir).map_err(|error| failed(&error))?;
        }
        let beside = self.file.with_extension("new");
        std::fs::write(&beside, bytes).map_err(|error| failed(&error))?;
        std::fs::rename(&beside, &self.file).map_err(|error| failed(&error))
    }
}
