//! Which completed runs a person has merged with git, for lists: with few calls of git, and none again for what has not
//! moved.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::time::Duration;

use amelia_core::id::RunId;
use amelia_core::run::{RunLocation, RunStatus};
use amelia_core::view::RunRow;
use amelia_git::Repository;
use futures_util::future::join_all;
use parking_lot::Mutex;

use super::changes::whereabouts;
use crate::home::Home;
use crate::place;

/// Branches of a repository whose content is compared for one list. More are compared for the next one.
const MOST_COMPARED: usize = 10;
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
pub(super) struct FoundMerges(Mutex<HashMap<RunId, (Tips, bool)>>);

/// A run that may have been merged.
struct Candidate<'a> {
    run: RunId,
    place: &'a RunLocation,
    branch: String,
    into: &'a str,
}

impl FoundMerges {
    /// The branches that have the changes of these runs, as far as git says so in time.
    pub(super) async fn of(&self, home: &Home, rows: &[&RunRow]) -> BTreeMap<RunId, String> {
        let mut by_repository: BTreeMap<&Path, Vec<Candidate<'_>>> = BTreeMap::new();
        for candidate in rows.iter().filter_map(|row| candidate(home, row)) {
            by_repository.entry(&candidate.place.repository).or_default().push(candidate);
        }
        let looks = by_repository.into_iter().map(async |(path, candidates)| {
            let repository = place::look(path).await.ok()?;
            self.in_repository(&repository, candidates).await
        });
        let found = tokio::time::timeout(LONGEST, join_all(looks)).await.unwrap_or_default();
        found.into_iter().flatten().flatten().collect()
    }

    async fn in_repository(
        &self,
        repository: &Repository,
        candidates: Vec<Candidate<'_>>,
    ) -> Option<Vec<(RunId, String)>> {
        let branches = repository.branch_tips().await.ok()?;
        let (mut found, mut unknown) = (Vec::new(), Vec::new());
        for candidate in candidates {
            let Some(tips) = tips(&branches, &candidate) else { continue };
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

    fn known(&self, run: RunId, tips: &Tips) -> Option<bool> {
        self.0.lock().get(&run).filter(|(then, _)| then == tips).map(|(_, is_there)| *is_there)
    }

    fn remember(&self, run: RunId, tips: Tips, is_there: bool) {
        let mut known = self.0.lock();
        if known.len() >= MOST_REMEMBERED {
            known.clear();
        }
        known.insert(run, (tips, is_there));
    }
}

/// What Amelia has merged itself is in the log, and what worked in the checkout has no branch of its own.
fn candidate<'a>(home: &Home, row: &'a RunRow) -> Option<Candidate<'a>> {
    let place = row.run.spec.place.as_ref().filter(|place| !place.in_place)?;
    let into = place.base_branch.as_deref()?;
    let is_open = row.view.status == RunStatus::Completed && row.view.merged.is_none();
    let branch = if is_open { whereabouts(home, row).branch? } else { return None };
    Some(Candidate { run: row.run.id, place, branch, into })
}

/// Where both branches are. Nothing if one is gone, the run has committed nothing, or nothing came to the other since.
fn tips(branches: &BTreeMap<String, String>, candidate: &Candidate<'_>) -> Option<Tips> {
    let (own, into) = (branches.get(&candidate.branch)?, branches.get(candidate.into)?);
    let base = &candidate.place.base_commit;
    (own != base && into != base).then(|| Tips { own: own.clone(), into: into.clone() })
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
    use super::*;

    #[test]
    fn what_cannot_have_been_merged_costs_no_comparison() {
        let place =
            serde_json::json!({"repository": "/r", "key": "k", "base_commit": "c0", "in_place": false});
        let place: RunLocation = serde_json::from_value(place).unwrap();
        let run = RunId(uuid::Uuid::nil());
        let candidate = Candidate { run, place: &place, branch: "amelia/k".to_owned(), into: "main" };
        let seen = |own: &str, into: &str| {
            let branches = [("amelia/k", own), ("main", into)];
            tips(&branches.map(|(name, tip)| (name.to_owned(), tip.to_owned())).into(), &candidate)
        };
        assert_eq!(seen("c0", "c1"), None, "it has committed nothing");
        assert_eq!(seen("c1", "c0"), None, "nothing came to main");
        assert!(seen("c1", "c2").is_some());
        assert_eq!(tips(&BTreeMap::new(), &candidate), None, "the branch is gone");
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
