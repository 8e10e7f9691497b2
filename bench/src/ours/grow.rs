//! A state that grows by 1 KiB a step: rate, whether the rate stays, and the bytes left on disk.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::team::{self, Team};
use super::{CaseArgs, own};

/// A snapshot is due each time the history has tripled, so of windows that each end with three times the history they
/// began with, every one has its share.
const SPAN: usize = 3;

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    let (runs, n) = (own::open(args)?, args.n);
    ensure!(n >= 100, "too few steps to compare late ones with early ones");
    let (took, moments) = own::block_on(async move {
        let moments = Arc::new(Mutex::new(Vec::with_capacity(n)));
        let seen = Arc::clone(&moments);
        let graph = team::talking(n, move |_| {
            seen.lock().push(Instant::now());
        })?;
        let start = Instant::now();
        let run = own::complete(&runs, &graph, Team::growing(n)).await?;
        let took = start.elapsed();
        let team = team::check(runs.store().as_ref(), run, n).await?;
        ensure!(team.messages.len() == n, "{} messages are stored, not {n}", team.messages.len());
        runs.store().close().await?;
        Ok((took, std::mem::take(&mut *moments.lock())))
    })?;
    let early = step_time(&moments, n / SPAN)?;
    let late = step_time(&moments, n)?;
    Ok(json!({
        "steps_s": own::rate(n, took),
        "db_bytes": bytes(&own::file(&args.dir)),
        "late_over_early": early / late,
    }))
}

/// Seconds per step, over the steps from a third of `last` to `last`.
fn step_time(moments: &[Instant], last: usize) -> Result<f64> {
    let at = |step: usize| moments.get(step - 1).context("a step was not seen");
    let first = last / SPAN;
    Ok(at(last)?.duration_since(*at(first)?).as_secs_f64() / f64::from(u32::try_from(last - first)?))
}

/// Size of a store's file and of its companions, as far as they are there.
fn bytes(file: &Path) -> u64 {
    ["", "-wal", "-shm"]
        .iter()
        .map(|suffix| {
            let mut path = file.as_os_str().to_owned();
            path.push(suffix);
            std::fs::metadata(path).map_or(0, |metadata| metadata.len())
        })
        .sum()
}
