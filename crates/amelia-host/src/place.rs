//! Where an agent works: a worktree of its own below the home, or the user's checkout when asked; and the tools it has
//! there.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
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

/// More of a diff than this is not read.
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

/// The last commit of a run on its branch, as far as it was noted when the run had completed or its worktree was removed.
pub(crate) fn noted_commit(home: &Home, run: RunId) -> Option<String> {
    Worktrees::noted_commit(&home.path().join("worktrees"), &run.to_string())
}

/// Remembers of a run that it needs no worktree.
pub(crate) fn note_unchanged(home: &Home, run: RunId) -> Result<()> {
    refused(Worktrees::note_unchanged(&home.path().join("worktrees"), &run.to_string()))
}

/// Whether a run has changed nothing, so that its worktree was removed when it ended, or was never needed.
pub fn was_unchanged(home: &Home, run: RunId) -> bool {
    Worktrees::was_unchanged(&home.path().join("worktrees"), &run.to_string())
}

/// Removes the worktree of a run in which nothing was changed; notes the last commit of another run.
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
fn top_of(directory: &Path) -> Option<&Path> {
    directory.ancestors().find(|above| {
        let git = above.join(".git");
        git.is_file() || git.join("HEAD").exists()
    })
}

/// The checkout of a person whose definitions count in a directory: the one that it is in. In a worktree that an agent has
/// below the home, it is the one that the worktree was made from: what an agent writes there defines nothing.
pub(crate) fn checkout_of(home: &Home, directory: &Path) -> Option<PathBuf> {
    match agent_worktree(home, directory) {
        None => top_of(directory).map(Path::to_owned),
        Some(worktree) => Some(main_checkout(&worktree)).filter(|top| !is_of_agent(home, top)),
    }
}

/// Whether a directory is below those where agents work.
pub(crate) fn is_of_agent(home: &Home, directory: &Path) -> bool {
    agent_worktree(home, directory).is_some()
}

/// The worktree below the home that a directory is or would be in, or the directory of all of them.
fn agent_worktree(home: &Home, directory: &Path) -> Option<PathBuf> {
    let all = home.path().join("worktrees").canonicalize().ok()?;
    let there = directory.ancestors().find_map(|above| above.canonicalize().ok())?;
    let inside = there.strip_prefix(&all).ok()?;
    Some(inside.components().next().map_or_else(|| all.clone(), |name| all.join(name)))
}

/// The checkout that the linked worktree with this top was made from; any other top itself.
#[must_use]
pub fn main_checkout(root: &Path) -> PathBuf {
    let link = std::fs::read_to_string(root.join(".git")).unwrap_or_default();
    let named = Path::new(link.trim().strip_prefix("gitdir: ").unwrap_or_default());
    let notes = root.join(named);
    let above: PathBuf =
        notes.components().take_while(|part| *part != Component::Normal(".git".as_ref())).collect();
    if notes.parent() != Some(above.join(".git/worktrees").as_path()) {
        return root.to_owned();
    }
    match named.is_absolute() {
        true => above,
        // It leads upwards from the worktree.
        false => above.canonicalize().unwrap_or(above),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worktree_belongs_to_the_checkout_that_it_was_made_from() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let worktree = top.join("there/b2");
        std::fs::create_dir_all(&worktree).unwrap();
        assert_eq!(main_checkout(&worktree), worktree);
        for (link, expected) in [
            ("gitdir: /src/b/.git/worktrees/b2\n", Path::new("/src/b")),
            ("gitdir: /src/b/.git/modules/sub\n", worktree.as_path()),
            ("gitdir: ../../.git/worktrees/b2\n", top.as_path()),
        ] {
            std::fs::write(worktree.join(".git"), link).unwrap();
            assert_eq!(main_checkout(&worktree), expected, "{link}");
        }
    }

    #[test]
    fn in_a_worktree_of_an_agent_the_checkout_counts_that_it_was_made_from() {
        let (home, source) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let source = source.path().canonicalize().unwrap();
        let worktree = home.path().join("worktrees/run");
        let home = Home::at(home.path());
        std::fs::create_dir_all(worktree.join("own/.git")).unwrap();
        std::fs::create_dir_all(source.join(".git")).unwrap();
        for head in [source.join(".git/HEAD"), worktree.join("own/.git/HEAD")] {
            std::fs::write(head, "").unwrap();
        }
        let link = |to: &Path| std::fs::write(worktree.join(".git"), format!("gitdir: {}\n", to.display()));
        link(&source.join(".git/worktrees/run")).unwrap();
        let inside = [&worktree, &worktree.join("own"), &worktree.join("gone")];
        for directory in inside {
            assert_eq!(checkout_of(&home, directory), Some(source.clone()), "{}", directory.display());
        }
        assert_eq!(checkout_of(&home, &source), Some(source.clone()));
        // An agent can write the link, too.
        link(&worktree.join("own/.git/worktrees/run")).unwrap();
        for directory in inside {
            assert_eq!(checkout_of(&home, directory), None, "{}", directory.display());
        }
        std::fs::write(worktree.join(".git"), "").unwrap();
        assert_eq!(checkout_of(&home, &worktree), None);
        assert_eq!(checkout_of(&home, &home.path().join("worktrees")), None);
    }
}
