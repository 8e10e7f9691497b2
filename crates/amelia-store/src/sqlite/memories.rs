//! What agents remember: every version of an entry, until it is forgotten.

use amelia_core::id::RunId;
use amelia_core::memory::summary::{ConsolidationState, SummaryMethod};
use amelia_core::memory::{
    MemoryChange, MemoryEntry, MemoryFilter, MemoryScope, MemorySpace, MemoryTotals, NewMemory,
    WrittenMemory, memory_id,
};
use amelia_core::message::MemoryKind;
use amelia_core::store::StoreError;
use jiff::Timestamp;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, Row, params, params_from_iter};
use uuid::Uuid;

use super::error::{damaged_row, from_sqlite};
use super::rows::{moment, nanoseconds, path_of, possibly_damaged, signed, unsigned};

const WRITTEN: &str =
    "number, version, scope, owner, kind, key, body, author, run, at, expires_at, checksum, method";
/// Of `memories AS m`: what is written, and the summary that an entry is a part of.
pub(super) const COLUMNS: &str = "m.number, m.version, m.scope, m.owner, m.kind, m.key, m.body, m.author, m.run, m.at, \
                                  m.expires_at, m.checksum, m.method, (SELECT s.summary FROM memory_sources AS s \
                                  WHERE s.number = m.number AND s.version = m.version)";
/// Rows of a change without an entry have none of the columns.
const CHANGED: &str = "FROM memory_changes AS c LEFT JOIN memories AS m ON m.number = c.number AND m.is_newest = 1 \
                       WHERE c.change > ?1 ORDER BY c.change LIMIT ?2";

pub(super) fn remember(db: &Connection, new: &NewMemory) -> Result<WrittenMemory, StoreError> {
    remember_as(db, new, None)
}

/// The same, for an entry that is a summary if a method is given.
pub(super) fn remember_as(
    db: &Connection,
    new: &NewMemory,
    method: Option<SummaryMethod>,
) -> Result<WrittenMemory, StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(&path_of(db), &error);
    forget_expired(db, new.at).map_err(fail)?;
    let last = known(db, new)?;
    // A summary that is corrected is still one.
    let before = last.as_ref().and_then(|last| last.consolidation.method());
    let method = method.or(before);
    let consolidation = method.map_or(ConsolidationState::Open, ConsolidationState::Summary);
    let is_known = |last: &&MemoryEntry| is_same(last, new) && before == method;
    if let Some(last) = last.as_ref().filter(is_known) {
        return Ok(WrittenMemory { entry: last.clone(), is_known: true });
    }
    let (number, version) = match &last {
        Some(last) => (last.number, last.version.saturating_add(1)),
        None => (next_number(db).map_err(fail)?, 1),
    };
    let entry = MemoryEntry {
        number,
        version,
        space: new.space.clone(),
        kind: new.kind,
        key: new.key.clone(),
        text: new.text.clone(),
        by: new.by.clone(),
        run: new.run,
        at: new.at,
        expires_at: new.expires_at,
        consolidation,
    };
    write(db, &entry).map_err(fail)?;
    Ok(WrittenMemory { entry, is_known: false })
}

pub(super) fn versions(db: &Connection, number: u64) -> Result<Vec<MemoryEntry>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM memories AS m WHERE number = ?1 ORDER BY version");
    read(db, &sql, vec![Value::Integer(signed(number))])
}

pub(super) fn list(
    db: &Connection,
    filter: &MemoryFilter,
    now: Timestamp,
) -> Result<Vec<MemoryEntry>, StoreError> {
    let mut terms = vec!["is_newest = 1".to_owned(), "(expires_at IS NULL OR expires_at > ?)".to_owned()];
    let mut values = vec![Value::Integer(nanoseconds(now))];
    if !filter.spaces.is_empty() {
        terms.push(in_spaces(&filter.spaces, &mut values));
    }
    if let Some(scope) = filter.scope {
        terms.push("scope = ?".to_owned());
        values.push(Value::Text(scope.name().to_owned()));
    }
    if !filter.kinds.is_empty() {
        terms.push(format!("kind IN ({})", marks(filter.kinds.len())));
        values.extend(filter.kinds.iter().map(|kind| Value::Text(kind_name(*kind).to_owned())));
    }
    if let Some(key) = &filter.key {
        terms.push("key = ?".to_owned());
        values.push(Value::Text(key.clone()));
    }
    if let Some(topic) = &filter.topic {
        terms.push("(key = ? OR substr(key, 1, length(?) + 1) = ? || '/')".to_owned());
        values.extend(vec![Value::Text(topic.clone()); 3]);
    }
    if let Some(before) = filter.before {
        terms.push("number < ?".to_owned());
        values.push(Value::Integer(signed(before)));
    }
    let limit = match filter.limit {
        0 => -1,
        limit => i64::try_from(limit).unwrap_or(i64::MAX),
    };
    values.push(Value::Integer(limit));
    let terms = terms.join(" AND ");
    read(
        db,
        &format!("SELECT {COLUMNS} FROM memories AS m WHERE {terms} ORDER BY number DESC LIMIT ?"),
        values,
    )
}

pub(super) fn numbered(db: &Connection, numbers: &[u64]) -> Result<Vec<MemoryEntry>, StoreError> {
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT {COLUMNS} FROM memories AS m WHERE is_newest = 1 AND number IN ({})",
        marks(numbers.len())
    );
    let values = numbers.iter().map(|number| Value::Integer(signed(*number))).collect();
    let mut found = read(db, &sql, values)?;
    let place = |entry: &MemoryEntry| numbers.iter().position(|number| *number == entry.number);
    found.sort_by_key(place);
    Ok(found)
}

pub(super) fn totals(
    db: &Connection,
    spaces: &[MemorySpace],
    kind: MemoryKind,
    now: Timestamp,
) -> Result<MemoryTotals, StoreError> {
    let mut values = vec![Value::Text(kind_name(kind).to_owned()), Value::Integer(nanoseconds(now))];
    let spaces = in_spaces(spaces, &mut values);
    let sql = format!(
        "SELECT count(*), coalesce(sum(length(CAST(body AS BLOB))), 0) FROM memories WHERE is_newest = 1 AND kind = ? \
         AND (expires_at IS NULL OR expires_at > ?) AND {spaces}"
    );
    let count =
        |row: &Row<'_>| Ok(MemoryTotals { items: unsigned(row.get(0)?), bytes: unsigned(row.get(1)?) });
    db.prepare_cached(&sql)
        .and_then(|mut statement| statement.query_row(params_from_iter(values), count))
        .map_err(|error| from_sqlite(&path_of(db), &error))
}

pub(super) fn changes(db: &Connection, change: u64, limit: usize) -> Result<Vec<MemoryChange>, StoreError> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let row = |row: &Row<'_>| -> rusqlite::Result<(u64, u64, Option<StoredEntry>)> {
        let is_there = row.get::<_, Option<i64>>(2)?.is_some();
        let entry = if is_there { Some(columns(row, 2)?) } else { None };
        Ok((unsigned(row.get(0)?), unsigned(row.get(1)?), entry))
    };
    let changed = format!("SELECT c.change, c.number, {COLUMNS} {CHANGED}");
    let rows = db.prepare_cached(&changed).and_then(|mut statement| {
        statement.query_map(params![signed(change), limit], row)?.collect::<Result<Vec<_>, _>>()
    });
    let rows = rows.map_err(|error| from_sqlite(&path_of(db), &error))?;
    let change = |(change, number, entry): (u64, u64, Option<StoredEntry>)| {
        Ok(MemoryChange { change, number, entry: entry.map(whole).transpose()? })
    };
    rows.into_iter().map(change).collect()
}

pub(super) fn forget(db: &Connection, number: u64) -> Result<bool, StoreError> {
    let forget = || {
        note_change(db, "SELECT DISTINCT number FROM memories WHERE number = ?1", params![signed(number)])?;
        db.prepare_cached("DELETE FROM memories WHERE number = ?1")?.execute([signed(number)])
    };
    let gone = forget().map_err(|error| from_sqlite(&path_of(db), &error))?;
    Ok(gone > 0)
}

/// Forgets everything in a space.
pub(super) fn forget_space(db: &Connection, space: &MemorySpace) -> rusqlite::Result<()> {
    let which = params![space.scope.name(), space.owner];
    note_change(db, "SELECT DISTINCT number FROM memories WHERE scope = ?1 AND owner = ?2", which)?;
    db.execute("DELETE FROM memories WHERE scope = ?1 AND owner = ?2", which)?;
    Ok(())
}

pub(super) fn copy(
    db: &Connection,
    from: &MemorySpace,
    to: &MemorySpace,
    until: Timestamp,
) -> Result<u64, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM memories AS m WHERE scope = ?1 AND owner = ?2 AND at <= ?3 AND version = \
         (SELECT max(version) FROM memories WHERE number = m.number AND at <= ?3) ORDER BY number"
    );
    let values = vec![
        Value::Text(from.scope.name().to_owned()),
        Value::Text(from.owner.clone()),
        Value::Integer(nanoseconds(until)),
    ];
    let fail = |error: rusqlite::Error| from_sqlite(&path_of(db), &error);
    let mut copies = Vec::new();
    for entry in read(db, &sql, values)? {
        let number = next_number(db).map_err(fail)?;
        copies.push(((entry.number, entry.version), number));
        let entry = MemoryEntry { number, version: 1, space: to.clone(), ..entry };
        write(db, &entry).map_err(fail)?;
    }
    copy_sources(db, &copies, until).map_err(fail)?;
    Ok(u64::try_from(copies.len()).unwrap_or(u64::MAX))
}

/// Copies of entries are part of the copies of their summaries, as far as they were at `until`.
fn copy_sources(db: &Connection, copies: &[((u64, u32), u64)], until: Timestamp) -> rusqlite::Result<()> {
    let find = "SELECT summary FROM memory_sources WHERE number = ?1 AND version = ?2 AND at <= ?3";
    for ((number, version), copy) in copies {
        let which = params![signed(*number), version, nanoseconds(until)];
        let summary: Option<i64> = db.prepare_cached(find)?.query_row(which, |row| row.get(0)).optional()?;
        let Some(summary) = summary.map(unsigned) else { continue };
        let copied = copies.iter().find(|((number, _), _)| *number == summary).map_or(0, |(_, copy)| *copy);
        put_source(db, (*copy, 1), copied, until)?;
        note_change(db, "SELECT ?1", params![signed(*copy)])?;
    }
    Ok(())
}

/// Says of an entry in one version that it is part of a summary; 0 is one that is not there.
pub(super) fn put_source(
    db: &Connection,
    (number, version): (u64, u32),
    summary: u64,
    at: Timestamp,
) -> rusqlite::Result<()> {
    let put = "INSERT OR REPLACE INTO memory_sources (number, version, summary, at) \
               SELECT number, version, ?3, ?4 FROM memories WHERE number = ?1 AND version = ?2 AND is_newest = 1";
    let which = params![signed(number), version, signed(summary), nanoseconds(at)];
    db.prepare_cached(put)?.execute(which).map(drop)
}

/// The entry that this would be a new version of: the one with its key, or, without a key, the one with its text.
fn known(db: &Connection, new: &NewMemory) -> Result<Option<MemoryEntry>, StoreError> {
    let text = |text: &str| Value::Text(text.to_owned());
    let mut values = vec![text(new.space.scope.name()), text(&new.space.owner)];
    let is_it = match &new.key {
        Some(key) => {
            values.push(text(key));
            "key = ?3"
        }
        None => {
            values.extend([Value::Integer(i64::from(checksum(&new.text))), text(&new.text)]);
            "key IS NULL AND checksum = ?3 AND body = ?4"
        }
    };
    let sql = format!(
        "SELECT {COLUMNS} FROM memories AS m WHERE is_newest = 1 AND scope = ?1 AND owner = ?2 AND {is_it} LIMIT 1"
    );
    Ok(read(db, &sql, values)?.into_iter().next())
}

fn is_same(last: &MemoryEntry, new: &NewMemory) -> bool {
    last.text == new.text && last.kind == new.kind && last.expires_at.is_some() == new.expires_at.is_some()
}

fn next_number(db: &Connection) -> rusqlite::Result<u64> {
    let largest = "SELECT coalesce(max(number), 0) FROM memory_changes";
    let number: i64 = db.prepare_cached(largest)?.query_row([], |row| row.get(0))?;
    Ok(unsigned(number).saturating_add(1))
}

fn write(db: &Connection, entry: &MemoryEntry) -> rusqlite::Result<()> {
    db.prepare_cached("UPDATE memories SET is_newest = 0 WHERE number = ?1 AND is_newest = 1")?
        .execute([signed(entry.number)])?;
    let sql = format!("INSERT INTO memories (is_newest, {WRITTEN}) VALUES (1, {})", marks(13));
    db.prepare_cached(&sql)?.execute(params![
        signed(entry.number),
        entry.version,
        entry.space.scope.name(),
        entry.space.owner,
        kind_name(entry.kind),
        entry.key,
        entry.text,
        entry.by,
        entry.run.map(|run| run.0),
        nanoseconds(entry.at),
        entry.expires_at.map(nanoseconds),
        checksum(&entry.text),
        entry.consolidation.method().map(SummaryMethod::name),
    ])?;
    note_change(db, "SELECT ?1", params![signed(entry.number)])
}

/// Those of all spaces.
fn forget_expired(db: &Connection, now: Timestamp) -> rusqlite::Result<()> {
    let which = params![nanoseconds(now)];
    note_change(db, "SELECT number FROM memories WHERE is_newest = 1 AND expires_at <= ?1", which)?;
    let all = "DELETE FROM memories WHERE number IN \
               (SELECT number FROM memories WHERE is_newest = 1 AND expires_at <= ?1)";
    db.prepare_cached(all)?.execute(which).map(drop)
}

pub(super) fn note_change(
    db: &Connection,
    which: &str,
    values: &[&dyn rusqlite::ToSql],
) -> rusqlite::Result<()> {
    let sql = format!("INSERT OR REPLACE INTO memory_changes (number) {which}");
    db.prepare_cached(&sql)?.execute(values).map(drop)
}

fn in_spaces(spaces: &[MemorySpace], values: &mut Vec<Value>) -> String {
    for space in spaces {
        values.push(Value::Text(space.scope.name().to_owned()));
        values.push(Value::Text(space.owner.clone()));
    }
    let one = vec!["(scope = ? AND owner = ?)"; spaces.len().max(1)];
    match spaces {
        [] => "0".to_owned(),
        _ => format!("({})", one.join(" OR ")),
    }
}

fn marks(count: usize) -> String {
    vec!["?"; count].join(", ")
}

fn kind_name(kind: MemoryKind) -> &'static str {
    match kind {
        MemoryKind::ShortTerm => "short_term",
        MemoryKind::LongTerm => "long_term",
        MemoryKind::Semantic => "semantic",
        MemoryKind::Episodic => "episodic",
    }
}

fn checksum(text: &str) -> u32 {
    crc32fast::hash(text.as_bytes())
}

/// An entry as it was found, which may be damaged.
struct StoredEntry {
    entry: MemoryEntry,
    scope: String,
    kind: String,
    checksum: u32,
    method: Option<String>,
    summary: Option<i64>,
}

pub(super) fn read(db: &Connection, sql: &str, values: Vec<Value>) -> Result<Vec<MemoryEntry>, StoreError> {
    let rows = db.prepare_cached(sql).and_then(|mut statement| {
        let rows = statement.query_map(params_from_iter(values), |row| columns(row, 0))?;
        rows.collect::<Result<Vec<_>, _>>()
    });
    let rows = rows.map_err(|error| from_sqlite(&path_of(db), &error))?;
    rows.into_iter().map(whole).collect()
}

fn columns(row: &Row<'_>, first: usize) -> rusqlite::Result<StoredEntry> {
    let run: Option<Uuid> = row.get(first + 8)?;
    let expires_at: Option<i64> = row.get(first + 10)?;
    let entry = MemoryEntry {
        number: unsigned(row.get(first)?),
        version: row.get(first + 1)?,
        space: MemorySpace { scope: MemoryScope::Run, owner: row.get(first + 3)? },
        kind: MemoryKind::LongTerm,
        key: row.get(first + 5)?,
        text: possibly_damaged(row, first + 6)?,
        by: row.get(first + 7)?,
        run: run.map(RunId),
        at: moment(row.get(first + 9)?),
        expires_at: expires_at.map(moment),
        consolidation: ConsolidationState::Open,
    };
    let (scope, kind) = (row.get(first + 2)?, row.get(first + 4)?);
    let (checksum, method, summary) = (row.get(first + 11)?, row.get(first + 12)?, row.get(first + 13)?);
    Ok(StoredEntry { entry, scope, kind, checksum, method, summary })
}

fn whole(stored: StoredEntry) -> Result<MemoryEntry, StoreError> {
    let StoredEntry { mut entry, scope, kind, checksum: expected, method, summary } = stored;
    let damaged = |what: &str| damaged_row(format!("the memory entry {}", memory_id(entry.number)), what);
    if checksum(&entry.text) != expected {
        return Err(damaged("its checksum is wrong"));
    }
    let kinds = [MemoryKind::ShortTerm, MemoryKind::LongTerm, MemoryKind::Semantic, MemoryKind::Episodic];
    let kind = kinds.into_iter().find(|known| kind_name(*known) == kind);
    let (kind, scope) = (
        kind.ok_or_else(|| damaged("its kind is unknown"))?,
        MemoryScope::named(&scope).ok_or_else(|| damaged("its scope is unknown"))?,
    );
    (entry.kind, entry.space.scope) = (kind, scope);
    entry.consolidation = match (method, summary.map(unsigned)) {
        (Some(method), _) => {
            let method = SummaryMethod::named(&method);
            ConsolidationState::Summary(method.ok_or_else(|| damaged("its method is unknown"))?)
        }
        (None, Some(0)) => ConsolidationState::Restored,
        (None, Some(summary)) => ConsolidationState::PartOf(summary),
        (None, None) => ConsolidationState::Open,
    };
    Ok(entry)
}

#[cfg(test)]
#[path = "memories_tests.rs"]
mod tests;
