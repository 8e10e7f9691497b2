//! `amelia worktree`: what agents have worked in, what it takes on the disk, and its end.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use amelia_core::id::{RunId, RunNumber};
use amelia_core::run::RunStatus;
use amelia_core::workplace::UncommittedWork;
use amelia_git::disk::disk_use;
use amelia_git::{NewWorktree, Worktree};
use amelia_host::home::Home;
use amelia_host::place::{self, refused};
use amelia_host::size;
use amelia_wire::rest::travel::CheckpointDetail;
use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::checkpoints;
use super::cleanup::with_ignored;
use crate::cli::{Global, WorktreeCommand};
use crate::cli_error::{CliError, Exit};
use crate::client::Client;
use crate::reach;
use crate::ui;

/// Characters of the id of a run.
const ID: usize = 36;

pub(super) async fn run(command: &WorktreeCommand, home: &Home, global: &Global) -> Result<ExitCode> {
    match command {
        WorktreeCommand::List => list(home, global).await?,
        WorktreeCommand::Remove { run, discard } => {
            let unsaved = if *discard { UncommittedWork::Discard } else { UncommittedWork::Keep };
            remove(run, unsaved, home, global).await?;
        }
        WorktreeCommand::Restore { run } => restore(run, home, global).await?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The worktree of a run and those of its parts: all of them, or none when work would be lost with one.
async fn remove(run: &str, unsaved: UncommittedWork, home: &Home, global: &Global) -> Result<()> {
    let client = reach::to_look(home, global).await?;
    let row = client.find(run).await;
    client.close().await?;
    let left = run.parse::<RunId>().ok().and_then(|run| Some((run, place::noted(home, run)?.path)));
    let (run, repository) = match (row, left) {
        (Ok(row), _) if !row.view.status.is_final() => {
            let refusal = CliError::new(Exit::Conflict, format!("run {} has not ended", row.run.number));
            return Err(refusal.with_hint("it still needs its worktree; cancel the run first").into());
        }
        (Ok(row), _) => (row.run.id, place::of(&row)?.repository.clone()),
        // It was deleted, and has left its worktree.
        (Err(_), Some(left)) => left,
        (Err(error), None) => return Err(error),
    };
    let worktrees = place::worktrees(home, &repository).await?;
    let found = refused(worktrees.of_run(&run.to_string()).await)?;
    if found.is_empty() {
        // One that cannot be read says so.
        refused(worktrees.find(&run.to_string()).await)?;
        return Err(CliError::new(Exit::NotFound, format!("run {run} has no worktree")).into());
    }
    if unsaved == UncommittedWork::Keep {
        for worktree in &found {
            refused(worktrees.check_removable(worktree).await)?;
        }
    }
    let mut removed = Vec::new();
    for worktree in &found {
        let ignored = refused(worktrees.ignored(worktree).await)?;
        refused(worktrees.remove(worktree, unsaved).await)?;
        if !global.json && !global.quiet {
            let with = with_ignored(&ignored);
            ui::say!("removed {}; its branch is kept{with}", shown(&worktree.path));
        }
        removed.push(json!({"path": worktree.path, "branch": worktree.branch, "ignored": ignored}));
    }
    if global.json {
        anstream::println!("{}", json!({"run": run, "removed": removed}));
    }
    Ok(())
}

/// The worktree of a run and those of its parts that are gone, made anew from the commits that are there.
async fn restore(run: &str, home: &Home, global: &Global) -> Result<()> {
    let client = reach::to_look(home, global).await?;
    let row = client.find(run).await?;
    let last = last_commit(&client, row.run.id).await?;
    client.close().await?;
    let (run, place) = (row.run.id, place::of(&row)?);
    if place.in_place {
        let message = format!("run {} works in your checkout and has no worktree of its own", row.run.number);
        return Err(CliError::new(Exit::Conflict, message).into());
    }
    let worktrees = place::worktrees(home, &place.repository).await?;
    let id = run.to_string();
    let found = refused(worktrees.find(&id).await)?;
    let new = NewWorktree {
        run: &id,
        key: &place.key,
        base: Some(&place.base_commit),
        branch: place.branch.as_deref(),
        start: place.start.as_deref(),
        tree: place.tree.as_deref(),
    };
    let whole = match &found {
        Some(found) => found.clone(),
        None => refused(worktrees.restore(new, last.as_deref()).await)?,
    };
    let parts = refused(worktrees.restore_parts(&id).await)?;
    if found.is_some() && parts.is_empty() {
        let message = format!("the worktree of run {} exists: {}", row.run.number, whole.path.display());
        return Err(CliError::new(Exit::Conflict, message).into());
    }
    if global.json {
        let part = |part: &Worktree| json!({"path": part.path, "branch": part.branch});
        let parts: Vec<Value> = parts.iter().map(part).collect();
        let document = json!({"run": run, "path": whole.path, "branch": whole.branch, "parts": parts});
        anstream::println!("{document}");
    } else if !global.quiet {
        for made in found.is_none().then_some(&whole).into_iter().chain(&parts) {
            let branch = made.branch.as_deref().unwrap_or("no branch");
            ui::say!("created {} again on {branch}", shown(&made.path));
        }
        let (me, run) = (ui::command(global), row.run.number);
        match row.view.status {
            RunStatus::Completed | RunStatus::Cancelled => {
                ui::say!("  {} {me} diff {run}", ui::dim("look:"));
            }
            _ => ui::say!("  {} {me} resume {run}", ui::dim("continue:")),
        }
    }
    Ok(())
}

/// The last commit that a run names in its state.
async fn last_commit(client: &Client, run: RunId) -> Result<Option<String>> {
    let path = format!("/workflows/{run}/checkpoints");
    let Some(last) = checkpoints::all(client, &path).await?.last().map(|info| info.number) else {
        return Ok(None);
    };
    let found: CheckpointDetail = client.get(&format!("{path}/{last}")).await?;
    let commits = found.state.get("commits").and_then(Value::as_array);
    let mut commits = commits.into_iter().flatten().rev();
    Ok(commits.find_map(|task| task.get("commit")?.as_str().map(str::to_owned)))
}

/// Those of the repository that the command is run in, and what is left of others.
async fn list(home: &Home, global: &Global) -> Result<()> {
    let here = std::env::current_dir().context("the current directory is gone")?;
    let worktrees = place::worktrees(home, &here).await?;
    let leftovers = refused(worktrees.leftovers().await)?;
    // Below the home are worktrees of all repositories: what another one knows is not left over.
    let unknown: Vec<_> = leftovers.unknown.iter().filter(|path| !path.join(".git").exists()).collect();
    let listed = refused(worktrees.list().await)?;
    let measured = |worktree: Worktree| {
        let bytes = disk_use(&worktree.path);
        (worktree, bytes)
    };
    let measure = move || listed.into_iter().map(measured).collect();
    let found: Vec<(Worktree, u64)> = tokio::task::spawn_blocking(measure).await?;
    let runs = runs_of(found.iter().map(|(worktree, _)| &*worktree.path), home, global).await?;
    if global.json {
        let rows = found.iter().map(|(worktree, bytes)| {
            let run = runs.get(&worktree.path).map(ToString::to_string);
            json!({"run": run, "path": worktree.path, "branch": worktree.branch, "base_commit": worktree.base_commit, "bytes": bytes})
        });
        let document =
            json!({"worktrees": rows.collect::<Vec<_>>(), "unknown": unknown, "gone": leftovers.gone});
        anstream::println!("{document}");
        return Ok(());
    }
    for (worktree, bytes) in &found {
        let branch = worktree.branch.as_deref().unwrap_or("no branch");
        let run = runs.get(&worktree.path).map_or_else(|| "-".to_owned(), ToString::to_string);
        let (path, bytes) = (shown(&worktree.path), ui::dim(size::shown(*bytes)));
        ui::say!("{} {path} {branch} {bytes}", ui::bold(format!("{run:<4}")));
    }
    for path in unknown {
        ui::say!("{} {}", shown(path), ui::painted(ui::WAITS, "left over: it belongs to no repository"));
    }
    for path in &leftovers.gone {
        ui::say!("{} {}", shown(path), ui::painted(ui::WAITS, "gone from the disk"));
    }
    if found.is_empty() && leftovers == amelia_git::worktrees::Leftovers::default() {
        ui::say!("{}", ui::dim("no worktrees of this repository"));
    }
    Ok(())
}

/// Whose worktrees these are: a run's is called by its id, and those of its parts begin with it.
async fn runs_of(
    paths: impl Iterator<Item = &Path>,
    home: &Home,
    global: &Global,
) -> Result<BTreeMap<PathBuf, RunNumber>> {
    let ids: Vec<(PathBuf, RunId)> =
        paths.filter_map(|path| Some((path.to_owned(), run_of(path)?))).collect();
    let mut runs = BTreeMap::new();
    if ids.is_empty() || !home.has_runs() {
        return Ok(runs);
    }
    let client = reach::to_look(home, global).await?;
    for (path, id) in ids {
        // One that was deleted has left its worktree.
        if let Ok(row) = client.row(id).await {
            runs.insert(path, row.run.number);
        }
    }
    client.close().await?;
    Ok(runs)
}

fn run_of(path: &Path) -> Option<RunId> {
    path.file_name()?.to_str()?.get(..ID)?.parse().ok()
}

/// A name of a directory may hold anything.
fn shown(path: &Path) -> String {
    ui::path(path)
}
