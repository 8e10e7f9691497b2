//! In the user's own checkout: what the user has edited before any agent worked there, while a plan waited for approval,
//! and while the run rested later, in files that no agent had changed. It is neither shown as a change of the run nor committed, for as long as it stays as the user left it. A file that an
//! agent has changed since is the agent's work, too, and is committed whole.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use amelia_core::id::RunId;
use amelia_core::run::RunStatus;
use amelia_core::store::{Store, StoreError};
use amelia_core::workplace::WorkplaceError;
use amelia_git::{Repository, Worktree};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::broken;

/// Kept in a file of ours, over the life of the process.
///
/// It is of use until the run has ended: [`forget`] and [`forget_ended`] remove it then.
pub(super) struct OwnEdits {
    file: PathBuf,
    noted: Mutex<Noted>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Noted {
    /// An agent may have written here: what is found from now on is not the user's alone.
    has_begun: bool,
    /// By path, with a name of their content.
    files: BTreeMap<String, String>,
    /// What we have written ourselves, such as the plan.
    ours: BTreeSet<String>,
    /// What had changed when the run came to rest.
    #[serde(default)]
    resting: Option<BTreeMap<String, String>>,
    /// The last commit that we have made.
    #[serde(default)]
    commit: Option<String>,
}

impl OwnEdits {
    pub(super) async fn open(
        dir: &Path,
        run: RunId,
        repository: &Repository,
        worktree: &Worktree,
    ) -> Result<Self, WorkplaceError> {
        let file = file_of(dir, run);
        let mut noted: Noted = match std::fs::read(&file) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error| WorkplaceError(format!("{}: {error}", file.display()).into()))?,
            Err(_) => Noted::default(),
        };
        if !noted.has_begun {
            noted.files = repository.contents(worktree).await.map_err(broken)?;
            noted.files.retain(|path, _| !noted.ours.contains(path));
        }
        if let Some(resting) = noted.resting.take() {
            let now = repository.contents(worktree).await.map_err(broken)?;
            let is_own = |path: &str| !resting.contains_key(path) && !noted.ours.contains(path);
            let own: Vec<_> = now.into_iter().filter(|(path, _)| is_own(path)).collect();
            noted.files.extend(own);
        }
        let own = Self { file, noted: Mutex::new(noted) };
        own.change(|_| {})?;
        Ok(own)
    }

    /// An agent begins to work.
    pub(super) fn begin(&self) -> Result<(), WorkplaceError> {
        self.change(|noted| noted.has_begun = true)
    }

    /// The run has come to rest: what changes from now on is the user's doing.
    pub(super) async fn rest(
        &self,
        repository: &Repository,
        worktree: &Worktree,
    ) -> Result<(), WorkplaceError> {
        let now = repository.contents(worktree).await.map_err(broken)?;
        self.change(|noted| noted.resting = Some(now))
    }

    /// We have written this file.
    pub(super) fn written(&self, path: &str) -> Result<(), WorkplaceError> {
        self.change(|noted| {
            noted.files.remove(path);
            noted.ours.insert(path.to_owned());
        })
    }

    /// We have made this commit.
    pub(super) fn committed(&self, commit: &str) -> Result<(), WorkplaceError> {
        self.change(|noted| noted.commit = Some(commit.to_owned()))
    }

    /// The last one that we have made.
    pub(super) fn last_commit(&self) -> Option<String> {
        self.noted.lock().commit.clone()
    }

    /// Those that are still as the user left them.
    pub(super) async fn untouched(
        &self,
        repository: &Repository,
        worktree: &Worktree,
    ) -> Result<Vec<String>, WorkplaceError> {
        let noted = self.noted.lock().files.clone();
        if noted.is_empty() {
            return Ok(Vec::new());
        }
        let now = repository.contents(worktree).await.map_err(broken)?;
        Ok(noted.into_iter().filter(|(path, was)| now.get(path) == Some(was)).map(|(path, _)| path).collect())
    }

    fn change(&self, change: impl FnOnce(&mut Noted)) -> Result<(), WorkplaceError> {
        let mut noted = self.noted.lock();
        change(&mut noted);
        let failed = |error: &dyn std::fmt::Display| {
            WorkplaceError(format!("{}: {error}", self.file.display()).into())
        };
        let bytes = serde_json::to_vec(&*noted).map_err(|error| failed(&error))?;
        if let Some(dir) = self.file.parent() {
            std::fs::create_dir_all(dir).map_err(|error| failed(&error))?;
        }
        let beside = self.file.with_extension("new");
        std::fs::write(&beside, bytes).map_err(|error| failed(&error))?;
        std::fs::rename(&beside, &self.file).map_err(|error| failed(&error))
    }
}

/// What is the user's own in the checkout of a run that has not ended, to be looked at only.
pub(crate) async fn looked_at(
    dir: &Path,
    run: RunId,
    repository: &Repository,
    worktree: &Worktree,
) -> Result<Vec<String>, WorkplaceError> {
    let file = file_of(dir, run);
    let Ok(bytes) = std::fs::read(&file) else { return Ok(Vec::new()) };
    let noted: Noted = serde_json::from_slice(&bytes)
        .map_err(|error| WorkplaceError(format!("{}: {error}", file.display()).into()))?;
    let now = repository.contents(worktree).await.map_err(broken)?;
    let is_own = |(path, content): &(&String, &String)| {
        let came_at_rest = noted.resting.as_ref().is_some_and(|resting| !resting.contains_key(*path));
        !noted.ours.contains(*path)
            && (!noted.has_begun || came_at_rest || noted.files.get(*path) == Some(*content))
    };
    Ok(now.iter().filter(is_own).map(|(path, _)| path.clone()).collect())
}

fn file_of(dir: &Path, run: RunId) -> PathBuf {
    dir.join(format!("{run}.json"))
}

/// Removes what was noted for a run that has ended. It is a small file: one that stays does no harm.
pub(crate) fn forget(dir: &Path, run: RunId) {
    match std::fs::remove_file(file_of(dir, run)) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            tracing::warn!(%run, "the note about your own edits cannot be removed: {error}");
        }
        Ok(()) | Err(_) => {}
    }
}

/// The same for every run that has ended since: one can be cancelled while it rests.
pub(crate) async fn forget_ended(dir: &Path, store: &dyn Store) -> Result<(), StoreError> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let runs = entries.filter_map(|entry| entry.path().file_stem()?.to_str()?.parse().ok().map(RunId));
    for run in runs.collect::<BTreeSet<_>>() {
        let row = store.run(run).await?;
        let status = row.map(|row| row.view.status);
        // One that failed can be resumed. One that is not in this store may be in another.
        if matches!(status, Some(RunStatus::Completed | RunStatus::Cancelled)) {
            forget(dir, run);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use amelia_core::clock::SystemClock;
    use amelia_core::event::run::RunFailure;
    use amelia_core::event::{Draft, EventKind, RunEvent};
    use amelia_core::id::{GraphName, Seq};
    use amelia_core::run::{Domain, RunSpec};
    use amelia_core::store::Commit;
    use amelia_store::memory::MemoryStore;

    use super::*;

    #[tokio::test]
    async fn only_notes_of_runs_that_have_ended_for_good_are_forgotten() {
        let (dir, store) = (tempfile::tempdir().unwrap(), MemoryStore::new());
        let failure = RunFailure { code: "x".to_owned(), message: "x".to_owned(), node: None };
        let runs = amelia_orchestrator::runs::Runs::new(
            std::sync::Arc::new(MemoryStore::new()),
            std::sync::Arc::new(SystemClock),
        );
        let mut stay = vec![runs.new_run()];
        for (last, stays) in [
            (RunEvent::Started, true),
            (RunEvent::Failed { failure }, true),
            (RunEvent::Cancelled { by: None }, false),
            (RunEvent::Completed { summary: None }, false),
        ] {
            let run = runs.new_run();
            let spec = Box::new(RunSpec::new(GraphName::new("g").unwrap(), "t"));
            let drafts = [RunEvent::Created { spec }, last]
                .map(|event| Draft::of_system(&SystemClock, Domain::default(), EventKind::Run(event)));
            let commit = Commit { drafts: drafts.into(), ..Commit::default() };
            store.commit(run, Seq::START, commit).await.unwrap();
            std::fs::write(file_of(dir.path(), run), "{}").unwrap();
            stay.extend(stays.then_some(run));
        }
        // Of another store, and nothing of ours.
        std::fs::write(file_of(dir.path(), stay[0]), "{}").unwrap();
        std::fs::write(dir.path().join("note.txt"), "mine").unwrap();
        forget_ended(dir.path(), &store).await.unwrap();
        let mut left: Vec<_> =
            std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        let mut expected: Vec<_> = stay.into_iter().map(|run| file_of(dir.path(), run)).collect();
        expected.push(dir.path().join("note.txt"));
        left.sort();
        expected.sort();
        assert_eq!(left, expected);
    }
}
