//! Submodules of a worktree. A commit holds links to their commits: what is not committed inside is in no commit at all,
//! and what is committed only inside goes with the worktree.

use std::ffi::OsString;

use crate::error::GitError;
use crate::git::Git;
use crate::repository::Repository;
use crate::worktree::Worktree;

/// The mode of a link to a commit.
const LINK: &str = "160000";

impl Repository {
    /// Submodules that the branch of a worktree links to a commit which none of their remotes has, as far as it is known
    /// there: `<path> at <commit>`. Only links that have changed since the base.
    pub async fn unpublished(&self, worktree: &Worktree) -> Result<Vec<String>, GitError> {
        let git = self.git.at(&worktree.path);
        let args = ["diff", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff", "-z"];
        let changed = git.pieces(&[&args[..], &[&worktree.base_commit, "HEAD", "--"]].concat()).await?;
        let mut found = Vec::new();
        for (path, commit) in changed.chunks(2).filter_map(link) {
            if is_only_in(&git, &path, &commit).await? {
                found.push(format!("{path} at {commit}"));
            }
        }
        Ok(found)
    }
}

/// Submodules with changes inside that are not committed there, new files among them.
pub(crate) async fn dirty(git: &Git) -> Result<Vec<String>, GitError> {
    let args =
        ["status", "--porcelain=v2", "-z", "--no-renames", "--untracked-files=normal", git.submodules()];
    let entries = git.pieces(&args).await?;
    Ok(entries.iter().filter_map(|entry| dirty_path(&entry.to_string_lossy())).collect())
}

/// `1 XY S<commit><modified><untracked> …six more… path`
fn dirty_path(entry: &str) -> Option<String> {
    let mut fields = entry.splitn(9, ' ');
    let (kind, state) = (fields.next()?, fields.nth(1)?);
    let path = fields.nth(5)?;
    let inside = state.strip_prefix('S')?.get(1..)?;
    (kind == "1" && inside != "..").then(|| path.to_owned())
}

/// `:<mode> <mode> <object> <object> <status>`, and the path.
fn link(entry: &[OsString]) -> Option<(String, String)> {
    let [what, path] = entry else { return None };
    let what = what.to_string_lossy();
    let mut fields = what.split(' ').skip(1);
    let (mode, commit) = (fields.next()?, fields.nth(1)?);
    (mode == LINK).then(|| (path.to_string_lossy().into_owned(), commit.to_owned()))
}

async fn is_only_in(git: &Git, path: &str, commit: &str) -> Result<bool, GitError> {
    let dir = git.dir().join(path);
    // Not checked out here: nothing was committed here either.
    if !dir.join(".git").exists() {
        return Ok(false);
    }
    let args = ["rev-list", "--max-count=1", commit, "--not", "--remotes"];
    match git.at(dir).text(&args).await {
        Ok(found) => Ok(!found.is_empty()),
        // It does not have the commit.
        Err(GitError::Git { .. } | GitError::NotARepository { .. }) => Ok(false),
        Err(other) => Err(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_submodule_with_changes_inside_is_dirty() {
        let rest = "160000 160000 160000 1 1 my lib";
        let path = |state: &str| dirty_path(&format!("1 .M {state} {rest}"));
        assert_eq!(path("S.M."), Some("my lib".to_owned()));
        assert_eq!(path("SC.U"), Some("my lib".to_owned()));
        assert_eq!(path("SC.."), None, "only another commit");
        assert_eq!(path("N..."), None);
        assert_eq!(dirty_path("? new file"), None);
    }
}
