//! `amelia worktree`: what agents have worked in, what it takes on the disk, and its end.

use std::path::Path;
use std::process::ExitCode;

use amelia_sandbox::disk::disk_use;
use amelia_sandbox::{Force, Worktree, Worktrees};
use anyhow::{Context, Result};
use serde_json::json;

use crate::cli::{Global, WorktreeCommand};
use crate::home::Home;
use crate::place::{self, refused, repository};
use crate::reach;
use crate::refusal::{Exit, Refusal};
use crate::ui;

pub(super) async fn run(command: &WorktreeCommand, home: &Home, global: &Global) -> Result<ExitCode> {
    match command {
        WorktreeCommand::List => list(home, global).await?,
        WorktreeCommand::Remove { run, discard } => {
            let client = reach::to_look(home, global).await?;
            let row = client.find(run).await?;
            client.close().await?;
            if !row.view.status.is_final() {
                let message =
                    format!("run {} has not ended\n  hint: its worktree is still needed", row.run.id);
                return Err(Refusal::new(Exit::Conflict, message).into());
            }
            let worktrees = of(&place::of(&row)?.repository, home).await?;
            let found = refused(worktrees.find(&row.run.id.to_string()).await)?;
            let worktree = found.ok_or_else(|| {
                Refusal::new(Exit::NotFound, format!("run {} has no worktree any more", row.run.id))
            })?;
            let force = if *discard { Force::Discard } else { Force::Never };
            refused(worktrees.remove(&worktree, force).await)?;
            if !global.json && !global.quiet {
                anstream::println!("removed {}; its branch is kept", worktree.path.display());
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn of(repository_path: &Path, home: &Home) -> Result<Worktrees> {
    refused(Worktrees::new(repository(repository_path).await?, home.path().join("worktrees")))
}

/// Those of the repository that the command is run in, and what is left of others.
async fn list(home: &Home, global: &Global) -> Result<()> {
    let here = std::env::current_dir().context("the current directory is gone")?;
    let worktrees = of(&here, home).await?;
    let leftovers = refused(worktrees.leftovers().await)?;
    // Below the home are worktrees of all repositories: what another one knows is not left over.
    let unknown: Vec<_> = leftovers.unknown.iter().filter(|path| !path.join(".git").exists()).collect();
    let found: Vec<(Worktree, u64)> = refused(worktrees.list().await)?
        .into_iter()
        .map(|worktree| {
            let bytes = disk_use(&worktree.path);
            (worktree, bytes)
        })
        .collect();
    if global.json {
        let rows = found.iter().map(|(worktree, bytes)| {
            json!({"path": worktree.path, "branch": worktree.branch, "base_commit": worktree.base_commit, "bytes": bytes})
        });
        let document =
            json!({"worktrees": rows.collect::<Vec<_>>(), "unknown": unknown, "gone": leftovers.gone});
        anstream::println!("{document}");
        return Ok(());
    }
    for (worktree, bytes) in &found {
        let branch = worktree.branch.as_deref().unwrap_or("no branch");
        anstream::println!("{} {branch} {}", worktree.path.display(), ui::dim(ui::bytes(*bytes)));
    }
    for path in unknown {
        anstream::println!(
            "{} {}",
            path.display(),
            ui::painted(ui::WAITS, "left over: no repository knows it")
        );
    }
    for path in &leftovers.gone {
        anstream::println!("{} {}", path.display(), ui::painted(ui::WAITS, "gone from the disk"));
    }
    if found.is_empty() && leftovers == amelia_sandbox::worktrees::Leftovers::default() {
        anstream::println!("{}", ui::dim("no worktrees of this repository"));
    }
    Ok(())
}
