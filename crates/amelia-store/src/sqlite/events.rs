//! The logs of all runs.

use amelia_core::event::{Draft, Event, EventKind, EventLevel};
use amelia_core::id::{AgentName, EventId, RunId, Seq, Step};
use amelia_core::run::Domain;
use amelia_core::store::{StoreError, trace_of};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::error::{damaged_row, from_sqlite};
use super::rows::{moment, nanoseconds, path_of, pk, possibly_damaged, signed, unsigned};
use super::stand_in::event_stand_in;
use crate::fold;

/// What is stored of a draft beside its columns.
pub(super) struct Body {
    text: String,
    checksum: u32,
}

#[derive(Serialize)]
struct Written<'a> {
    #[serde(skip_serializing_if = "is_default")]
    domain: Domain,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<RunId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<Step>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<EventId>,
    kind: &'a EventKind,
}

#[derive(Deserialize)]
struct Stored {
    #[serde(default)]
    domain: Domain,
    #[serde(default)]
    session: Option<RunId>,
    #[serde(default)]
    step: Option<Step>,
    #[serde(default)]
    cause: Option<EventId>,
    kind: EventKind,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde calls")]
fn is_default(domain: &Domain) -> bool {
    *domain == Domain::default()
}

impl Body {
    pub(super) fn of(event: &Event) -> Result<Self, StoreError> {
        let Draft { id, at, agent, domain, session, step, cause, kind } = &event.draft;
        let written = Written { domain: *domain, session: *session, step: *step, cause: *cause, kind };
        let text = serde_json::to_string(&written)
            .map_err(|error| StoreError::Invalid(format!("{} cannot be written: {error}", kind.name())))?;
        fold::check_depth(kind.name(), &text)?;
        let checksum = checksum(event.seq, *id, nanoseconds(*at), agent.as_str(), &text);
        Ok(Self { text, checksum })
    }
}

fn checksum(seq: Seq, id: EventId, at: i64, agent: &str, text: &str) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&seq.0.to_le_bytes());
    hasher.update(id.0.as_bytes());
    hasher.update(&at.to_le_bytes());
    hasher.update(agent.as_bytes());
    hasher.update(text.as_bytes());
    hasher.finalize()
}

fn level_number(level: EventLevel) -> i64 {
    match level {
        EventLevel::Debug => 0,
        EventLevel::Info => 1,
        EventLevel::Warning => 2,
        EventLevel::Error => 3,
    }
}

pub(super) fn insert(db: &Connection, run: i64, events: &[Event], bodies: &[Body]) -> rusqlite::Result<()> {
    let mut statement = db.prepare_cached(
        "INSERT INTO events (run, seq, id, at, level, agent, body, checksum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    for (Event { seq, draft, .. }, body) in events.iter().zip(bodies) {
        statement.execute(params![
            run,
            signed(seq.0),
            draft.id.0,
            nanoseconds(draft.at),
            level_number(draft.kind.level()),
            draft.agent.as_str(),
            body.text,
            body.checksum,
        ])?;
    }
    Ok(())
}

pub(super) fn read(db: &Connection, run: RunId, after: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
    each(db, run, after, limit, |_, event| event)
}

/// The same with a stand-in for what is damaged.
pub(super) fn read_shown(
    db: &Connection,
    run: RunId,
    after: Seq,
    limit: usize,
) -> Result<Vec<Event>, StoreError> {
    each(db, run, after, limit, |row, event| match event {
        Err(error @ StoreError::Damaged { .. }) => Ok(event_stand_in(run, row, &error)),
        event => event,
    })
}

fn each(
    db: &Connection,
    run: RunId,
    after: Seq,
    limit: usize,
    take: impl Fn(&Row<'_>, Result<Event, StoreError>) -> Result<Event, StoreError>,
) -> Result<Vec<Event>, StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(&path_of(db), &error);
    let Some(pk) = pk(db, run).map_err(fail)? else {
        return Err(StoreError::NotFound(run));
    };
    let mut statement = db
        .prepare_cached(
            "SELECT seq, id, at, agent, body, checksum FROM events WHERE run = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
        )
        .map_err(fail)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut rows = statement.query(params![pk, signed(after.0), limit]).map_err(fail)?;
    let mut events = Vec::new();
    while let Some(row) = rows.next().map_err(fail)? {
        let found = event(run, row).unwrap_or_else(|error| {
            let seq = row.get(0).map_or(0, unsigned);
            Err(damaged_row(format!("event {seq} of run {run}"), error.to_string()))
        });
        events.push(take(row, found)?);
    }
    Ok(events)
}

pub(super) fn feed(db: &Connection, cursor: u64, limit: usize) -> Result<Vec<(u64, Event)>, StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(&path_of(db), &error);
    let mut statement = db
        .prepare_cached(
            "SELECT e.seq, e.id, e.at, e.agent, e.body, e.checksum, e.cursor, r.id FROM events AS e JOIN runs AS r ON r.pk = e.run
             WHERE e.cursor > ?1 ORDER BY e.cursor LIMIT ?2",
        )
        .map_err(fail)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut rows = statement.query(params![signed(cursor), limit]).map_err(fail)?;
    let mut events = Vec::new();
    while let Some(row) = rows.next().map_err(fail)? {
        let cursor = unsigned(row.get(6).map_err(fail)?);
        let run = RunId(row.get::<_, Uuid>(7).map_err(fail)?);
        events.push((cursor, event(run, row).map_err(fail)??));
    }
    Ok(events)
}

/// The cursor of the newest event.
pub(super) fn end(db: &Connection) -> Result<u64, StoreError> {
    let newest = newest(db).map_err(|error| from_sqlite(&path_of(db), &error))?;
    Ok(newest.map_or(0, unsigned))
}

fn event(run: RunId, row: &Row<'_>) -> rusqlite::Result<Result<Event, StoreError>> {
    let seq = Seq(unsigned(row.get(0)?));
    let id = EventId(row.get::<_, Uuid>(1)?);
    let at: i64 = row.get(2)?;
    let agent = possibly_damaged(row, 3)?;
    let text = possibly_damaged(row, 4)?;
    let what = || format!("event {seq} of run {run}");
    if checksum(seq, id, at, &agent, &text) != row.get::<_, u32>(5)? {
        return Ok(Err(damaged_row(what(), "its checksum does not match")));
    }
    let parsed = serde_json::from_str::<Stored>(&text)
        .map_err(|error| damaged_row(what(), error.to_string()))
        .and_then(|stored| {
            let agent = AgentName::new(&agent).map_err(|error| damaged_row(what(), error.to_string()))?;
            Ok((stored, agent))
        });
    Ok(parsed.map(|(stored, agent)| {
        let Stored { domain, session, step, cause, kind } = stored;
        let draft = Draft { id, at: moment(at), agent, domain, session, step, cause, kind };
        Event { run, seq, trace: trace_of(run), draft }
    }))
}

/// The oldest debug events of a run that are too many, so that `keep` are left.
pub(super) fn drop_debug(db: &Connection, run: i64, keep: usize) -> rusqlite::Result<usize> {
    let count: i64 = db
        .prepare_cached("SELECT count(*) FROM events WHERE run = ?1")?
        .query_row([run], |row| row.get(0))?;
    let surplus = count.saturating_sub(i64::try_from(keep).unwrap_or(i64::MAX)).max(0);
    db.execute(
        "DELETE FROM events WHERE cursor IN
           (SELECT cursor FROM events WHERE run = ?1 AND level = 0 ORDER BY seq LIMIT ?2)",
        params![run, surplus],
    )
}

/// Cursors are never used twice, even when the newest events are removed: the newest one stays until there is
/// a newer one.
pub(super) fn newest(db: &Connection) -> rusqlite::Result<Option<i64>> {
    db.query_row("SELECT max(cursor) FROM events", [], |row| row.get(0)).optional().map(Option::flatten)
}
