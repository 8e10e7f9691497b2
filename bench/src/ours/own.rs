//! What every case of ours stands on: the runtime and the store, set up as the product sets them up.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use amelia_core::clock::SystemClock;
use amelia_core::config::server::Durability as Synced;
use amelia_core::id::RunId;
use amelia_core::run::RunSpec;
use amelia_graph::engine::Stop;
use amelia_graph::graph::Graph;
use amelia_graph::state::State;
use amelia_orchestrator::runs::{Move, Runs};
use amelia_store::sqlite::{SqliteOptions, SqliteStore};
use anyhow::{Context, Result, bail, ensure};

use super::{BenchDurability, CaseArgs};

/// Runs `work` as a task of a multi-thread runtime with one worker per core of the reference machine: a server
/// moves many runs at once, and none of them lives on its main thread. A current-thread runtime would save a
/// wake-up per commit for one run alone, and give the second core away as soon as there are two.
pub(super) fn block_on<T, F>(work: F) -> Result<T>
where
    T: Send + 'static,
    F: Future<Output = Result<T>> + Send + 'static,
{
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(runtime.spawn(work)).context("while running the case")?
}

/// The store's file within the directory of a case.
pub(super) fn file(dir: &Path) -> PathBuf {
    dir.join("amelia.db")
}

/// Opens the store of the durability that is measured.
pub(super) fn open(args: &CaseArgs) -> Result<Runs> {
    let durability = match args.durability {
        BenchDurability::D0 => bail!("`{}` stores something: d1 or d2", args.case),
        BenchDurability::D1 => Synced::Relaxed,
        BenchDurability::D2 => Synced::Full,
    };
    let store =
        SqliteStore::open(&file(&args.dir), SqliteOptions { durability, ..SqliteOptions::default() })?;
    Ok(Runs::new(Arc::new(store), Arc::new(SystemClock)))
}

/// Creates a run and moves it to its end: all that a user pays for.
pub(super) async fn complete<S: State>(runs: &Runs, graph: &Graph<S>, initial: S) -> Result<RunId> {
    let run = runs.create(RunSpec::new(graph.name().clone(), "benchmark")).await?;
    let stop = runs.run(run, graph, initial, Move::default()).await?;
    ensure!(stop == Stop::Completed, "the run stopped: {stop:?}");
    Ok(run)
}

/// Steps per second.
#[expect(clippy::cast_precision_loss, reason = "step counts are far below 2^52")]
pub(super) fn rate(steps: usize, took: std::time::Duration) -> f64 {
    steps as f64 / took.as_secs_f64()
}
