//! What runs have for themselves until they end: a checkout, a branch. Decided in the transaction that wants it, so two
//! requests at the same moment cannot both get it.

use amelia_core::id::RunId;
use amelia_core::store::StoreError;
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

use super::error::from_sqlite;
use super::runs::path_of;

/// Claims `names` for the run with this key, all or none (the caller's savepoint takes them back).
pub(super) fn take(db: &Connection, run: i64, names: &[String]) -> Result<(), StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(&path_of(db), &error);
    for name in names {
        let owner: Option<Uuid> = db
            .prepare_cached(
                "SELECT runs.id FROM claims JOIN runs ON runs.pk = claims.run WHERE claims.name = ?1 AND claims.run <> ?2",
            )
            .and_then(|mut statement| statement.query_row(params![name, run], |row| row.get(0)).optional())
            .map_err(fail)?;
        if let Some(owner) = owner {
            return Err(StoreError::Claimed { name: name.clone(), by: RunId(owner) });
        }
        db.prepare_cached("INSERT OR IGNORE INTO claims (name, run) VALUES (?1, ?2)")
            .and_then(|mut statement| statement.execute(params![name, run]))
            .map_err(fail)?;
    }
    Ok(())
}

/// Frees everything that a run has claimed.
pub(super) fn free(db: &Connection, run: i64) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM claims WHERE run = ?1")?.execute([run]).map(|_| ())
}
