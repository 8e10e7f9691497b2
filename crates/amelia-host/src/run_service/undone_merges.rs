//! Which merges of runs were undone, for lists and for one run: with few calls of git for each branch.

use std::collections::BTreeMap;
use std::path::Path;

use amelia_core::delivery::{MergedChange, UndoneMerge};
use amelia_core::id::RunId;
use amelia_core::view::RunRow;
use futures_util::future::join_all;

use crate::place;

/// Merges of a branch that were undone, and are compared with what the branch has now.
const MOST_COMPARED: usize = 10;

/// What has become of merges that are not as they were made.
#[derive(Debug, Default)]
pub(super) struct ChangedMerges {
    pub(super) undone: BTreeMap<RunId, UndoneMerge>,
    /// The branches that no longer have the commit of a merge and have its changes: they came back by another one.
    pub(super) replaced: BTreeMap<RunId, String>,
}

/// The merges of these runs that are not as they were made, as far as their repositories are on this machine.
pub(super) async fn changed_merges(rows: &[&RunRow]) -> ChangedMerges {
    let mut by_branch: BTreeMap<(&Path, &str), Vec<(RunId, &MergedChange)>> = BTreeMap::new();
    for row in rows {
        if let (Some(merged), Some(place)) = (&row.view.merged, &row.run.spec.place) {
            let merges = by_branch.entry((&place.repository, &merged.into)).or_default();
            merges.push((row.run.id, merged));
        }
    }
    let looks = by_branch.into_iter().map(async |((path, into), merges)| {
        let (runs, merges): (Vec<RunId>, Vec<&MergedChange>) = merges.into_iter().unzip();
        let repository = place::look(path).await.ok()?;
        let undone = repository.undone_merges(into, &merges).await.ok()?;
        let (mut found, mut left) = (ChangedMerges::default(), MOST_COMPARED);
        for ((run, merged), how) in runs.into_iter().zip(merges).zip(undone) {
            let Some(how) = how else { continue };
            let head = merged.head.as_deref().unwrap_or(&merged.commit);
            let is_compared = how == UndoneMerge::Removed && left > 0;
            left -= usize::from(is_compared);
            if is_compared && repository.has_content_of(into, head).await.unwrap_or(false) {
                found.replaced.insert(run, into.to_owned());
            } else {
                found.undone.insert(run, how);
            }
        }
        Some(found)
    });
    let mut all = ChangedMerges::default();
    for mut found in join_all(looks).await.into_iter().flatten() {
        all.undone.append(&mut found.undone);
        all.replaced.append(&mut found.replaced);
    }
    all
}
