//! Where an agent works: a worktree of its own below the home, or the user's checkout when asked; and the tools it has
//! there.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use amelia_core::id::RunId;
use amelia_core::redact::is_secret_name;
use amelia_core::run::Place;
use amelia_core::tool::ToolBox;
use amelia_core::view::RunRow;
use amelia_sandbox::changes::{Diff, FileChange};
use amelia_sandbox::repository::InPlace;
use amelia_sandbox::{NewWorktree, Repository, Worktree, Worktrees};
use amelia_tools::{Environment, Root, Tools, Toolset};
use anyhow::{Context, Result};

use crate::cli::Do;
use crate::home::Home;
use crate::order::{Order, Toolboxes};
use crate::refusal::{Exit, Refusal};
use crate::upstream::Upstream;

/// More of a diff than this nobody reads.
const LARGEST_DIFF: u64 = 64 * 1024 * 1024;

/// Looks at the repository that the command was started in. Nothing is made yet.
pub(crate) async fn choose(args: &Do, prompt: &str) -> Result<Place> {
    let here = std::env::current_dir().context("the current directory is gone")?;
    let repository = repository(&here).await?;
    let base_commit = match args.in_place {
        true => refused(repository.in_place(InPlace::Clean).await)?.base_commit,
        false => refused(repository.commit(args.base.as_deref().unwrap_or("HEAD")).await)?,
    };
    Ok(Place {
        repository: repository.root().to_owned(),
        base_commit,
        in_place: args.in_place,
        key: key(prompt),
        branch: None,
    })
}

/// Where a run works.
pub(crate) fn of(row: &RunRow) -> Result<&Place> {
    row.run.spec.place.as_ref().ok_or_else(|| {
        let message = format!("run {} does not work on a repository", row.run.id);
        Refusal::new(Exit::Conflict, message).into()
    })
}

/// The directory to work in: made the first time, found again later.
pub(crate) async fn ensure(place: &Place, home: &Home, run: RunId) -> Result<Worktree> {
    let repository = repository(&place.repository).await?;
    if place.in_place {
        let checkout = refused(repository.in_place(InPlace::AsItIs).await)?;
        return Ok(Worktree { base_commit: place.base_commit.clone(), ..checkout });
    }
    let worktrees = refused(Worktrees::new(repository, home.path().join("worktrees")))?;
    let new = NewWorktree { run: &run.to_string(), key: &place.key, base: Some(&place.base_commit) };
    refused(worktrees.create(new).await)
}

/// Everything that has changed since the base, as a patch.
pub(crate) async fn diff(place: &Place, worktree: &Worktree) -> Result<Diff> {
    refused(repository(&place.repository).await?.diff(worktree, LARGEST_DIFF).await)
}

/// The same, a line per file.
pub(crate) async fn diff_stat(place: &Place, worktree: &Worktree) -> Result<Vec<FileChange>> {
    refused(repository(&place.repository).await?.diff_stat(worktree).await)
}

/// The tools for an order: a role that only reads has no others.
pub(crate) fn tools(order: &Order, worktree: &Worktree, run: RunId) -> Result<Toolboxes> {
    let mut environment = Environment::new(std::env::vars_os(), &[], run.to_string());
    let upstreams = order.agents().into_iter().filter_map(|agent| Upstream::of(agent).ok());
    for name in upstreams.filter_map(|upstream| upstream.key_env) {
        environment = environment.without(&name);
    }
    let set = Toolset {
        root: Arc::new(
            Root::open(&worktree.path)
                .with_context(|| format!("{} cannot be opened", worktree.path.display()))?,
        ),
        environment: Arc::new(environment),
        base: Some(worktree.base_commit.clone()),
    };
    let read: Arc<dyn ToolBox> = Arc::new(Tools::new(set.read_only())?);
    let work = if order.read_only { Arc::clone(&read) } else { Arc::new(Tools::new(set.full())?) };
    Ok(Toolboxes { work, read })
}

/// What git and its hooks may see: everything but what holds a secret.
fn vars() -> Arc<[(OsString, OsString)]> {
    std::env::vars_os().filter(|(name, _)| !is_secret_name(&name.to_string_lossy())).collect()
}

/// The first words of a prompt, as a branch may be named.
fn key(prompt: &str) -> String {
    let words = prompt.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let key = words.take(6).collect::<Vec<_>>().join("-").to_lowercase();
    if key.is_empty() { "work".to_owned() } else { key.chars().take(48).collect() }
}

/// The repository that a directory is in.
pub(crate) async fn repository(path: &Path) -> Result<Repository> {
    refused(Repository::open(path, vars()).await)
}

pub(crate) fn refused<T>(answer: Result<T, amelia_sandbox::SandboxError>) -> Result<T> {
    answer.map_err(|error| Refusal::new(Exit::Conflict, error.to_string()).into())
}
