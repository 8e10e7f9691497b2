//! What SQLite itself takes: the rows of `steps`, `concurrent` or `interrupt` once more, by one thread that does nothing
//! else, with the same schema, pragmas and statements. One transaction per commit; with several runs at once, the next
//! commit of each of them in one transaction, which is the best that group commit can do. The limit that those cases are
//! held against.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use amelia_core::clock::SystemClock;
use amelia_core::config::server::Durability;
use amelia_core::id::{RunId, Seq};
use amelia_core::store::{Commit, CommitReceipt, Store, StoreFuture, StoreLayer};
use amelia_orchestrator::runs::Runs;
use amelia_store::sqlite::{SqliteOptions, SqliteStore};
use anyhow::{Context, Result, ensure};
use parking_lot::Mutex;
use rusqlite::types::Value as Cell;
use rusqlite::{Connection, TransactionBehavior, params_from_iter};
use serde_json::{Value, json};

use super::team::{self, Team};
use super::{BenchDurability, CaseArgs, interrupt, own};

type Row = Vec<Cell>;

const INSERT_RUN: &str = "INSERT INTO runs (pk, id, key, is_final, seq, checkpoints, run, run_checksum, view) VALUES (?1, ?2, ?3, 0, 0, 0, ?4, ?5, '{}')";
const INSERT_EVENT: &str = "INSERT INTO events (run, seq, id, at, level, agent, body, checksum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
const INSERT_CHECKPOINT: &str = "INSERT INTO checkpoints (run, number, seq, at, graph, version, position, is_snapshot, state, checksum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
const UPDATE_RUN: &str =
    "UPDATE runs SET seq = ?2, checkpoints = ?3, view = ?4, view_checksum = ?5 WHERE pk = ?1";

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    let (count, n) = (args.runs, args.n);
    let runs = written_by(args, |all| async move {
        let graph = team::counting(n)?;
        for _ in 0..count {
            own::complete(&all, &graph, Team::small(n)).await?;
        }
        Ok(all)
    })?;
    let took = write(&own::file(&args.dir), args.durability, &runs, runs.len())?;
    Ok(json!({ "steps_s": own::rate(count * n, took) }))
}

/// One run after the other, as `interrupt` makes them.
pub(super) fn interrupt(args: &CaseArgs) -> Result<Value> {
    let (rounds, kib) = (args.rounds, args.history_kib);
    let runs = written_by(args, |all| async move {
        interrupt::rounds(&all, rounds, kib).await?;
        Ok(all)
    })?;
    let took = write(&own::file(&args.dir), args.durability, &runs, 1)?;
    Ok(json!({ "round_ms": 1e3 / own::rate(rounds, took) }))
}

/// What one commit writes: so many events, and a checkpoint or none.
#[derive(Clone, Copy)]
struct Shape {
    events: usize,
    has_checkpoint: bool,
}

/// Writes down the shape of every commit.
struct Watched {
    store: Arc<dyn Store>,
    shapes: Mutex<HashMap<RunId, Vec<Shape>>>,
}

impl StoreLayer for Watched {
    fn inner(&self) -> &dyn Store {
        &*self.store
    }

    fn commit(&self, run: RunId, after: Seq, commit: Commit) -> StoreFuture<CommitReceipt> {
        let shape = Shape { events: commit.drafts.len(), has_checkpoint: commit.checkpoint.is_some() };
        self.shapes.lock().entry(run).or_default().push(shape);
        self.store.commit(run, after, commit)
    }
}

/// Our own case, not timed, and the rows that it has written.
fn written_by<W>(args: &CaseArgs, case: impl FnOnce(Runs) -> W) -> Result<Vec<StoredRun>>
where
    W: Future<Output = Result<Runs>> + Send + 'static,
{
    let file = args.dir.join("source.db");
    let options = SqliteOptions { durability: Durability::Relaxed, ..SqliteOptions::default() };
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&file, options)?);
    let watched = Arc::new(Watched { store, shapes: Mutex::default() });
    let shapes = Arc::clone(&watched);
    let case = case(Runs::new(watched, Arc::new(SystemClock)));
    own::block_on(async move { Ok(case.await?.store().close().await?) })?;
    let shapes = std::mem::take(&mut *shapes.shapes.lock());
    read(&file, &shapes)
}

struct StoredRun {
    identity: Row,
    commits: Vec<StoredCommit>,
}

struct StoredCommit {
    events: Vec<Row>,
    checkpoint: Option<Row>,
    /// The row of the run after it. All have the bytes of the last one.
    view: Row,
}

fn read(source: &Path, shapes: &HashMap<RunId, Vec<Shape>>) -> Result<Vec<StoredRun>> {
    let db = Connection::open(source)?;
    let mut runs = Vec::with_capacity(shapes.len());
    for (run, shapes) in shapes {
        let row = |columns: &str| rows(&db, &format!("SELECT {columns} FROM runs WHERE id = ?1"), run.0);
        let identity = row("pk, id, key, run, run_checksum")?.pop().context("a run is missing")?;
        let view = row("pk, seq, checkpoints, view, view_checksum")?.pop().context("a run is missing")?;
        let of_run = |columns: &str, table: &str, sort: &str| {
            let sql = format!(
                "SELECT {columns} FROM {table} WHERE run = (SELECT pk FROM runs WHERE id = ?1) ORDER BY {sort}"
            );
            rows(&db, &sql, run.0).map(Vec::into_iter)
        };
        let mut events = of_run("run, seq, id, at, level, agent, body, checksum", "events", "seq")?;
        let mut checkpoints = of_run(
            "run, number, seq, at, graph, version, position, is_snapshot, state, checksum",
            "checkpoints",
            "number",
        )?;
        let commits = shapes.iter().map(|shape| StoredCommit {
            events: events.by_ref().take(shape.events).collect(),
            checkpoint: shape.has_checkpoint.then(|| checkpoints.next()).flatten(),
            view: view.clone(),
        });
        let commits = commits.collect();
        ensure!(events.len() + checkpoints.len() == 0, "the store has rows that no commit has written");
        runs.push(StoredRun { identity, commits });
    }
    Ok(runs)
}

fn rows(db: &Connection, sql: &str, run: impl rusqlite::ToSql) -> Result<Vec<Row>> {
    let mut statement = db.prepare(sql)?;
    let columns = statement.column_count();
    let rows = statement.query_map([run], |row| (0..columns).map(|column| row.get(column)).collect())?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// So many runs at once.
fn write(file: &Path, durability: BenchDurability, runs: &[StoredRun], at_once: usize) -> Result<Duration> {
    // The schema is the product's.
    let store = SqliteStore::open(file, SqliteOptions::default())?;
    own::block_on(async move { Ok(store.close().await?) })?;
    let mut db = open(file, durability)?;
    let start = Instant::now();
    for group in runs.chunks(at_once.max(1)) {
        write_group(&mut db, group)?;
    }
    Ok(start.elapsed())
}

fn write_group(db: &mut Connection, runs: &[StoredRun]) -> Result<()> {
    let commits = runs.iter().map(|run| run.commits.len()).max().unwrap_or(0);
    for number in 0..commits {
        let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for run in runs {
            if number == 0 {
                put(&transaction, INSERT_RUN, &run.identity)?;
            }
            let Some(commit) = run.commits.get(number) else { continue };
            if let Some(row) = &commit.checkpoint {
                put(&transaction, INSERT_CHECKPOINT, row)?;
            }
            for row in &commit.events {
                put(&transaction, INSERT_EVENT, row)?;
            }
            put(&transaction, UPDATE_RUN, &commit.view)?;
        }
        transaction.commit()?;
    }
    Ok(())
}

/// Configured as in `sqlite/open.rs` of the store.
fn open(file: &Path, durability: BenchDurability) -> Result<Connection> {
    let db = Connection::open(file)?;
    let (synchronous, pages) = match durability {
        BenchDurability::D2 => ("FULL", 400),
        BenchDurability::D0 | BenchDurability::D1 => ("NORMAL", 4000),
    };
    db.pragma_update(None, "synchronous", synchronous)?;
    db.pragma_update(None, "wal_autocheckpoint", pages)?;
    db.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)?;
    db.pragma_update(None, "temp_store", "MEMORY")?;
    Ok(db)
}

fn put(db: &Connection, sql: &str, row: &Row) -> Result<()> {
    db.prepare_cached(sql)?.execute(params_from_iter(row))?;
    Ok(())
}
