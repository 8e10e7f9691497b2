//! `amelia demo --crash`: a run is watched live, its worker is killed with SIGKILL in the middle of a tool call and in the
//! middle of an effect, and it resumes as if nothing had happened.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use amelia_core::id::Seq;
use amelia_core::run::RunStatus;
use amelia_core::store::{RunFilter, Store};
use amelia_core::view::RunRow;
use amelia_host::home::Home;
use amelia_host::synthetic::life::{WorkerEnd, WorkerExit, WorkerProcess, WorkerTask};
use amelia_host::synthetic::outside::{Deed, Outside};
use anyhow::{Context, Result};

use super::block_on;
use crate::cli::{DemoArgs, Global};
use crate::cli_error::{CliError, Exit};
use crate::event_line::EventLines;
use crate::ui;

/// Each kill waits for its moment: inside a tool call that writes, then inside an effect.
const MOMENTS: [&str; 2] = ["calls write_file", "about to synthetic.publish"];

pub(super) fn run(args: &DemoArgs, global: &Global) -> Result<ExitCode> {
    let home = match &global.home {
        Some(home) => home.clone(),
        None => tempfile::Builder::new()
            .prefix("amelia-demo-")
            .tempdir()
            .context("a directory for the demo")?
            .keep(),
    };
    let say = |text: &str| {
        if !global.json && !global.quiet {
            anstream::println!("{text}");
        }
    };
    say(&format!("{} in {}", ui::bold("A synthetic run"), home.display()));
    // A number that no run in this home has: a second demo is a new run.
    let first = u32::try_from(jiff::Timestamp::now().as_second()).unwrap_or(u32::MAX / 2);
    let mut last = Seq::START;
    let mut kills = 0_usize;
    for life in 1.. {
        let orders = WorkerTask { life, die_at: None, first, count: 1, pace: args.pace, bug: None };
        let worker = WorkerProcess::start(&home, orders)?;
        say(&ui::dim(format!("      worker {} started", worker.pid())));
        let moment = MOMENTS.get(kills).filter(|_| kills < args.kills as usize);
        let pid = worker.pid();
        let ended = watch(worker, moment.copied(), &mut last, Duration::from_millis(args.pace / 2), global)?;
        match ended.death {
            WorkerExit::Finished => break,
            WorkerExit::Killed => {
                kills += 1;
                say(&ui::painted(ui::BAD, format!("    ✗ worker {pid} killed with SIGKILL")));
            }
            WorkerExit::GaveUp(why) => {
                return Err(CliError::new(Exit::Failed, format!("the worker gave up: {why}")).into());
            }
        }
    }
    let proof = block_on(prove(&home))?;
    conclude(&home, &proof, kills, global)
}

/// Shows events as they come, and kills the worker in the middle of the chosen one.
fn watch(
    worker: WorkerProcess,
    moment: Option<&str>,
    last: &mut Seq,
    delay: Duration,
    global: &Global,
) -> Result<WorkerEnd> {
    let mut lines = EventLines::default();
    while let Some(event) = worker.next_event() {
        if event.seq <= *last {
            continue;
        }
        *last = event.seq;
        if global.json {
            anstream::println!("{}", serde_json::to_string(&event)?);
        } else if !global.quiet {
            anstream::println!("{}", lines.line(&event));
        }
        if moment.is_some_and(|moment| event.draft.kind.summary().starts_with(moment)) {
            return worker.kill_after(delay);
        }
    }
    worker.end()
}

/// What is on disk in the end.
struct Proof {
    row: RunRow,
    events: usize,
    is_gapless: bool,
    writes: Vec<u32>,
    published: usize,
}

async fn prove(home: &Path) -> Result<Proof> {
    let store = Home::at(home).open()?;
    let row = store
        .runs(&RunFilter { limit: 1, ..RunFilter::default() })
        .await?
        .pop()
        .context("there is no run")?;
    let events = store.events(row.run.id, Seq::START, usize::MAX).await?;
    let outside = Outside::at(home);
    let run = row.run.id.to_string();
    let mine = |line: &str| line.starts_with(&run);
    Ok(Proof {
        is_gapless: events.iter().zip(1..).all(|(event, seq)| event.seq == Seq(seq)),
        events: events.len(),
        writes: outside
            .counts(Deed::Wrote)?
            .into_iter()
            .filter(|(line, _)| mine(line))
            .map(|(_, n)| n)
            .collect(),
        published: outside.lines(Deed::Performed)?.iter().filter(|line| mine(line)).count(),
        row,
    })
}

fn conclude(home: &Path, proof: &Proof, kills: usize, global: &Global) -> Result<ExitCode> {
    let Proof { row, events, is_gapless, writes, published } = proof;
    let held = row.view.status == RunStatus::Completed
        && *is_gapless
        && *published == 1
        && writes.iter().all(|times| *times <= 1);
    if !held {
        let hint = format!("{} logs {}", ui::command_in(home), row.run.number);
        return Err(CliError::new(Exit::Failed, "the result of the run is wrong").with_hint(hint).into());
    }
    if global.json {
        return Ok(ExitCode::SUCCESS);
    }
    ui::say!(
        "{} after {kills} kills: {events} events without a gap, {} files written once each, published once",
        ui::painted(ui::GOOD, "Completed"),
        writes.len(),
    );
    let (run, me) = (row.run.number, ui::command_in(home));
    ui::say!("Look at it:");
    for command in ["logs", "checkpoints"] {
        ui::say!("  {me} {command} {run}");
    }
    ui::say!("Fork it from a checkpoint:");
    ui::say!("  {me} fork {run} --at 5 --set rounds=1");
    Ok(ExitCode::SUCCESS)
}
