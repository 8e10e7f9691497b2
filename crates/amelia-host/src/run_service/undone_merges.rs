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

/// Those of these runs whose merge was undone, as far as their repositories are on this machine. What came back by another
/// merge was not.
pub(super) async fn undone_merges(rows: &[&RunRow]) -> BTreeMap<RunId, UndoneMerge> {
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
        let mut undone = repository.undone_merges(into, &merges).await.ok()?;
        let removed = merges.iter().zip(&mut undone).filter(|(_, how)| **how == Some(UndoneMerge::Removed));
        for (merged, how) in removed.take(MOST_COMPARED) {
            let head = merged.head.as_deref().unwrap_or(&merged.commit);
            if repository.has_content_of(into, head).await.unwrap_or(false) {
                *how = None;
            }
        }
        Some(runs.into_iter().zip(undone).filter_map(|(run, undone)| Some((run, undone?))))
    });
    join_all(looks).await.into_iter().flatten().flatten().collect()
}
