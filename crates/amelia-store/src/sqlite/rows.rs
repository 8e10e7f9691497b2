//! What all tables have in common: keys, numbers, times, and texts that may be damaged.

use std::path::PathBuf;

use amelia_core::id::RunId;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Row};

/// The file behind a connection, for messages.
pub(super) fn path_of(db: &Connection) -> PathBuf {
    PathBuf::from(db.path().unwrap_or("the store"))
}

/// The primary key of a run.
pub(super) fn pk(db: &Connection, run: RunId) -> rusqlite::Result<Option<i64>> {
    db.prepare_cached("SELECT pk FROM runs WHERE id = ?1")?.query_row([run.0], |row| row.get(0)).optional()
}

/// A text as far as it still is one; the checksum tells whether that is what was written.
pub(super) fn possibly_damaged(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    let bytes = row.get_ref(column)?.as_bytes()?;
    // What is whole is checked many bytes at a time; the lossy reading looks at each.
    Ok(str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes).into_owned(), str::to_owned))
}

/// SQLite's integers are signed.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// And back.
pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// The moment of a number.
pub(super) fn moment(nanoseconds: i64) -> Timestamp {
    Timestamp::from_nanosecond(i128::from(nanoseconds)).unwrap_or(Timestamp::MIN)
}

/// A moment as a number; enough until the year 2262.
pub(super) fn nanoseconds(at: Timestamp) -> i64 {
    i64::try_from(at.as_nanosecond()).unwrap_or(i64::MAX)
}
