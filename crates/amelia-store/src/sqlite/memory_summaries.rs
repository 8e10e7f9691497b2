//! Summaries of what agents remember, and the entries that they have taken the place of.

use amelia_core::memory::summary::{MIN_SUMMARISED, NewSummary, SUMMARY_PREFIX};
use amelia_core::memory::{MemoryEntry, MemoryScope, MemorySpace, WrittenMemory};
use amelia_core::store::StoreError;
use jiff::Timestamp;
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params};

use super::error::{damaged_row, from_sqlite};
use super::memories::{COLUMNS, note_change, put_source, read, remember_as};
use super::rows::{nanoseconds, path_of, signed};

/// Entries that never were in a summary, do not end by themselves and are no summaries, by the first part of their keys.
const OPEN: &str = "SELECT scope, owner, substr(key, 1, instr(key || '/', '/') - 1) AS topic FROM memories AS m \
                    WHERE is_newest = 1 AND key IS NOT NULL AND method IS NULL AND expires_at IS NULL AND at <= ?1 \
                    AND substr(key, 1, length(?2)) <> ?2 AND NOT EXISTS (SELECT 1 FROM memory_sources AS s \
                    WHERE s.number = m.number AND s.version = m.version) \
                    GROUP BY scope, owner, topic HAVING count(*) >= ?3 ORDER BY scope, owner, topic";

pub(super) fn consolidate(db: &Connection, new: &NewSummary) -> Result<WrittenMemory, StoreError> {
    let written = remember_as(db, &new.entry, Some(new.method))?;
    let summary = written.entry.number;
    let link = || -> rusqlite::Result<()> {
        for source in &new.sources {
            put_source(db, *source, summary, new.entry.at)?;
            note_change(
                db,
                "SELECT DISTINCT number FROM memories WHERE number = ?1",
                params![signed(source.0)],
            )?;
        }
        Ok(())
    };
    link().map_err(|error| from_sqlite(&path_of(db), &error))?;
    Ok(written)
}

pub(super) fn sources(db: &Connection, summary: u64) -> Result<Vec<MemoryEntry>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM memories AS m WHERE EXISTS (SELECT 1 FROM memory_sources AS s WHERE s.summary = ?1 \
         AND s.number = m.number AND s.version = m.version) ORDER BY m.at, m.number"
    );
    read(db, &sql, vec![Value::Integer(signed(summary))])
}

pub(super) fn open_topics(db: &Connection, now: Timestamp) -> Result<Vec<(MemorySpace, String)>, StoreError> {
    let least = i64::try_from(MIN_SUMMARISED).unwrap_or(i64::MAX);
    let which = params![nanoseconds(now), SUMMARY_PREFIX, least];
    let columns = |row: &Row<'_>| -> rusqlite::Result<(String, String, String)> {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?))
    };
    let rows = db
        .prepare_cached(OPEN)
        .and_then(|mut statement| statement.query_map(which, columns)?.collect::<Result<Vec<_>, _>>());
    let rows = rows.map_err(|error| from_sqlite(&path_of(db), &error))?;
    let topic = |(scope, owner, topic): (String, String, String)| {
        let damaged =
            || damaged_row(format!("the entries of memory about {topic}"), "their scope is unknown");
        let scope = MemoryScope::named(&scope).ok_or_else(damaged)?;
        Ok((MemorySpace { scope, owner }, topic))
    };
    rows.into_iter().map(topic).collect()
}

#[cfg(test)]
#[path = "memory_summaries_tests.rs"]
mod tests;
