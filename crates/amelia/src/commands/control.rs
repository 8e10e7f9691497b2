//! `amelia run`, `pause`, `cancel`, `archive`: short words to a run.

use std::process::ExitCode;

use amelia_core::run::{Run, RunStatus};
use amelia_host::home::Home;
use amelia_wire::rest::request::{Accepted, Batch, BatchStarted};
use anyhow::{Context, Result};
use serde_json::json;

use super::watching::{Watching, watch};
use crate::cli::{ArchiveArgs, CancelArgs, Global, PauseArgs, RunArgs, SayArgs};
use crate::cli_error::{CliError, Exit};
use crate::client::Client;
use crate::follow::FollowFrom;
use crate::reach;
use crate::ui;

/// Starts runs that were queued.
pub(super) async fn run(args: &RunArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    if args.run.is_none() && (args.watch.follow || args.watch.wait) {
        let refusal = CliError::new(Exit::Usage, "--follow and --wait need the run to follow");
        return Err(refusal.with_hint("name the run: amelia run RUN --follow").into());
    }
    let client = reach::to_work(home, global).await?;
    if let Some(run) = &args.run {
        let row = client.find(run).await?;
        client.tell(row.run.id, "start").await?;
        let (run, told) = (row.run.id, FollowFrom::to_go_on(row));
        return watch(&client, run, Some(told), Watching::from(&args.watch), global).await;
    }
    let worktree = match (&args.worktree, args.all) {
        (Some(path), _) => {
            Some(path.canonicalize().with_context(|| format!("{} does not exist", path.display()))?)
        }
        (None, true) => None,
        (None, false) => Some(std::env::current_dir().context("the current directory is gone")?),
    };
    let worktree = worktree.map(|path| path.to_string_lossy().into_owned());
    let done: BatchStarted = client.post("/workflows/start-batch", &Batch { ids: None, worktree }).await?;
    if global.json {
        anstream::println!("{}", serde_json::to_string(&done)?);
    } else {
        done.started.iter().for_each(|run| anstream::println!("{} {run}", ui::painted(ui::GOOD, "started")));
        if done.started.is_empty() && done.errors.is_empty() {
            anstream::println!("no run is queued");
        }
    }
    match done.errors.iter().next() {
        None => Ok(ExitCode::SUCCESS),
        Some((run, why)) => {
            Err(CliError::new(Exit::Failed, format!("run {run} was not started: {why}")).into())
        }
    }
}

pub(super) async fn say(args: &SayArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = reach::to_work_here(home, global, Vec::new()).await?;
    let row = client.find(&args.run).await?;
    let said =
        client.post(&format!("/workflows/{}/say", row.run.id), &json!({"message": args.message})).await;
    client.close().await?;
    let said: Accepted = said?;
    match (global.json, global.quiet) {
        (true, _) => anstream::println!("{}", serde_json::to_string(&said)?),
        (false, false) => {
            let when =
                if row.view.status == RunStatus::Running { "at its next turn" } else { "when it resumes" };
            anstream::println!("run {} gets the message {when}", row.run.number);
        }
        (false, true) => {}
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn pause(args: &PauseArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = reach::to_work_here(home, global, Vec::new()).await?;
    let outcome = tell(&client, &args.run, "pause", "is paused", global).await;
    client.close().await?;
    outcome
}

pub(super) async fn cancel(args: &CancelArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = reach::to_work_here(home, global, Vec::new()).await?;
    let outcome = tell(&client, &args.run, "cancel", "is cancelled; its changes are kept", global).await;
    client.close().await?;
    outcome
}

pub(super) async fn archive(args: &ArchiveArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = reach::to_work_here(home, global, Vec::new()).await?;
    let (what, done) = match args.undo {
        false => ("archive", "is archived; it stays as it is, and lists no longer show it"),
        true => ("unarchive", "is shown in lists again"),
    };
    let outcome = async {
        for run in &args.runs {
            tell(&client, run, what, done, global).await?;
        }
        Ok(ExitCode::SUCCESS)
    };
    let outcome = outcome.await;
    client.close().await?;
    outcome
}

async fn tell(client: &Client, run: &str, what: &str, done: &str, global: &Global) -> Result<ExitCode> {
    let Run { id: run, number, .. } = client.find(run).await?.run;
    client.tell(run, what).await?;
    match (global.json, global.quiet) {
        (true, _) => anstream::println!("{}", serde_json::to_string(&client.flat(run).await?)?),
        (false, false) => anstream::println!("run {number} {done}"),
        (false, true) => {}
    }
    Ok(ExitCode::SUCCESS)
}
