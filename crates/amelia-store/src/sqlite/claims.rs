//! What runs have for themselves until they end: a checkout, a branch. Decided in the transaction that wants it, so two
//! requests at the same moment cannot both get it.

use amelia_core::claim::collision;
use amelia_core::id::RunId;
use amelia_core::store::StoreError;
use rusqlite::{Connection, params};
use uuid::Uuid;

use super::error::from_sqlite;
use super::rows::path_of;

/// Claims `names` for the run with this key, all or none (the caller's savepoint takes them back).
pub(super) fn take(db: &Connection, run: i64, names: &[String]) -> Result<(), StoreError> {
    if names.is_empty() {
        return Ok(());
    }
    let fail = |error: rusqlite::Error| from_sqlite(&path_of(db), &error);
    let others = of_others(db, run).map_err(fail)?;
    for name in names {
        let taken = |(other, owner): &(String, Uuid)| Some((collision(name, other)?, RunId(*owner)));
        if let Some((name, by)) = others.iter().find_map(taken) {
            return Err(StoreError::Claimed { name, by });
        }
        db.prepare_cached("INSERT OR IGNORE INTO claims (name, run) VALUES (?1, ?2)")
            .and_then(|mut statement| statement.execute(params![name, run]))
            .map_err(fail)?;
    }
    Ok(())
}

/// Only runs that have not ended have any: they are few.
fn of_others(db: &Connection, run: i64) -> rusqlite::Result<Vec<(String, Uuid)>> {
    let query = "SELECT claims.name, runs.id FROM claims JOIN runs ON runs.pk = claims.run WHERE claims.run <> ?1 \
                 ORDER BY claims.name";
    let mut statement = db.prepare_cached(query)?;
    let rows = statement.query_map([run], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// Frees everything that a run has claimed.
pub(super) fn free(db: &Connection, run: i64) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM claims WHERE run = ?1")?.execute([run]).map(|_| ())
}
