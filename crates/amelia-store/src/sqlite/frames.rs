//! Frames in their table: one row for those of one commit.

use amelia_core::id::{RunId, Seq};
use amelia_core::recording::{Frame, StoredFrame};
use amelia_core::store::StoreError;
use rusqlite::{Connection, params};

use super::error::{damaged_row, from_sqlite};
use super::rows;
use super::rows::{signed, unsigned};
use crate::frames;

/// The frames of a commit, ready to be written.
pub(super) struct Body {
    crc: u32,
    bytes: Vec<u8>,
}

impl Body {
    pub(super) fn of(frames: &[Frame]) -> Option<Self> {
        let bytes = frames::pack(frames)?;
        Some(Self { crc: crc32fast::hash(&bytes), bytes })
    }
}

/// How much all of them take.
pub(super) fn bytes(db: &Connection) -> Result<u64, StoreError> {
    db.query_row("SELECT COALESCE(SUM(octet_length(body)), 0) FROM frames", [], |row| row.get(0))
        .map(unsigned)
        .map_err(|error| from_sqlite(&rows::path_of(db), &error))
}

pub(super) fn insert(db: &Connection, run: i64, after: Seq, end: Seq, body: &Body) -> rusqlite::Result<()> {
    let mut statement = db.prepare_cached(
        "INSERT INTO frames (run, \"after\", \"end\", crc, body) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    statement.execute(params![run, signed(after.0), signed(end.0), body.crc, body.bytes]).map(|_| ())
}

pub(super) fn list(db: &Connection, run: RunId) -> Result<Vec<StoredFrame>, StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(&rows::path_of(db), &error);
    let pk = rows::pk(db, run).map_err(fail)?.ok_or(StoreError::NotFound(run))?;
    let mut statement = db
        .prepare_cached("SELECT \"after\", \"end\", crc, body FROM frames WHERE run = ?1 ORDER BY pk")
        .map_err(fail)?;
    let mut rows = statement.query([pk]).map_err(fail)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().map_err(fail)? {
        let place = |column| row.get(column).map(|seq: i64| Seq(u64::try_from(seq).unwrap_or_default()));
        let (after, end) = (place(0).map_err(fail)?, place(1).map_err(fail)?);
        let (crc, bytes): (u32, Vec<u8>) = (row.get(2).map_err(fail)?, row.get(3).map_err(fail)?);
        let what = || format!("the recording of run {run} at {end}");
        if crc32fast::hash(&bytes) != crc {
            return Err(damaged_row(what(), "its checksum does not match"));
        }
        let frames = frames::unpack(&bytes).map_err(|problem| damaged_row(what(), problem))?;
        found.extend(frames.into_iter().map(|frame| StoredFrame { after, end, frame }));
    }
    Ok(found)
}
