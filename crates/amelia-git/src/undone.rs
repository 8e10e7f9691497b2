//! Whether merges are still in their branch, or were undone: by moving the branch back, or by commits that revert them.

use std::collections::HashSet;

use amelia_core::delivery::{MergedChange, UndoneMerge};

use crate::Repository;
use crate::error::GitError;

/// What `git revert` writes before the name of a commit.
const REVERTS: &str = "This reverts commit ";

impl Repository {
    /// How each of these merges into a branch was undone; `None` for one that was not. Those that are still there cost no
    /// call of git for each.
    pub async fn undone_merges(
        &self,
        branch: &str,
        merges: &[&MergedChange],
    ) -> Result<Vec<Option<UndoneMerge>>, GitError> {
        match self.branch_tip(branch).await {
            Ok(_) => {}
            Err(GitError::NoBranch { .. }) => return self.without_target(merges).await,
            Err(other) => return Err(other),
        }
        let name = format!("refs/heads/{branch}");
        let commits: HashSet<&str> = merges.iter().map(|merged| merged.commit.as_str()).collect();
        let there = self.contained(&name, commits).await?;
        let log = self.reverts_since(&name, &there).await?;
        let reverted = reverted_by(&log);
        let mut found = Vec::with_capacity(merges.len());
        for MergedChange { before, commit, .. } in merges {
            found.push(match (there.contains(commit), reverted.contains(commit.as_str())) {
                (false, _) => Some(UndoneMerge::Removed),
                (true, false) => None,
                (true, true) => {
                    let range = format!("{before}..{commit}");
                    let merged = self.git.text(&["rev-list", "--first-parent", &range]).await?;
                    let is_reverted = merged.lines().all(|commit| reverted.contains(commit));
                    is_reverted.then_some(UndoneMerge::Reverted)
                }
            });
        }
        Ok(found)
    }

    /// The same for merges into a branch that is gone: they are still there if another branch than the merged one has them.
    async fn without_target(&self, merges: &[&MergedChange]) -> Result<Vec<Option<UndoneMerge>>, GitError> {
        let mut found = Vec::with_capacity(merges.len());
        for MergedChange { branch, commit, .. } in merges {
            let args = ["for-each-ref", "--format=%(refname:lstrip=2)", "--contains", commit, "refs/heads"];
            let holders = match self.git.text(&args).await {
                Ok(holders) => holders,
                // Git has forgotten the commit.
                Err(GitError::Git { .. }) => String::new(),
                Err(other) => return Err(other),
            };
            let is_there = holders.lines().any(|holder| holder != branch);
            found.push((!is_there).then_some(UndoneMerge::Removed));
        }
        Ok(found)
    }

    /// Those of the commits that a branch has, which is named as a whole: `refs/heads/main`. A commit that git has forgotten is in no branch.
    pub async fn contained(&self, branch: &str, commits: HashSet<&str>) -> Result<HashSet<String>, GitError> {
        let list = async |more: &[&str]| {
            let args = ["rev-list", "--ignore-missing"].into_iter().chain(more.iter().copied());
            let listed = self.git.text(&args.chain(commits.iter().copied()).collect::<Vec<_>>()).await?;
            Ok::<_, GitError>(listed.lines().map(str::to_owned).collect::<HashSet<_>>())
        };
        let (known, elsewhere) = (list(&["--no-walk"]).await?, list(&[&format!("^{branch}")]).await?);
        Ok(known.difference(&elsewhere).cloned().collect())
    }

    /// The commits of a branch that revert others, since the oldest of the given ones.
    async fn reverts_since(&self, branch: &str, commits: &HashSet<String>) -> Result<String, GitError> {
        if commits.is_empty() {
            return Ok(String::new());
        }
        let args = ["merge-base", "--octopus"].into_iter().chain(commits.iter().map(String::as_str));
        // Branches that were put together may have nothing in common.
        let (_, oldest) = self.git.exit(&args.collect::<Vec<_>>(), &[1]).await?;
        let oldest = String::from_utf8_lossy(&oldest);
        let range = match oldest.lines().next() {
            Some(oldest) => format!("{oldest}..{branch}"),
            None => branch.to_owned(),
        };
        let grep = format!("--grep={REVERTS}");
        self.git.text(&["log", "-z", "--format=%H%n%B", "--fixed-strings", &grep, &range]).await
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
        let named = message.split(REVERTS).skip(1);
        reverted.extend(named.filter_map(|rest| rest.split(|c: char| !c.is_ascii_hexdigit()).next()));
    }
    reverted
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use amelia_core::delivery::MergeMethod;

    use super::*;
    use crate::commits::tests::{World, git};

    /// A commit on the branch that is checked out, as the merge of a run.
    fn merged(root: &Path, file: &str) -> MergedChange {
        let before = git(root, &["rev-parse", "HEAD"]);
        fs::write(root.join(file), "x\n").unwrap();
        git(root, &["add", "--", file]);
        git(root, &["commit", "-q", "-m", file]);
        let (into, commit) =
            (git(root, &["symbolic-ref", "--short", "HEAD"]), git(root, &["rev-parse", "HEAD"]));
        let (method, branch, head) = (MergeMethod::Squash, "work".to_owned(), None);
        MergedChange { method, branch, into, before, commit, head, branch_deleted: false, undo: None }
    }

    #[tokio::test]
    async fn merges_are_looked_at_together_and_those_that_are_gone_or_reverted_are_found() {
        let world = World::new().await;
        let root = world.repository.root();
        let (kept, reverted) = (merged(root, "kept"), merged(root, "reverted"));
        git(root, &["revert", "--no-edit", &reverted.commit]);
        let removed = merged(root, "removed");
        git(root, &["reset", "-q", "--hard", "HEAD~1"]);
        let forgotten = MergedChange { commit: "0123456789".repeat(4), ..kept.clone() };
        let look = async |merges: &[&MergedChange]| {
            world.repository.undone_merges(&kept.into, merges).await.unwrap()
        };
        assert_eq!(
            look(&[&kept, &reverted, &removed, &forgotten]).await,
            [None, Some(UndoneMerge::Reverted), Some(UndoneMerge::Removed), Some(UndoneMerge::Removed)]
        );
        assert_eq!(look(&[&forgotten]).await, [Some(UndoneMerge::Removed)]);
        assert_eq!(look(&[&kept]).await, [None]);
        git(root, &["revert", "--no-edit", "HEAD"]);
        assert_eq!(look(&[&reverted]).await, [None], "the revert was reverted");
    }

    #[tokio::test]
    async fn a_merge_into_a_branch_that_is_gone_counts_only_if_another_branch_has_it() {
        let world = World::new().await;
        let root = world.repository.root();
        git(root, &["switch", "-q", "-c", "topic"]);
        let change = MergedChange { branch: "work".to_owned(), ..merged(root, "change") };
        git(root, &["branch", "work"]);
        git(root, &["switch", "-q", "-"]);
        let main = git(root, &["symbolic-ref", "--short", "HEAD"]);
        git(root, &["branch", "-q", "-D", "topic"]);
        let forgotten = MergedChange { commit: "0123456789".repeat(4), ..change.clone() };
        let look = async || world.repository.undone_merges("topic", &[&change, &forgotten]).await.unwrap();
        assert_eq!(
            look().await,
            [Some(UndoneMerge::Removed), Some(UndoneMerge::Removed)],
            "only `work` has it"
        );
        git(root, &["merge", "-q", "work"]);
        assert_eq!(look().await, [None, Some(UndoneMerge::Removed)], "{main} has it");
    }

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
