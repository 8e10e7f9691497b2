//! Where a fork works: in a worktree and on a branch of its own, with the commits and the files of its moment.

use amelia_core::checkpoint::Loaded;
use amelia_core::run::Place;
use amelia_core::view::RunRow;
use amelia_sandbox::Snapshot;
use anyhow::Result;

use crate::home::Home;
use crate::known::Known;
use crate::place::{refused, worktrees};

/// The place of a fork of `row` at a checkpoint.
pub(super) async fn place(home: &Home, row: &RunRow, known: Known, loaded: &Loaded) -> Result<Option<Place>> {
    let Some(place) = row.run.spec.place.clone() else { return Ok(None) };
    // The branch that a person chose is the first run's.
    let place = Place { branch: None, ..place };
    let place = match known.last_commit(loaded)? {
        Some(last) if place.start.as_ref() != Some(&last) => Place { start: Some(last), tree: None, ..place },
        _ => place,
    };
    Ok(Some(match kept(home, row, loaded, &place).await? {
        Some(Snapshot { head, tree, .. }) => {
            let start = Some(head).filter(|head| *head != place.base_commit);
            Place { start, tree: Some(tree), ..place }
        }
        None => place,
    }))
}

/// What the run's worktree held at that moment. A snapshot from before the last commit is out of date: the commit has
/// what it held.
async fn kept(home: &Home, row: &RunRow, loaded: &Loaded, place: &Place) -> Result<Option<Snapshot>> {
    if place.in_place {
        return Ok(None);
    }
    let worktrees = worktrees(home, &place.repository).await?;
    let all = refused(worktrees.snapshots(&row.run.id.to_string()).await)?;
    let moment = loaded.at.as_millisecond();
    let Some(found) = all.into_iter().rfind(|snapshot| snapshot.at <= moment) else { return Ok(None) };
    let last = place.start.as_deref().unwrap_or(&place.base_commit);
    let is_new = refused(worktrees.is_ancestor(last, &found.head).await)?;
    Ok(is_new.then_some(found))
}
