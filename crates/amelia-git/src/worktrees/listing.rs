//! What git knows of its worktrees, as `git worktree list` says it.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use super::Worktrees;
use super::registered::Registered;
use super::single::{Lookup, look_up};
use crate::error::GitError;
use crate::repository::Repository;

impl Repository {
    /// Every checkout that git knows, with the branch in it.
    pub(crate) async fn checkouts(&self) -> Result<Vec<(PathBuf, Option<String>)>, GitError> {
        let pieces = self.git.pieces(&["worktree", "list", "--porcelain", "-z"]).await?;
        Ok(parse(&pieces).into_iter().map(|found| (found.path, found.branch)).collect())
    }
}

impl Worktrees {
    /// Those below our directory, by path.
    pub(super) async fn all_registered(&self) -> Result<Vec<Registered>, GitError> {
        let pieces = self.repository.git.pieces(&["worktree", "list", "--porcelain", "-z"]).await?;
        // Git writes paths without links; ours may lead through one.
        let real = self.dir.canonicalize().unwrap_or_else(|_| self.dir.clone());
        let mut found: Vec<Registered> = parse(&pieces)
            .into_iter()
            .filter_map(|found| {
                let inside =
                    found.path.strip_prefix(&real).or_else(|_| found.path.strip_prefix(&self.dir)).ok()?;
                Some(Registered { path: self.dir.join(inside), ..found.clone() })
            })
            .collect();
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    pub(super) async fn registered(&self, path: &Path) -> Result<Option<Registered>, GitError> {
        match look_up(self.repository.root(), path) {
            Lookup::Found(found) => Ok(Some(found)),
            Lookup::NotFound => Ok(None),
            Lookup::Unclear => self.listed(path).await,
        }
    }

    /// The same by the list of all.
    pub(super) async fn listed(&self, path: &Path) -> Result<Option<Registered>, GitError> {
        Ok(self.all_registered().await?.into_iter().find(|found| found.path == path))
    }
}

fn parse(pieces: &[OsString]) -> Vec<Registered> {
    let mut found: Vec<Registered> = Vec::new();
    for piece in pieces {
        if let Some(path) = piece.as_bytes().strip_prefix(b"worktree ") {
            found.push(Registered {
                path: OsString::from_vec(path.to_vec()).into(),
                branch: None,
                locked: None,
            });
        } else if let Some(branch) = piece.as_bytes().strip_prefix(b"branch refs/heads/")
            && let Some(last) = found.last_mut()
        {
            last.branch = Some(String::from_utf8_lossy(branch).into_owned());
        } else if let Some(reason) = piece.as_bytes().strip_prefix(b"locked")
            && let Some(last) = found.last_mut()
        {
            last.locked = Some(String::from_utf8_lossy(reason).trim_start().to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_hold_anything_and_unknown_words_are_skipped() {
        let pieces = [
            "worktree /a\nb",
            "HEAD 1",
            "branch refs/heads/x/y",
            "worktree /c",
            "detached",
            "prunable gone",
            "locked",
        ];
        let registered = |path: &str, branch: Option<&str>, locked: Option<&str>| Registered {
            path: path.into(),
            branch: branch.map(str::to_owned),
            locked: locked.map(str::to_owned),
        };
        assert_eq!(
            parse(&pieces.map(OsString::from)),
            [registered("/a\nb", Some("x/y"), None), registered("/c", None, Some(""))]
        );
    }
}
