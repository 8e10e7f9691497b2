//! What may be forgotten: only of runs that have ended. What a run needs to continue is never touched.

use amelia_core::id::RunId;
use amelia_core::memory::MemorySpace;
use amelia_core::store::StoreError;
use rusqlite::{Connection, OptionalExtension};

use super::error::from_sqlite;
use super::events;
use super::memories;
use super::rows;

pub(super) fn remove(db: &Connection, run: RunId) -> Result<(), StoreError> {
    let pk = ended(db, run)?;
    let forget = || -> rusqlite::Result<()> {
        let newest = events::newest(db)?;
        for table in ["checkpoints", "claims", "effects", "frames"] {
            db.execute(&format!("DELETE FROM {table} WHERE run = ?1"), [pk])?;
        }
        db.execute("DELETE FROM events WHERE run = ?1 AND cursor IS NOT ?2", rusqlite::params![pk, newest])?;
        // The newest cursor must not be given out again: its row stays, without an owner or a content.
        db.execute("UPDATE events SET run = 0, body = '', seq = cursor WHERE run = ?1", [pk])?;
        memories::forget_space(db, &MemorySpace::of_run(run))?;
        db.execute("DELETE FROM runs WHERE pk = ?1", [pk])?;
        db.execute("UPDATE removed_runs SET largest = max(largest, ?1)", [pk])?;
        Ok(())
    };
    forget().map_err(|error| from_sqlite(&rows::path_of(db), &error))
}

pub(super) fn trim(db: &Connection, run: RunId, keep: usize) -> Result<usize, StoreError> {
    let pk = ended(db, run)?;
    // A failed run may be retried, and then it needs its journal.
    let is_failed = db
        .prepare_cached("SELECT view ->> '$.status' = 'failed' FROM runs WHERE pk = ?1")
        .and_then(|mut statement| statement.query_row([pk], |row| row.get::<_, bool>(0)))
        .map_err(|error| from_sqlite(&rows::path_of(db), &error))?;
    if is_failed {
        return Err(StoreError::NotEnded(run));
    }
    let dropped = events::drop_debug(db, pk, keep).and_then(|dropped| {
        if dropped > 0 {
            // Without its whole log a run cannot be played again.
            db.execute("DELETE FROM frames WHERE run = ?1", [pk])?;
        }
        Ok(dropped)
    });
    dropped.map_err(|error| from_sqlite(&rows::path_of(db), &error))
}

/// The key of a run that may be changed by retention.
fn ended(db: &Connection, run: RunId) -> Result<i64, StoreError> {
    let row: Option<(i64, bool)> = db
        .prepare_cached("SELECT pk, is_final FROM runs WHERE id = ?1")
        .and_then(|mut statement| {
            statement.query_row([run.0], |row| Ok((row.get(0)?, row.get(1)?))).optional()
        })
        .map_err(|error| from_sqlite(&rows::path_of(db), &error))?;
    match row {
        None => Err(StoreError::NotFound(run)),
        Some((_, false)) => Err(StoreError::NotEnded(run)),
        Some((pk, true)) => Ok(pk),
    }
}
