//! What crashes and people left behind, found at start.

use std::path::PathBuf;

use super::Worktrees;
use super::registered::Registered;
use crate::error::GitError;

/// Where git and the disk do not agree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Leftovers {
    /// Directories in our place that git does not know. They may hold work: only a person decides.
    pub unknown: Vec<PathBuf>,
    /// Worktrees that git knows and that are gone from the disk.
    pub gone: Vec<PathBuf>,
}

impl Worktrees {
    /// Looks, and changes nothing.
    pub async fn leftovers(&self) -> Result<Leftovers, GitError> {
        let known: Vec<PathBuf> = self.all_registered().await?.into_iter().map(|found| found.path).collect();
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let mut unknown: Vec<PathBuf> =
            entries.map(|entry| entry.path()).filter(|path| path.is_dir() && !known.contains(path)).collect();
        unknown.sort();
        let gone = known.into_iter().filter(|path| !path.exists()).collect();
        Ok(Leftovers { unknown, gone })
    }

    /// What is gone of a run and its parts. Not what a person has locked: its disk may come back.
    pub async fn gone_of(&self, run: &str) -> Result<Leftovers, GitError> {
        let whole = self.path_of(run);
        let part = format!("{}-", whole.file_name().unwrap_or_default().to_string_lossy());
        let is_its = |found: &Registered| {
            let name = found.path.file_name().unwrap_or_default().to_string_lossy();
            found.path == whole || name.starts_with(&part)
        };
        let all = self.all_registered().await?.into_iter();
        let gone = all.filter(|found| is_its(found) && !found.path.exists() && found.refuse_locked().is_ok());
        Ok(Leftovers { unknown: Vec::new(), gone: gone.map(|found| found.path).collect() })
    }

    /// Makes git forget what is gone, and only ours: `git worktree prune` would also forget a user's worktree on a
    /// disk that is not mounted just now.
    pub async fn forget_gone(&self, leftovers: &Leftovers) -> Result<(), GitError> {
        for path in &leftovers.gone {
            self.forget(path).await?;
        }
        Ok(())
    }
}
