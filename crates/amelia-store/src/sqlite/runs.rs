//! Runs: identity, and the fold of the log, rewritten with every commit.

use std::path::Path;

use amelia_core::id::{RunId, RunNumber, Seq};
use amelia_core::run::RunStatus;
use amelia_core::store::{RunFilter, StoreError};
use amelia_core::view::{RunRow, RunView};
use rusqlite::{Connection, OptionalExtension, Row, params};
use uuid::Uuid;

use super::ahead::{Mark, StoredView};
use super::claims;
use super::error::{damaged_row, from_sqlite};
use super::repair;
use super::rows::{path_of, signed, unsigned};
use super::stand_in::stand_in;
use super::summed::Summed;

/// A run as the writer remembers it.
pub(super) struct Known {
    pub(super) pk: i64,
    pub(super) checkpoints: u32,
    is_final: bool,
    pub(super) seq: Seq,
    pub(super) status: RunStatus,
    /// Which view was written; nothing when another process wrote it, or this one before it forgot the run.
    pub(super) mark: Option<Mark>,
    /// As it was read, until the first commit.
    pub(super) view: Option<Box<RunView>>,
}

/// What the writer needs to continue a run.
pub(super) fn known(db: &Connection, run: RunId) -> Result<Option<Known>, StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(&path_of(db), &error);
    let mut statement = db
        .prepare_cached("SELECT pk, checkpoints, is_final, view, view_checksum FROM runs WHERE id = ?1")
        .map_err(fail)?;
    let row = statement
        .query_row([run.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, Summed::of(row, 3)?)))
        .optional()
        .map_err(fail)?;
    row.map(|(pk, checkpoints, is_final, view)| {
        let view: RunView =
            view.parse("the view").or_else(|_| repair::refold(db, run).map(|row| row.view))?;
        let (seq, status) = (view.seq, view.status);
        Ok(Known { pk, checkpoints, is_final, seq, status, mark: None, view: Some(Box::new(view)) })
    })
    .transpose()
}

/// The view of a run as it is written.
pub(super) fn view(db: &Connection, run: RunId) -> Result<RunView, StoreError> {
    let read = known(db, run)?.and_then(|row| row.view);
    read.map(|view| *view).ok_or(StoreError::NotFound(run))
}

/// A row for a run that begins. The same key twice is the same run.
pub(super) fn insert(db: &Connection, row: RunRow) -> Result<Known, StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(&path_of(db), &error);
    let run = row.run;
    if let Some(key) = &run.spec.idempotency_key {
        let existing: Option<Uuid> = db
            .prepare_cached("SELECT id FROM runs WHERE key = ?1")
            .and_then(|mut statement| statement.query_row([key], |row| row.get(0)).optional())
            .map_err(fail)?;
        if let Some(existing) = existing {
            return Err(StoreError::Duplicate { key: key.clone(), existing: RunId(existing) });
        }
    }
    let mut statement = db
        .prepare_cached(
            "INSERT INTO runs (pk, id, key, is_final, seq, checkpoints, run, run_checksum, view)
             VALUES (1 + max((SELECT coalesce(max(pk), 0) FROM runs), (SELECT largest FROM removed_runs)), ?1, ?2, 0, 0, 0, ?3, ?4, '{}')",
        )
        .map_err(fail)?;
    let key = run.spec.idempotency_key.as_deref();
    let identity = text(&run)?;
    let checksum = crc32fast::hash(identity.as_bytes());
    statement.execute(params![run.id.0, key, identity, checksum]).map_err(fail)?;
    let RunView { seq, status, .. } = row.view;
    let (pk, mark) = (db.last_insert_rowid(), Some(Mark::NONE));
    Ok(Known { pk, checkpoints: 0, is_final: false, seq, status, mark, view: Some(Box::default()) })
}

pub(super) fn update(
    db: &Connection,
    path: &Path,
    row: &mut Known,
    view: &StoredView,
) -> Result<(), StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(path, &error);
    db.prepare_cached(
        "UPDATE runs SET seq = ?2, checkpoints = ?3, view = ?4, view_checksum = ?5 WHERE pk = ?1",
    )
    .and_then(|mut statement| {
        statement.execute(params![row.pk, signed(view.seq.0), row.checkpoints, view.text, view.checksum])
    })
    .map_err(fail)?;
    // On its own, because it is rare: naming the column rewrites a page of the index, changed or not.
    (row.seq, row.status) = (view.seq, view.status);
    let is_final = view.status.is_final();
    if is_final != row.is_final {
        db.prepare_cached("UPDATE runs SET is_final = ?2 WHERE pk = ?1")
            .and_then(|mut statement| statement.execute(params![row.pk, is_final]))
            .and_then(|_| if is_final { claims::free(db, row.pk) } else { Ok(()) })
            .map_err(fail)?;
        row.is_final = is_final;
    }
    Ok(())
}

pub(super) fn find(db: &Connection, run: RunId) -> Result<Option<RunRow>, StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(&path_of(db), &error);
    db.prepare_cached("SELECT id, run, run_checksum, view, view_checksum, pk FROM runs WHERE id = ?1")
        .and_then(|mut statement| statement.query_row([run.0], texts).optional())
        .map_err(fail)?
        .map(|texts| texts.parse(db))
        .transpose()
}

/// Rows that are damaged are made again from their log; a run whose log is damaged, too, is in the list as one that
/// has failed for this reason.
pub(super) fn list(db: &Connection, filter: &RunFilter) -> Result<Vec<RunRow>, StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(&path_of(db), &error);
    let unfinished = if filter.unfinished { "is_final = 0" } else { "1" };
    // A run that was removed meanwhile has its place by its id, which says when it began.
    let older = "?2 IS NULL OR pk < coalesce((SELECT pk FROM runs WHERE id = ?2), (SELECT max(pk) + 1 FROM runs WHERE id < ?2))";
    let sql = format!(
        "SELECT id, run, run_checksum, view, view_checksum, pk FROM runs WHERE {unfinished} AND ({older}) ORDER BY pk DESC LIMIT ?1"
    );
    // A negative limit is none, in SQLite's terms.
    let limit = if filter.limit == 0 { -1 } else { i64::try_from(filter.limit).unwrap_or(-1) };
    let mut statement = db.prepare_cached(&sql).map_err(fail)?;
    let rows = statement.query_map(params![limit, filter.before.map(|run| run.0)], texts).map_err(fail)?;
    let read = |texts: Texts| {
        let (id, number) = (texts.id, texts.number);
        texts.parse(db).unwrap_or_else(|error| numbered(stand_in(id, &error), number))
    };
    rows.map(|row| row.map_err(fail).map(read)).collect()
}

pub(super) fn statuses(db: &Connection) -> Result<Vec<(RunId, RunStatus)>, StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(&path_of(db), &error);
    let mut statement = db
        .prepare_cached(
            "SELECT id, CASE WHEN json_valid(view) THEN view -> '$.status' ELSE '\"failed\"' END FROM runs ORDER BY pk",
        )
        .map_err(fail)?;
    let rows =
        statement.query_map([], |row| Ok((RunId(row.get(0)?), row.get::<_, String>(1)?))).map_err(fail)?;
    rows.map(|row| {
        let (run, status) = row.map_err(fail)?;
        let status = serde_json::from_str(&status)
            .map_err(|error| damaged_row(format!("the status of run {run}"), error.to_string()))?;
        Ok((run, status))
    })
    .collect()
}

/// A row as it is stored, not looked at yet.
struct Texts {
    id: RunId,
    number: RunNumber,
    run: Summed,
    view: Summed,
}

fn texts(row: &Row<'_>) -> rusqlite::Result<Texts> {
    let number = RunNumber(unsigned(row.get(5)?));
    Ok(Texts { id: RunId(row.get(0)?), number, run: Summed::of(row, 1)?, view: Summed::of(row, 3)? })
}

impl Texts {
    fn parse(self, db: &Connection) -> Result<RunRow, StoreError> {
        let whole = || {
            let run = self.run.parse(&format!("the identity of run {}", self.id))?;
            Ok::<_, StoreError>(RunRow {
                run,
                view: self.view.parse(&format!("the view of run {}", self.id))?,
            })
        };
        whole().or_else(|_| repair::refold(db, self.id)).map(|row| numbered(row, self.number))
    }
}

/// The key of its row is the number of a run: it is counted, and never changes.
fn numbered(mut row: RunRow, number: RunNumber) -> RunRow {
    row.run.number = number;
    row
}

fn text<T: serde::Serialize>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Invalid(error.to_string()))
}
