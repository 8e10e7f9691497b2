//! Whether a merge is still in its branch, or was undone: by moving the branch back, or by commits that revert it.

use std::collections::HashSet;

use crate::Repository;
use crate::error::GitError;

/// How a merge was undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoneMerge {
    /// The branch no longer has it.
    Removed,
    /// The branch has commits that revert it.
    Reverted,
}

impl Repository {
    /// How the merge that took a branch from `before` to `commit` was undone; `None` if it was not, or if the branch is
    /// gone.
    pub async fn undone_merge(
        &self,
        branch: &str,
        before: &str,
        commit: &str,
    ) -> Result<Option<UndoneMerge>, GitError> {
        self.branch_tip(branch).await?;
        // A commit that git has forgotten is in no branch.
        if !self.has_commit(branch, commit).await.unwrap_or(false) {
            return Ok(Some(UndoneMerge::Removed));
        }
        let later = format!("{commit}..refs/heads/{branch}");
        let log = self.git.text(&["log", "-z", "--format=%H%n%B", &later]).await?;
        let reverted = reverted_by(&log);
        if reverted.is_empty() {
            return Ok(None);
        }
        let merged = self.git.text(&["rev-list", "--first-parent", &format!("{before}..{commit}")]).await?;
        let is_reverted = merged.lines().all(|commit| reverted.contains(commit));
        Ok(is_reverted.then_some(UndoneMerge::Reverted))
    }
}

/// The commits that a log takes back, the newest first. What takes back a revert does not.
fn reverted_by(log: &str) -> HashSet<&str> {
    let mut reverted = HashSet::new();
    for entry in log.split('\0') {
        let (commit, message) = entry.split_once('\n').unwrap_or((entry, ""));
        if reverted.contains(commit) {
            continue;
        }
        let named = message.split("This reverts commit ").skip(1);
        reverted.extend(named.filter_map(|rest| rest.split(|c: char| !c.is_ascii_hexdigit()).next()));
    }
    reverted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revert_that_was_reverted_takes_nothing_back() {
        let revert = |commit: &str| format!("Revert \"x\"\n\nThis reverts commit {commit}.");
        let once = format!("bb\n{}\0cc\nmore", revert("aa"));
        assert_eq!(reverted_by(&once), HashSet::from(["aa"]));
        let twice = format!("dd\n{}\0bb\n{}", revert("bb"), revert("aa"));
        assert_eq!(reverted_by(&twice), HashSet::from(["bb"]));
        let merge = "bb\nRevert\n\nThis reverts commit aa, reversing\nchanges made to 11.";
        assert_eq!(reverted_by(merge), HashSet::from(["aa"]));
        assert!(reverted_by("").is_empty());
    }
}
