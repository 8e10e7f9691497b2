//! One run, constant 1 KiB state: create it and move it to its end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use amelia_core::clock::{Clock, SystemClock};
use amelia_core::id::RunId;
use amelia_graph::engine::{self, RunCx, StartFrom, Stop};
use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::nowhere::Nowhere;
use super::team::{self, Team};
use super::{BenchDurability, CaseArgs, own};

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    let took = match args.durability {
        BenchDurability::D0 => engine_alone(args.n)?,
        BenchDurability::D1 | BenchDurability::D2 => stored(args)?,
    };
    Ok(json!({ "steps_s": own::rate(args.n, took) }))
}

fn stored(args: &CaseArgs) -> Result<Duration> {
    let (runs, n) = (own::open(args)?, args.n);
    own::block_on(async move {
        let graph = team::counting(n)?;
        let initial = Team::small(n);
        let start = Instant::now();
        let run = own::complete(&runs, &graph, initial).await?;
        let took = start.elapsed();
        team::check(runs.store().as_ref(), run, n).await?;
        runs.store().close().await?;
        Ok(took)
    })
}

fn engine_alone(n: usize) -> Result<Duration> {
    own::block_on(async move {
        let graph = team::counting(n)?;
        let initial = Team::small(n);
        let start = Instant::now();
        let run = RunId(SystemClock.new_id());
        let cx = RunCx::new(run, Arc::new(Nowhere::default()), Arc::new(SystemClock));
        let stop = engine::run(&graph, StartFrom::Fresh(initial), cx).await?;
        ensure!(stop == Stop::Completed, "the run stopped: {stop:?}");
        Ok(start.elapsed())
    })
}
