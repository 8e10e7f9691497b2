//! What ended runs have left on the disk: their worktrees, those of their parts, branches that hold nothing.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use amelia_core::delivery::MergedChange;
use amelia_core::problem::Problem;
use amelia_core::store::{RunPages, Store};
use amelia_core::view::RunRow;
use amelia_core::workplace::UncommittedWork;
use amelia_git::disk::disk_use;
use amelia_git::{GitError, Repository, Worktree, Worktrees};
use amelia_orchestrator::service::{
    CleanupMode, DiffDetail, DiffRange, Leftover, LeftoverResult, MergedBranch, UnusedAttachments,
};
use anyhow::Result;

use super::delivery;
use crate::attachments::{Attachments, attached_to};
use crate::home::Home;
use crate::place;

/// Only runs that have ended may be among `rows`: no worker is kept from working.
pub(super) async fn tidy(home: &Home, rows: &[RunRow], how: CleanupMode) -> Result<Vec<Leftover>> {
    let mut by_repository: BTreeMap<&Path, Vec<&RunRow>> = BTreeMap::new();
    for row in rows {
        if let Some(place) = row.run.spec.place.as_ref().filter(|place| !place.in_place) {
            by_repository.entry(&place.repository).or_default().push(row);
        }
    }
    let mut left = Vec::new();
    for (path, rows) in by_repository {
        // Where a repository is gone or cannot be read, it is not known what its worktrees hold.
        let Ok(worktrees) = place::worktrees(home, path).await else { continue };
        for row in rows {
            for worktree in place::refused(worktrees.of_run(&row.run.id.to_string()).await)? {
                left.push(one(&worktrees, row, worktree, how).await?);
            }
            left.extend(gone(&worktrees, row, how).await?);
        }
    }
    Ok(left)
}

/// Attached files that no run refers to.
pub(super) async fn attachments(
    home: &Home,
    store: &dyn Store,
    how: CleanupMode,
) -> Result<UnusedAttachments> {
    let mut used = HashSet::new();
    let mut pages = RunPages::new(store);
    while let Some(rows) = pages.next().await? {
        used.extend(rows.iter().flat_map(attached_to).map(|file| file.hash));
    }
    Attachments::of(home).tidy(&used, how)
}

/// Branches of these runs whose commits were merged, by Amelia or by hand, and which are still there.
pub(super) async fn merged_branches(
    home: &Home,
    store: &dyn Store,
    rows: &[RunRow],
    how: CleanupMode,
) -> Result<Vec<MergedBranch>> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    for row in rows {
        let Ok(place) = place::of(row) else { continue };
        let Ok(repository) = place::repository(&place.repository).await else { continue };
        let merged = match &row.view.merged {
            Some(merged) => by_us(&repository, merged).await,
            None => by_hand(home, store, row, &repository).await,
        };
        let Some((branch, into, tip)) = merged else { continue };
        // A fork may have the branch of its run.
        if !seen.insert((&place.repository, branch.clone())) {
            continue;
        }
        let is_deleted = match how {
            CleanupMode::Look => false,
            CleanupMode::Remove => place::refused(repository.delete_branch(&branch, &tip).await)?,
        };
        found.push(MergedBranch { run: row.run.id, branch, into, is_deleted });
    }
    Ok(found)
}

/// The branch, where it was merged into, and its last commit, if it is still there and has nothing else. What was undone,
/// or merged into a branch that is gone, may be in no other branch.
async fn by_us(repository: &Repository, merged: &MergedChange) -> Option<(String, String, String)> {
    let tip = repository.branch_tip(&merged.branch).await.ok()?;
    if repository.undone_merges(&merged.into, &[merged]).await.ok()? != [None] {
        return None;
    }
    let is_unmoved = merged.head.as_deref() == Some(tip.as_str());
    let is_merged = is_unmoved
        || repository.commits_since(&merged.into, &merged.branch).await.is_ok_and(|more| more == 0);
    is_merged.then(|| (merged.branch.clone(), merged.into.clone(), tip))
}

/// The same, for a person who merged with git.
async fn by_hand(
    home: &Home,
    store: &dyn Store,
    row: &RunRow,
    repository: &Repository,
) -> Option<(String, String, String)> {
    let changes = delivery::changes(home, store, row, &DiffRange::Now, DiffDetail::Files).await.ok()?;
    let (branch, into) = (changes.branch?, changes.merged_into?);
    if branch == into {
        return None;
    }
    let tip = repository.branch_tip(&branch).await.ok()?;
    Some((branch, into, tip))
}

/// Worktrees that are gone from the disk, and that git still lists.
async fn gone(worktrees: &Worktrees, row: &RunRow, how: CleanupMode) -> Result<Vec<Leftover>> {
    let gone = place::refused(worktrees.gone_of(&row.run.id.to_string()).await)?;
    if how == CleanupMode::Remove {
        place::refused(worktrees.forget_gone(&gone).await)?;
    }
    let left = |path| Leftover {
        run: row.run.id,
        path,
        branch: None,
        bytes: 0,
        ignored: Vec::new(),
        fate: LeftoverResult::Removed { with_branch: false },
    };
    Ok(gone.gone.into_iter().map(left).collect())
}

async fn one(worktrees: &Worktrees, row: &RunRow, worktree: Worktree, how: CleanupMode) -> Result<Leftover> {
    let path = worktree.path.clone();
    let bytes = tokio::task::spawn_blocking(move || disk_use(&path)).await?;
    let ignored = place::refused(worktrees.ignored(&worktree).await)?;
    let done = match how {
        CleanupMode::Look => looked(worktrees, &worktree).await,
        CleanupMode::Remove => worktrees.remove_with_empty_branch(&worktree, UncommittedWork::Keep).await,
    };
    let fate = match done {
        Ok(with_branch) => LeftoverResult::Removed { with_branch },
        // It has work in it, or git does not let it go: the others still can.
        Err(error) => LeftoverResult::Kept { why: Problem::from(error).to_line() },
    };
    Ok(Leftover { run: row.run.id, path: worktree.path, branch: worktree.branch, bytes, ignored, fate })
}

async fn looked(worktrees: &Worktrees, worktree: &Worktree) -> Result<bool, GitError> {
    worktrees.check_removable(worktree).await?;
    worktrees.is_branch_empty(worktree).await
}
