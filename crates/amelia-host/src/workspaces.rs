//! Directories for runs outside of any repository: below `workspaces` in the home, one per run, removed with it.

use std::path::{Path, PathBuf};

use amelia_core::run::RunLocation;
use amelia_core::store::{RunPages, Store};
use amelia_core::view::RunRow;
use amelia_git::Repository;
use anyhow::{Context as _, Result};
use uuid::Uuid;

use crate::home::Home;
use crate::place::{refused, vars};

/// A new and empty directory for a run to work in.
pub(crate) async fn create(home: &Home, key: &str) -> Result<RunLocation> {
    let path = directory(home).join(Uuid::now_v7().to_string());
    std::fs::create_dir_all(&path).with_context(|| format!("{} cannot be created", path.display()))?;
    // Git says where it is without links.
    let path = path.canonicalize()?;
    let repository = refused(Repository::create_workspace(&path, vars()).await)?;
    Ok(RunLocation {
        repository: repository.root().to_owned(),
        base_commit: refused(repository.commit("HEAD").await)?,
        base_branch: refused(repository.local_branch(None).await)?,
        in_place: true,
        key: key.to_owned(),
        branch: None,
        start: None,
        tree: None,
    })
}

/// Removes the directory of a run that was removed, unless another run, such as a fork, works in it.
pub(crate) async fn remove(home: &Home, store: &dyn Store, row: &RunRow) -> Result<()> {
    let Some(path) = of(home, row) else { return Ok(()) };
    let mut pages = RunPages::new(store);
    while let Some(rows) = pages.next().await? {
        let is_other = |other: &RunRow| other.run.id != row.run.id && of(home, other) == Some(path);
        if rows.iter().any(is_other) {
            return Ok(());
        }
    }
    let path = path.to_owned();
    let removed = tokio::task::spawn_blocking(move || std::fs::remove_dir_all(&path)).await?;
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Whether a run works in a workspace, and in no repository.
pub(crate) fn is_in_one(home: &Home, row: &RunRow) -> bool {
    of(home, row).is_some()
}

/// The workspace that a run works in, if it works in one.
pub(crate) fn of<'a>(home: &Home, row: &'a RunRow) -> Option<&'a Path> {
    let place = row.run.spec.place.as_ref().filter(|place| place.in_place)?;
    let all = directory(home).canonicalize().ok()?;
    (place.repository.parent() == Some(all.as_path())).then_some(place.repository.as_path())
}

fn directory(home: &Home) -> PathBuf {
    home.path().join("workspaces")
}

#[cfg(test)]
mod tests {
    use amelia_core::event::{EventKind, RunEvent};
    use amelia_core::id::GraphName;
    use amelia_core::run::RunSpec;
    use amelia_store::sqlite::{SqliteOptions, SqliteStore};

    use super::*;
    use crate::database::runs_on;

    #[tokio::test]
    async fn a_workspace_goes_with_the_last_run_that_works_in_it() {
        let home_dir = tempfile::tempdir().unwrap();
        let home = Home::at(home_dir.path());
        let store = std::sync::Arc::new(
            SqliteStore::open(&home_dir.path().join("a.db"), SqliteOptions::default()).unwrap(),
        );
        let runs = runs_on(std::sync::Arc::clone(&store) as std::sync::Arc<dyn Store>);
        let place = create(&home, "work").await.unwrap();
        std::fs::write(place.repository.join("note.txt"), "x").unwrap();
        let mut rows = Vec::new();
        for in_place in [true, true, false] {
            let place = Some(RunLocation { in_place, ..place.clone() });
            let spec = RunSpec { place, ..RunSpec::new(GraphName::new("workflow").unwrap(), "rivers") };
            let run = runs.create(spec).await.unwrap();
            let at_rest = runs.at_rest(run).await.unwrap().unwrap();
            let ended = EventKind::Run(RunEvent::Cancelled { by: None });
            runs.record(&at_rest, vec![ended]).await.unwrap();
            rows.push(store.run(run).await.unwrap().unwrap());
        }
        assert_eq!(of(&home, &rows[2]), None, "a worktree of a workspace is no workspace");
        remove(&home, &*store, &rows[0]).await.unwrap();
        assert!(place.repository.exists(), "another run works in it");
        for row in &rows {
            store.remove(row.run.id).await.unwrap();
        }
        remove(&home, &*store, &rows[1]).await.unwrap();
        assert!(!place.repository.exists());
    }
}
