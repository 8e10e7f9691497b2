//! Where an agent works: a worktree of its own below the home, or the user's checkout when asked; and the tools it has
//! there.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use amelia_core::id::RunId;
use amelia_core::redact::is_secret_name;
use amelia_core::run::RunLocation;
use amelia_core::view::RunRow;
use amelia_core::workplace::FileChange;
use amelia_git::changes::Diff;
use amelia_git::repository::InPlace;
use amelia_git::{GitError, Repository, Worktree, Worktrees};
use amelia_orchestrator::service::ServiceError;
use anyhow::Result;

use crate::home::Home;

/// More of a diff than this nobody reads.
pub const LARGEST_DIFF: u64 = 64 * 1024 * 1024;

/// Where a run works.
pub fn of(row: &RunRow) -> Result<&RunLocation> {
    row.run.spec.place.as_ref().ok_or_else(|| {
        let message = format!("run {} does not use a repository", row.run.id);
        ServiceError::conflict(message).into()
    })
}

/// The directory that a run works in.
pub async fn find(place: &RunLocation, home: &Home, run: RunId) -> Result<Worktree> {
    look_for(place, home, run).await?.ok_or_else(|| missing(run))
}

/// The same, if it is there.
pub async fn look_for(place: &RunLocation, home: &Home, run: RunId) -> Result<Option<Worktree>> {
    let repository = look(&place.repository).await?;
    if place.in_place {
        let checkout = refused(repository.in_place(InPlace::AsItIs).await)?;
        return Ok(Some(Worktree { base_commit: place.base_commit.clone(), ..checkout }));
    }
    let worktrees = refused(Worktrees::new(repository, home.path().join("worktrees")))?;
    refused(worktrees.find(&run.to_string()).await)
}

pub fn missing(run: RunId) -> anyhow::Error {
    let message = format!("run {run} has no worktree: it has not started, or the worktree was removed");
    ServiceError::not_found(message).into()
}

/// The same by what was noted of it, without asking git.
pub fn noted(home: &Home, run: RunId) -> Option<Worktree> {
    Worktrees::noted(&home.path().join("worktrees"), &run.to_string())
}

/// The branch of a run whose worktree was removed.
pub fn kept_branch(home: &Home, run: RunId) -> Option<String> {
    Worktrees::kept_branch(&home.path().join("worktrees"), &run.to_string())
}

/// Remembers of a run that it needs no worktree.
pub(crate) fn note_unchanged(home: &Home, run: RunId) -> Result<()> {
    refused(Worktrees::note_unchanged(&home.path().join("worktrees"), &run.to_string()))
}

/// Whether a run has changed nothing, so that its worktree was removed when it ended, or was never needed.
pub fn was_unchanged(home: &Home, run: RunId) -> bool {
    Worktrees::was_unchanged(&home.path().join("worktrees"), &run.to_string())
}

/// Removes the worktree of a run in which nothing was changed.
pub async fn remove_unchanged(place: &RunLocation, home: &Home, run: RunId) -> Result<()> {
    let worktrees = worktrees(home, &place.repository).await?;
    match refused(worktrees.find(&run.to_string()).await)? {
        Some(worktree) => refused(worktrees.remove_unchanged(&worktree).await),
        None => Ok(()),
    }
}

/// The worktrees below a home that belong to the repository of a directory.
pub async fn worktrees(home: &Home, directory: &Path) -> Result<Worktrees> {
    refused(Worktrees::new(repository(directory).await?, home.path().join("worktrees")))
}

/// Everything that has changed since the base, as a patch; `without` these files.
pub async fn diff(place: &RunLocation, worktree: &Worktree, without: &[String]) -> Result<Diff> {
    refused(look(&place.repository).await?.diff_without(worktree, without, LARGEST_DIFF).await)
}

/// The same, a line per file.
pub async fn diff_stat(place: &RunLocation, worktree: &Worktree) -> Result<Vec<FileChange>> {
    refused(look(&place.repository).await?.diff_stat(worktree).await)
}

/// What git, its hooks and other programs may see: everything but what holds a secret, or ties git to the repository whose
/// hook has started us.
pub fn vars() -> Arc<[(OsString, OsString)]> {
    let vars = std::env::vars_os().filter(|(name, _)| !is_secret_name(&name.to_string_lossy()));
    amelia_process::git::without_local(vars).collect()
}

/// The first words of a prompt, as a branch may be named.
pub fn key(prompt: &str) -> String {
    let words = prompt.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let key = words.take(6).collect::<Vec<_>>().join("-").to_lowercase();
    if key.is_empty() { "work".to_owned() } else { key.chars().take(48).collect() }
}

/// The top of the checkout that a directory is in, by its files alone. An empty `.git` is none, as git sees it.
pub(crate) fn top_of(directory: &Path) -> Option<&Path> {
    directory.ancestors().find(|above| {
        let git = above.join(".git");
        git.is_file() || git.join("HEAD").exists()
    })
}

/// The repository that a directory is in.
pub async fn repository(path: &Path) -> Result<Repository> {
    refused(open(path).await)
}

/// The same, with the reason of a refusal.
pub(crate) async fn open(path: &Path) -> Result<Repository, GitError> {
    Repository::open(path, vars()).await
}

/// The same for what is only looked at: nothing of its configuration is run.
pub async fn look(path: &Path) -> Result<Repository> {
    refused(Repository::look(path, vars()).await)
}

pub fn refused<T>(answer: Result<T, GitError>) -> Result<T> {
    answer.map_err(|error| ServiceError::conflict(error).into())
}
