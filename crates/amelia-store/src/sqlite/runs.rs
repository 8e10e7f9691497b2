//! Runs: identity, and the fold of the log, rewritten with every commit.

use std::path::{Path, PathBuf};

use amelia_core::id::RunId;
use amelia_core::run::{Run, RunStatus};
use amelia_core::store::{RunFilter, StoreError};
use amelia_core::view::{RunRow, RunView};
use rusqlite::{Connection, OptionalExtension, Row, params};
use uuid::Uuid;

use super::error::{damaged_row, from_sqlite};
use super::events::signed;

/// A run as the writer remembers it.
pub(super) struct Known {
    pub(super) pk: i64,
    pub(super) checkpoints: u32,
    /// As the row says; the view may be ahead of it.
    is_final: bool,
    pub(super) view: RunView,
}

/// The file behind a connection, for messages.
pub(super) fn path_of(db: &Connection) -> PathBuf {
    PathBuf::from(db.path().unwrap_or("the store"))
}

pub(super) fn pk(db: &Connection, run: RunId) -> rusqlite::Result<Option<i64>> {
    db.prepare_cached("SELECT pk FROM runs WHERE id = ?1")?.query_row([run.0], |row| row.get(0)).optional()
}

/// What the writer needs to go on with a run.
pub(super) fn known(db: &Connection, run: RunId) -> Result<Option<Known>, StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(&path_of(db), &error);
    let mut statement =
        db.prepare_cached("SELECT pk, checkpoints, is_final, view FROM runs WHERE id = ?1").map_err(fail)?;
    let row = statement
        .query_row([run.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get::<_, String>(3)?)))
        .optional()
        .map_err(fail)?;
    row.map(|(pk, checkpoints, is_final, view)| {
        Ok(Known { pk, checkpoints, is_final, view: parse(run, "view", &view)? })
    })
    .transpose()
}

/// A row for a run that begins. The same key twice is the same run.
pub(super) fn insert(db: &Connection, row: RunRow) -> Result<Known, StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(&path_of(db), &error);
    let RunRow { run, view } = row;
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
            "INSERT INTO runs (id, key, is_final, seq, checkpoints, run, view) VALUES (?1, ?2, 0, 0, 0, ?3, '{}')",
        )
        .map_err(fail)?;
    let key = run.spec.idempotency_key.as_deref();
    statement.execute(params![run.id.0, key, text(&run)?]).map_err(fail)?;
    Ok(Known { pk: db.last_insert_rowid(), checkpoints: 0, is_final: false, view })
}

pub(super) fn update(db: &Connection, path: &Path, row: &mut Known) -> Result<(), StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(path, &error);
    let view = text(&row.view)?;
    db.prepare_cached("UPDATE runs SET seq = ?2, checkpoints = ?3, view = ?4 WHERE pk = ?1")
        .and_then(|mut statement| {
            statement.execute(params![row.pk, signed(row.view.seq.0), row.checkpoints, view])
        })
        .map_err(fail)?;
    // On its own, because it is rare: naming the column rewrites a page of the index, changed or not.
    let is_final = row.view.status.is_final();
    if is_final != row.is_final {
        db.prepare_cached("UPDATE runs SET is_final = ?2 WHERE pk = ?1")
            .and_then(|mut statement| statement.execute(params![row.pk, is_final]))
            .map_err(fail)?;
        row.is_final = is_final;
    }
    Ok(())
}

pub(super) fn find(db: &Connection, run: RunId) -> Result<Option<RunRow>, StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(&path_of(db), &error);
    db.prepare_cached("SELECT id, run, view FROM runs WHERE id = ?1")
        .and_then(|mut statement| statement.query_row([run.0], texts).optional())
        .map_err(fail)?
        .map(parse_row)
        .transpose()
}

pub(super) fn list(db: &Connection, filter: &RunFilter) -> Result<Vec<RunRow>, StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(&path_of(db), &error);
    let sql = if filter.unfinished {
        "SELECT id, run, view FROM runs WHERE is_final = 0 ORDER BY pk DESC LIMIT ?1"
    } else {
        "SELECT id, run, view FROM runs ORDER BY pk DESC LIMIT ?1"
    };
    // A negative limit is none, in SQLite's terms.
    let limit = if filter.limit == 0 { -1 } else { i64::try_from(filter.limit).unwrap_or(-1) };
    let mut statement = db.prepare_cached(sql).map_err(fail)?;
    let rows = statement.query_map([limit], texts).map_err(fail)?;
    rows.map(|row| row.map_err(fail).and_then(parse_row)).collect()
}

pub(super) fn statuses(db: &Connection) -> Result<Vec<(RunId, RunStatus)>, StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(&path_of(db), &error);
    let mut statement = db
        .prepare_cached("SELECT id, view ->> '$.status', json_type(view, '$.status') FROM runs ORDER BY pk")
        .map_err(fail)?;
    let rows = statement
        .query_map([], |row| Ok((row.get::<_, Uuid>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?)))
        .map_err(fail)?;
    rows.map(|row| {
        let (id, status, kind) = row.map_err(fail)?;
        let run = RunId(id);
        let status = if kind == "text" { format!("\"{status}\"") } else { status };
        Ok((run, parse(run, "status", &status)?))
    })
    .collect()
}

fn texts(row: &Row<'_>) -> rusqlite::Result<(Uuid, String, String)> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?))
}

fn parse_row((id, run, view): (Uuid, String, String)) -> Result<RunRow, StoreError> {
    let id = RunId(id);
    Ok(RunRow { run: parse::<Run>(id, "identity", &run)?, view: parse(id, "view", &view)? })
}

fn parse<T: serde::de::DeserializeOwned>(run: RunId, what: &str, text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text)
        .map_err(|error| damaged_row(format!("the {what} of run {run}"), error.to_string()))
}

fn text<T: serde::Serialize>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Invalid(error.to_string()))
}
