//! The branch of a run gets into a branch of the user. The result is computed as objects first, so that a conflict
//! changes nothing; then the branch moves forward, with the checkout that it is checked out in.

mod forward;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use amelia_core::delivery::MergeMethod;

use crate::commits::is_about_identity;
use crate::error::GitError;
use crate::git::{Git, pieces_of};
use crate::repository::Repository;
use crate::worktree_lock::with_worktree_lock;

use forward::forward_checkout;

/// What `git merge-tree` exits with when it has found conflicts.
const CONFLICTS: i32 = 1;

/// What is merged, and how.
#[derive(Debug, Clone, Copy)]
pub struct BranchMerge<'a> {
    pub branch: &'a str,
    pub into: &'a str,
    pub method: MergeMethod,
    /// Of the merge commit or the squashed commit.
    pub message: &'a str,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BranchMergeOutcome {
    Merged {
        /// Where the branch was, and where it is.
        before: String,
        commit: String,
        /// Where the branch is checked out.
        checkout: Option<PathBuf>,
        /// Files there with uncommitted changes that were the same as those that were merged.
        same: Vec<String>,
    },
    /// The branch has all of it already.
    Nothing,
    Conflicts {
        files: Vec<String>,
    },
}

impl Repository {
    /// Merges a branch into another one. Changes nothing when there are conflicts, or when a file that the merge changes
    /// has changes that are not committed.
    pub async fn merge_into(&self, merge: BranchMerge<'_>) -> Result<BranchMergeOutcome, GitError> {
        let git = with_worktree_lock(&self.git).await?;
        let before = self.branch_tip(merge.into).await?;
        let head = self.branch_tip(merge.branch).await?;
        if git.is_ancestor(&head, &before).await? {
            return Ok(BranchMergeOutcome::Nothing);
        }
        let commit = match merged(&git, &before, &head, merge).await? {
            Ok(commit) => commit,
            Err(files) => return Ok(BranchMergeOutcome::Conflicts { files }),
        };
        // It got there by other commits. Only going forward to the branch itself adds something then: its commits.
        if commit != head && same_files(&git, &before, &commit).await? {
            return Ok(BranchMergeOutcome::Nothing);
        }
        let checkout = self.checkout_of(merge.into).await?;
        let same = match &checkout {
            Some(path) => forward_checkout(&git.at(path), &before, &commit).await?,
            None => {
                let name = format!("refs/heads/{}", merge.into);
                git.text(&["update-ref", "-m", "amelia merge", &name, &commit, &before]).await?;
                Vec::new()
            }
        };
        Ok(BranchMergeOutcome::Merged { before, commit, checkout, same })
    }

    /// The commit that a local branch is at.
    pub async fn branch_tip(&self, branch: &str) -> Result<String, GitError> {
        let name = format!("refs/heads/{branch}");
        match self.git.text(&["rev-parse", "--verify", "--quiet", &name]).await {
            Ok(tip) => Ok(tip),
            Err(GitError::Git { .. }) => {
                Err(GitError::NoBranch { name: branch.to_owned(), path: self.root().to_path_buf() })
            }
            Err(other) => Err(other),
        }
    }

    /// Deletes a branch that is at `tip` and checked out nowhere; says whether it did.
    pub async fn delete_branch(&self, branch: &str, tip: &str) -> Result<bool, GitError> {
        if self.checkout_of(branch).await?.is_some() {
            return Ok(false);
        }
        match self.git.text(&["update-ref", "-d", &format!("refs/heads/{branch}"), tip]).await {
            Ok(_) => Ok(true),
            Err(GitError::Git { .. }) => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// Where a branch is checked out: the user's checkout, or a worktree.
    pub async fn checkout_of(&self, branch: &str) -> Result<Option<PathBuf>, GitError> {
        let all = self.checkouts().await?;
        let found = all.into_iter().find(|(_, held)| held.as_deref() == Some(branch));
        Ok(found.map(|(path, _)| path).filter(|path| path.exists()))
    }

    /// How many commits that change something a branch has and `tip` has not; a copy of one that `tip` has is none.
    pub async fn commits_unknown_to(&self, tip: &str, branch: &str) -> Result<usize, GitError> {
        let range = format!("{tip}...refs/heads/{branch}");
        let args = ["rev-list", "--count", "--no-merges", "--right-only", "--cherry-pick", &range];
        Ok(self.git.text(&args).await?.parse().unwrap_or(0))
    }

    /// How many commits a branch has that `since` does not have.
    pub async fn commits_since(&self, since: &str, branch: &str) -> Result<usize, GitError> {
        let count = self.git.text(&["rev-list", "--count", &format!("{since}..refs/heads/{branch}")]).await?;
        Ok(count.parse().unwrap_or(0))
    }
}

/// The commit that `into` gets, or the files that conflict.
async fn merged(
    git: &Git,
    before: &str,
    head: &str,
    merge: BranchMerge<'_>,
) -> Result<Result<String, Vec<String>>, GitError> {
    let is_forward = git.is_ancestor(before, head).await?;
    match merge.method {
        MergeMethod::Merge if is_forward => Ok(Ok(head.to_owned())),
        MergeMethod::Rebase if is_forward && !has_merges(git, before, head).await? => Ok(Ok(head.to_owned())),
        MergeMethod::Merge => match merge_tree(git, before, head).await? {
            Ok(tree) => commit_tree(git, &tree, &[before, head], merge.message).await.map(Ok),
            Err(files) => Ok(Err(files)),
        },
        MergeMethod::Squash => match merge_tree(git, before, head).await? {
            Ok(tree) => commit_tree(git, &tree, &[before], merge.message).await.map(Ok),
            Err(files) => Ok(Err(files)),
        },
        MergeMethod::Rebase => rebased(git, before, head).await,
    }
}

/// The commits of `head` that `onto` does not have, one by one on top of it, with their authors and messages.
async fn rebased(git: &Git, onto: &str, head: &str) -> Result<Result<String, Vec<String>>, GitError> {
    let range = format!("{onto}..{head}");
    let commits = git.text(&["rev-list", "--reverse", "--topo-order", "--no-merges", &range]).await?;
    let mut tip = onto.to_owned();
    for commit in commits.lines() {
        let parent = git.text(&["rev-parse", &format!("{commit}^")]).await?;
        // The files of the tip as a child of the commit's parent: git then takes that parent for the merge base.
        let tip_tree = git.text(&["rev-parse", &format!("{tip}^{{tree}}")]).await?;
        let stand_in = commit_tree(git, &tip_tree, &[&parent], "rebase").await?;
        let tree = match merge_tree(git, &stand_in, commit).await? {
            Ok(tree) => tree,
            Err(files) => return Ok(Err(files)),
        };
        // It is in there already.
        if tree == tip_tree {
            continue;
        }
        let message = git.text(&["log", "-1", "--format=%B", commit]).await?;
        tip = commit_tree(&git.with_vars(author(git, commit).await?), &tree, &[&tip], &message).await?;
    }
    Ok(Ok(tip))
}

async fn author(git: &Git, commit: &str) -> Result<Vec<(OsString, OsString)>, GitError> {
    let shown = git.text(&["log", "-1", "--format=%an%x00%ae%x00%aI", commit]).await?;
    let names = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE"];
    Ok(names.into_iter().zip(shown.split('\0')).map(|(name, value)| (name.into(), value.into())).collect())
}

impl Repository {
    /// Where every branch is, by its name.
    pub async fn branch_tips(&self) -> Result<BTreeMap<String, String>, GitError> {
        let format = "--format=%(objectname) %(refname:lstrip=2)";
        let listed = self.git.text(&["for-each-ref", format, "refs/heads"]).await?;
        let tips = listed.lines().filter_map(|line| line.split_once(' '));
        Ok(tips.map(|(commit, name)| (name.to_owned(), commit.to_owned())).collect())
    }

    /// Whether a branch has what a commit has changed, by any commits: a squash or a rebase leaves no other trace.
    /// Merging the commit would change nothing there.
    pub async fn has_content_of(&self, branch: &str, commit: &str) -> Result<bool, GitError> {
        let name = format!("refs/heads/{branch}");
        let tree = self.git.text(&["rev-parse", "--verify", &format!("{name}^{{tree}}")]).await?;
        Ok(merge_tree(&self.git, &name, commit).await? == Ok(tree))
    }
}

/// The tree of a merge, or the files that conflict.
async fn merge_tree(git: &Git, ours: &str, theirs: &str) -> Result<Result<String, Vec<String>>, GitError> {
    let args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs];
    let (code, bytes) = git.exit(&args, &[CONFLICTS]).await?;
    let mut pieces = pieces_of(&bytes).into_iter().map(|piece| piece.to_string_lossy().into_owned());
    let tree = pieces.next().unwrap_or_default();
    Ok(if code == CONFLICTS { Err(pieces.collect()) } else { Ok(tree) })
}

async fn commit_tree(git: &Git, tree: &str, parents: &[&str], message: &str) -> Result<String, GitError> {
    let mut args = vec!["commit-tree", tree];
    for parent in parents {
        args.extend(["-p", parent]);
    }
    // The command does not look at the setting by itself.
    let signs = git.text(&["config", "--type=bool", "--get", "commit.gpgSign"]).await;
    if signs.is_ok_and(|value| value == "true") {
        args.push("-S");
    }
    args.extend(["-m", message]);
    match git.text(&args).await {
        Err(GitError::Git { message, .. }) if is_about_identity(&message) => Err(GitError::NoIdentity),
        made => made,
    }
}

async fn has_merges(git: &Git, since: &str, head: &str) -> Result<bool, GitError> {
    let range = format!("{since}..{head}");
    Ok(!git.text(&["rev-list", "--merges", "--max-count=1", &range]).await?.is_empty())
}

async fn same_files(git: &Git, one: &str, other: &str) -> Result<bool, GitError> {
    let tree = |commit: &str| format!("{commit}^{{tree}}");
    let trees = git.text(&["rev-parse", &tree(one), &tree(other)]).await?;
    Ok(trees.lines().next() == trees.lines().nth(1))
}

#[cfg(test)]
mod tests;
