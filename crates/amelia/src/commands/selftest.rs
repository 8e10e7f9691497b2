//! `amelia selftest`: proofs on this machine. `--crowd` and `--abandon` have files of their own. `--chaos`: a worker is killed with SIGKILL, first at every moment that matters, then at random
//! ones; after each death and at every end, what is left is checked against what was promised.

mod abandon;
mod audit;
mod chance;
mod crowd;
mod findings;
mod ground;
mod report;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use amelia_host::synthetic::bug::Bug;
use amelia_host::synthetic::life::{WorkerEnd, WorkerExit, WorkerProcess, WorkerTask};
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use self::audit::Audit;
use self::chance::Chance;
use self::report::Report;

use crate::cli::{Global, SelftestArgs};

/// Runs that are in the air at once while the worker is killed at random.
const BATCH: u32 = 6;
/// Lives a worker may need for one batch; more means that it does not get on.
const MOST_LIVES: u32 = 10_000;
/// A kill comes this long after the worker's first sign of life, at most.
const LATEST_KILL: Duration = Duration::from_millis(40);
/// More violations than this are not worth the wait.
const ENOUGH: usize = 20;

pub(super) fn run(args: &SelftestArgs, global: &Global) -> Result<ExitCode> {
    if args.crowd {
        return super::block_on(crowd::run(args, global));
    }
    if args.abandon {
        return super::block_on(abandon::run(args, global));
    }
    chaos(args, global)
}

fn chaos(args: &SelftestArgs, global: &Global) -> Result<ExitCode> {
    let seed = args.seed.unwrap_or_else(chance::fresh_seed);
    let bar = progress(global, args.kills, "kills");
    let mut report = Report::new(seed);
    every_moment(args.inject, &bar, &mut report)?;
    random_moments(args, Chance::new(seed), &bar, &mut report)?;
    bar.finish_and_clear();
    report.print(global)?;
    Ok(if report.violations.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// One run per moment: its worker dies there, the next one brings it home.
fn every_moment(bug: Option<Bug>, bar: &ProgressBar, report: &mut Report) -> Result<()> {
    bar.set_message("every moment");
    for moment in 1.. {
        let home = tempfile::tempdir().context("a directory for the test")?;
        let mut audit = Audit::new(home.path());
        let orders = |life, die_at| WorkerTask { life, die_at, first: 1, count: 1, pace: 0, bug };
        let first = WorkerProcess::start(home.path(), orders(1, Some(moment)))?.end()?;
        let is_last = first.death == WorkerExit::Finished;
        audit.after_life(1, &first, report)?;
        if !is_last {
            report.enumerated_kills += 1;
            bar.inc_length(1);
            bar.inc(1);
            let second = WorkerProcess::start(home.path(), orders(2, None))?.end()?;
            audit.after_life(2, &second, report)?;
        }
        audit.at_end(report)?;
        if is_last || report.violations.len() >= ENOUGH {
            return Ok(());
        }
    }
    Ok(())
}

/// Batches of runs whose worker is killed again and again until it has finished.
fn random_moments(
    args: &SelftestArgs,
    mut chance: Chance,
    bar: &ProgressBar,
    report: &mut Report,
) -> Result<()> {
    bar.set_message("random moments");
    while report.random_kills < args.kills && report.violations.len() < ENOUGH {
        let home = tempfile::tempdir().context("a directory for the test")?;
        let mut audit = Audit::new(home.path());
        for life in 1..=MOST_LIVES {
            let may_kill = report.random_kills < args.kills;
            let ended = one_life(home.path(), args, life, may_kill, &mut chance)?;
            let is_killed = ended.death == WorkerExit::Killed;
            let is_finished = ended.death == WorkerExit::Finished;
            audit.after_life(life, &ended, report)?;
            if is_killed {
                report.random_kills += 1;
                bar.inc(1);
            }
            if is_finished || report.violations.len() >= ENOUGH {
                break;
            }
        }
        audit.at_end(report)?;
    }
    Ok(())
}

fn one_life(
    home: &Path,
    args: &SelftestArgs,
    life: u32,
    may_kill: bool,
    chance: &mut Chance,
) -> Result<WorkerEnd> {
    let orders = WorkerTask { life, die_at: None, first: 1, count: BATCH, pace: 0, bug: args.inject };
    let worker = WorkerProcess::start(home, orders)?;
    if !may_kill {
        return worker.end();
    }
    // Mostly in the middle of the work; sometimes while the store is still being opened.
    if chance.one_in(5) {
        worker.kill_after(chance.up_to(LATEST_KILL / 2))
    } else {
        worker.await_first_sign();
        worker.kill_after(chance.up_to(LATEST_KILL))
    }
}

fn progress(global: &Global, count: u32, unit: &str) -> ProgressBar {
    let bar = ProgressBar::new(u64::from(count));
    if global.json || global.quiet {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    if let Ok(style) =
        ProgressStyle::with_template(&format!("{{msg:16}} {{bar:30}} {{pos}}/{{len}} {unit}  {{elapsed}}"))
    {
        bar.set_style(style);
    }
    bar
}
