//! Which completed runs a person has merged with git, for lists: with few calls of git, and none again for what has not
//! moved.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::time::Duration;

use amelia_core::id::RunId;
use amelia_core::run::{RunLocation, RunStatus};
use amelia_core::store::Store;
use amelia_core::view::RunRow;
use amelia_git::Repository;
use futures_util::future::join_all;
use parking_lot::Mutex;

use super::changes::{last_commit, whereabouts};
use crate::home::Home;
use crate::place;

/// Branches of a repository whose content is compared for one list. More are compared for the next one.
const MOST_COMPARED: usize = 10;
/// Runs without a branch whose last commit is read from their checkpoints for one list.
const MOST_LOADED: usize = 50;
/// A list does not wait longer for git.
const LONGEST: Duration = Duration::from_secs(3);
/// Runs that are remembered.
const MOST_REMEMBERED: usize = 2000;

/// The branch of a run and the one that it started from, each at its commit.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Tips {
    own: String,
    into: String,
}

/// What was found out, as long as neither branch moves.
#[derive(Debug, Default)]
pub(super) struct FoundMerges {
    found: Mutex<HashMap<RunId, (Tips, bool)>>,
    /// The last commits of runs whose branch is gone. A completed run makes no other.
    last: Mutex<HashMap<RunId, Option<String>>>,
}

/// A run that may have been merged.
struct Candidate<'a> {
    run: RunId,
    row: &'a RunRow,
    place: &'a RunLocation,
    /// Nothing if it was removed with git.
    branch: Option<String>,
    into: &'a str,
}

impl FoundMerges {
    /// The branches that have the changes of these runs, as far as git says so in time.
    pub(super) async fn of(
        &self,
        home: &Home,
        store: &dyn Store,
        rows: &[&RunRow],
    ) -> BTreeMap<RunId, String> {
        let mut by_repository: BTreeMap<&Path, Vec<Candidate<'_>>> = BTreeMap::new();
        for candidate in rows.iter().filter_map(|row| candidate(home, row)) {
            by_repository.entry(&candidate.place.repository).or_default().push(candidate);
        }
        let looks = by_repository.into_iter().map(async |(path, candidates)| {
            let repository = place::look(path).await.ok()?;
            self.in_repository(home, store, &repository, candidates).await
        });
        let found = tokio::time::timeout(LONGEST, join_all(looks)).await.unwrap_or_default();
        found.into_iter().flatten().flatten().collect()
    }

    async fn in_repository(
        &self,
        home: &Home,
        store: &dyn Store,
        repository: &Repository,
        candidates: Vec<Candidate<'_>>,
    ) -> Option<Vec<(RunId, String)>> {
        let branches = repository.branch_tips().await.ok()?;
        let (mut found, mut unknown, mut left) = (Vec::new(), Vec::new(), MOST_LOADED);
        for candidate in candidates {
            let own = match candidate.branch.as_ref().and_then(|branch| branches.get(branch)) {
                Some(tip) => Some(tip.clone()),
                // A branch that was merged may have been deleted.
                None => self.last_commit(home, store, candidate.row, &mut left).await,
            };
            let Some(tips) = own.and_then(|own| tips(own, &branches, &candidate)) else { continue };
            match self.known(candidate.run, &tips) {
                Some(true) => found.push((candidate.run, candidate.into.to_owned())),
                Some(false) => {}
                None => unknown.push((candidate, tips)),
            }
        }
        let there = contained(repository, &unknown).await?;
        let (merged, others): (Vec<_>, Vec<_>) =
            unknown.into_iter().partition(|(_, tips)| there.contains(&tips.own));
        let compared = others.into_iter().take(MOST_COMPARED).map(async |(candidate, tips)| {
            let has_content = repository.has_content_of(candidate.into, &tips.own).await.ok()?;
            Some((candidate, tips, has_content))
        });
        let compared = join_all(compared).await.into_iter().flatten();
        let all = merged.into_iter().map(|(candidate, tips)| (candidate, tips, true)).chain(compared);
        for (Candidate { run, into, .. }, tips, is_there) in all {
            self.remember(run, tips, is_there);
            found.extend(is_there.then(|| (run, into.to_owned())));
        }
        Some(found)
    }

    /// The last commit of a run, while some are `left` to be read.
    async fn last_commit(
        &self,
        home: &Home,
        store: &dyn Store,
        row: &RunRow,
        left: &mut usize,
    ) -> Option<String> {
        let known = self.last.lock().get(&row.run.id).cloned();
        if let Some(known) = known {
            return known;
        }
        *left = left.checked_sub(1)?;
        let last = last_commit(home, store, row).await.ok()?;
        bounded(&mut self.last.lock()).insert(row.run.id, last.clone());
        last
    }

    fn known(&self, run: RunId, tips: &Tips) -> Option<bool> {
        self.found.lock().get(&run).filter(|(then, _)| then == tips).map(|(_, is_there)| *is_there)
    }

    fn remember(&self, run: RunId, tips: Tips, is_there: bool) {
        bounded(&mut self.found.lock()).insert(run, (tips, is_there));
    }
}

/// With room for one more.
fn bounded<T>(known: &mut HashMap<RunId, T>) -> &mut HashMap<RunId, T> {
    if known.len() >= MOST_REMEMBERED {
        known.clear();
    }
    known
}

/// What Amelia has merged itself is in the log, and what worked in the checkout has no branch of its own.
fn candidate<'a>(home: &Home, row: &'a RunRow) -> Option<Candidate<'a>> {
    let place = row.run.spec.place.as_ref().filter(|place| !place.in_place)?;
    let into = place.base_branch.as_deref()?;
    if row.view.status != RunStatus::Completed || row.view.merged.is_some() {
        return None;
    }
    let branch = whereabouts(home, row).branch;
    let is_known = branch.is_some() || place::noted_commit(home, row.run.id).is_some();
    is_known.then_some(Candidate { run: row.run.id, row, place, branch, into })
}

/// The last commit of a run, and where the other branch is. Nothing if that is gone, the run has committed nothing, or
/// nothing came to the other since.
fn tips(own: String, branches: &BTreeMap<String, String>, candidate: &Candidate<'_>) -> Option<Tips> {
    let into = branches.get(candidate.into)?;
    let base = &candidate.place.base_commit;
    (own != *base && into != base).then(|| Tips { own, into: into.clone() })
}

/// The commits that the branches of their runs have: two calls of git for each of these branches.
async fn contained(repository: &Repository, unknown: &[(Candidate<'_>, Tips)]) -> Option<HashSet<String>> {
    let mut by_branch: BTreeMap<&str, HashSet<&str>> = BTreeMap::new();
    for (candidate, tips) in unknown {
        by_branch.entry(candidate.into).or_default().insert(&tips.own);
    }
    let mut there = HashSet::new();
    for (branch, commits) in by_branch {
        there.extend(repository.contained(&format!("refs/heads/{branch}"), commits).await.ok()?);
    }
    Some(there)
}

#[cfg(test)]
mod tests {
    use amelia_core::id::{GraphName, RunNumber};
    use amelia_core::run::{Run, RunSpec};
    use amelia_core::view::RunView;

    use super::*;

    #[test]
    fn what_cannot_have_been_merged_costs_no_comparison() {
        let place =
            serde_json::json!({"repository": "/r", "key": "k", "base_commit": "c0", "in_place": false});
        let place: RunLocation = serde_json::from_value(place).unwrap();
        let run = RunId(uuid::Uuid::nil());
        let row = RunRow {
            run: Run {
                id: run,
                number: RunNumber(1),
                spec: RunSpec::new(GraphName::new("implementation").unwrap(), "a run"),
                created_at: jiff::Timestamp::UNIX_EPOCH,
            },
            view: RunView::default(),
        };
        let branch = Some("amelia/k".to_owned());
        let candidate = Candidate { run, row: &row, place: &place, branch, into: "main" };
        let seen = |own: &str, into: &str| {
            tips(own.to_owned(), &[("main".to_owned(), into.to_owned())].into(), &candidate)
        };
        assert_eq!(seen("c0", "c1"), None, "it has committed nothing");
        assert_eq!(seen("c1", "c0"), None, "nothing came to main");
        assert!(seen("c1", "c2").is_some());
        assert_eq!(tips("c1".to_owned(), &BTreeMap::new(), &candidate), None, "main is gone");
    }

    #[test]
    fn what_was_found_holds_until_a_branch_moves() {
        let (memory, run) = (FoundMerges::default(), RunId(uuid::Uuid::nil()));
        let at = |own: &str, into: &str| Tips { own: own.to_owned(), into: into.to_owned() };
        memory.remember(run, at("c1", "c2"), true);
        assert_eq!(memory.known(run, &at("c1", "c2")), Some(true));
        assert_eq!(memory.known(run, &at("c1", "c3")), None);
        assert_eq!(memory.known(run, &at("c2", "c2")), None);
    }
}
