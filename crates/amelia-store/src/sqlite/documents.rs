//! Configuration, every version of it.

use amelia_core::document::{Document, DocumentChange, DocumentKind};
use amelia_core::store::StoreError;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::error::{damaged_row, from_sqlite};
use super::rows::path_of;

pub(super) fn list(db: &Connection, kind: DocumentKind) -> Result<Vec<Document>, StoreError> {
    let newest = "SELECT name, version, at, body FROM documents AS d WHERE kind = ?1 AND body IS NOT NULL \
                  AND version = (SELECT max(version) FROM documents WHERE kind = ?1 AND name = d.name) ORDER BY name";
    read(db, newest, kind, None)
}

pub(super) fn versions(db: &Connection, kind: DocumentKind, name: &str) -> Result<Vec<Document>, StoreError> {
    let all = "SELECT name, version, at, body FROM documents WHERE kind = ?1 AND name = ?2 ORDER BY version";
    read(db, all, kind, Some(name))
}

pub(super) fn change(
    db: &Connection,
    at: Timestamp,
    changes: &[DocumentChange],
) -> Result<Vec<u32>, StoreError> {
    changes.iter().map(|change| write(db, at, change)).collect()
}

fn write(db: &Connection, at: Timestamp, change: &DocumentChange) -> Result<u32, StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(&path_of(db), &error);
    let DocumentChange { kind, name, body, after: _ } = change;
    let text = body.as_ref().map(ToString::to_string);
    let last: Option<(u32, Option<String>)> = db
        .prepare_cached(
            "SELECT version, body FROM documents WHERE kind = ?1 AND name = ?2 ORDER BY version DESC LIMIT 1",
        )
        .and_then(|mut statement| {
            statement.query_row(params![kind.name(), name], |row| Ok((row.get(0)?, row.get(1)?))).optional()
        })
        .map_err(fail)?;
    change.check(last.as_ref().map_or(0, |(version, _)| *version))?;
    let version = match last {
        Some((version, before)) if before == text => return Ok(version),
        Some((version, _)) => version.saturating_add(1),
        None if text.is_none() => return Ok(0),
        None => 1,
    };
    let nanoseconds = i64::try_from(at.as_nanosecond()).unwrap_or(i64::MAX);
    db.prepare_cached("INSERT INTO documents (kind, name, version, at, body) VALUES (?1, ?2, ?3, ?4, ?5)")
        .and_then(|mut statement| statement.execute(params![kind.name(), name, version, nanoseconds, text]))
        .map_err(fail)?;
    Ok(version)
}

fn read(
    db: &Connection,
    sql: &str,
    kind: DocumentKind,
    name: Option<&str>,
) -> Result<Vec<Document>, StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(&path_of(db), &error);
    let mut statement = db.prepare_cached(sql).map_err(fail)?;
    let rows = match name {
        Some(name) => statement.query_map(params![kind.name(), name], columns),
        None => statement.query_map(params![kind.name()], columns),
    };
    let rows = rows.and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(fail)?;
    rows.into_iter().map(|row| document(kind, row)).collect()
}

type Columns = (String, u32, i64, Option<String>);

fn columns(row: &Row<'_>) -> rusqlite::Result<Columns> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
}

fn document(kind: DocumentKind, (name, version, at, body): Columns) -> Result<Document, StoreError> {
    let what = || format!("{kind} `{name}`, version {version}");
    let body = body.map(|text| serde_json::from_str(&text)).transpose();
    let body = body.map_err(|error| damaged_row(what(), error.to_string()))?;
    let at =
        Timestamp::from_nanosecond(i128::from(at)).map_err(|error| damaged_row(what(), error.to_string()))?;
    Ok(Document { kind, name, version, at, body })
}
