//! `amelia resume`: let a run go on that was interrupted, waits, or failed.

use std::process::ExitCode;
use std::sync::Arc;

use amelia_core::clock::{Clock, SystemClock};
use amelia_core::id::RunId;
use amelia_graph::engine::Stop;
use amelia_graph::position::approval;
use amelia_orchestrator::runs::{Move, Runs};
use anyhow::Result;

use crate::cli::{Global, Resume};
use crate::home::{Home, find_run, runs_on};
use crate::refusal::{Exit, Refusal};
use crate::synthetic::graph::Surroundings;
use crate::synthetic::state::Work;
use crate::synthetic::{self, GRAPH};
use crate::ui;

pub(super) async fn run(args: &Resume, home: &Home, global: &Global) -> Result<ExitCode> {
    let store = home.open_existing()?;
    let row = find_run(&*store, &args.run).await?;
    if row.run.spec.graph.as_str() != GRAPH {
        let message = format!("this program has no graph `{}`", row.run.spec.graph);
        return Err(Refusal::new(Exit::Conflict, message).into());
    }
    let runs = runs_on(store);
    let run = row.run.id;
    let mut watch = runs.watch(run, row.view.seq);
    let stop = {
        let moving = go(&runs, run, home, args.approve);
        tokio::pin!(moving);
        loop {
            tokio::select! {
                stop = &mut moving => break stop?,
                event = watch.next() => show(&*event?, global)?,
            }
        }
    };
    while watch.seen() < runs.store().run(run).await?.map(|row| row.view.seq).unwrap_or_default() {
        show(&*watch.next().await?, global)?;
    }
    match stop {
        Stop::Completed => Ok(ExitCode::SUCCESS),
        Stop::Waiting(_) => {
            let message = "the run waits for an answer\n  hint: `--approve` says yes to everything it asks";
            Err(Refusal::new(Exit::Waiting, message).into())
        }
        Stop::Failed(failure) => Err(Refusal::new(Exit::Failed, failure.message).into()),
        Stop::Cancelled => Err(Refusal::new(Exit::Failed, "the run was cancelled").into()),
    }
}

async fn go(runs: &Runs, run: RunId, home: &Home, approve: bool) -> Result<Stop> {
    let graph = synthetic::graph::graph(&Arc::new(Surroundings::quiet(home)))?;
    loop {
        let pending = runs.store().run(run).await?.map(|row| row.view.pending).unwrap_or_default();
        let replies = match approve {
            true => pending.iter().map(|request| approval(request, SystemClock.now())).collect(),
            false => Vec::new(),
        };
        let stop = runs.go(run, &graph, Work::default(), Move { replies, ..Move::default() }).await?;
        if !(approve && matches!(stop, Stop::Waiting(_))) {
            return Ok(stop);
        }
    }
}

fn show(event: &amelia_core::event::Event, global: &Global) -> Result<()> {
    if global.json {
        println!("{}", serde_json::to_string(event)?);
    } else if !global.quiet {
        anstream::println!("{}", ui::event_line(event));
    }
    Ok(())
}
