//! Positions and states. A state is the last snapshot and the updates after it.

use amelia_core::checkpoint::{Checkpoint, CheckpointInfo, LoadedCheckpoint, Position, SavedState};
use amelia_core::id::{GraphName, RunId, Seq};
use amelia_core::store::{CheckpointAt, StoreError};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::error::{damaged_row, from_sqlite};
use super::rows;
use super::rows::{moment, nanoseconds, possibly_damaged, signed, unsigned};
use super::runs::Known;
use crate::fold;

/// What is stored of a checkpoint beside its state: its position as text, and the checksum over both.
pub(super) struct Body {
    position: String,
    checksum: u32,
}

impl Body {
    pub(super) fn of(seq: Seq, checkpoint: &Checkpoint) -> Result<Self, StoreError> {
        let position = serde_json::to_string(&checkpoint.position)
            .map_err(|error| StoreError::Invalid(format!("the position cannot be written: {error}")))?;
        fold::check_depth("the position", &position)?;
        fold::check_depth("the state", checkpoint.state.text())?;
        let checksum = Summed {
            seq: signed(seq.0),
            at: nanoseconds(checkpoint.at),
            graph: checkpoint.graph.as_str(),
            version: checkpoint.version,
            position: &position,
            is_snapshot: matches!(checkpoint.state, SavedState::Snapshot(_)),
            state: checkpoint.state.text(),
        }
        .checksum();
        Ok(Self { position, checksum })
    }
}

/// What a checksum is made of: every column that a run continues from.
struct Summed<'a> {
    seq: i64,
    at: i64,
    graph: &'a str,
    version: u32,
    position: &'a str,
    is_snapshot: bool,
    state: &'a str,
}

impl Summed<'_> {
    fn checksum(&self) -> u32 {
        let Self { seq, at, graph, version, position, is_snapshot, state } = self;
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&seq.to_le_bytes());
        hasher.update(&at.to_le_bytes());
        hasher.update(&version.to_le_bytes());
        hasher.update(&[u8::from(*is_snapshot)]);
        for text in [graph, position, state] {
            hasher.update(text.as_bytes());
            hasher.update(&[0]);
        }
        hasher.finalize()
    }
}

/// Writes a checkpoint and returns its number.
pub(super) fn insert(
    db: &Connection,
    run: &mut Known,
    seq: Seq,
    checkpoint: &Checkpoint,
    body: &Body,
) -> Result<u32, StoreError> {
    let is_snapshot = matches!(checkpoint.state, SavedState::Snapshot(_));
    if run.checkpoints == 0 && !is_snapshot {
        return Err(StoreError::Invalid("the first checkpoint must be a snapshot".to_owned()));
    }
    let number = run.checkpoints.saturating_add(1);
    db.prepare_cached(
        "INSERT INTO checkpoints (run, number, seq, at, graph, version, position, is_snapshot, state, checksum)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )
    .and_then(|mut statement| {
        statement.execute(params![
            run.pk,
            number,
            signed(seq.0),
            nanoseconds(checkpoint.at),
            checkpoint.graph.as_str(),
            checkpoint.version,
            body.position,
            is_snapshot,
            checkpoint.state.text(),
            body.checksum,
        ])
    })
    .map_err(|error| from_sqlite(&rows::path_of(db), &error))?;
    run.checkpoints = number;
    Ok(number)
}

pub(super) fn list(db: &Connection, run: RunId) -> Result<Vec<CheckpointInfo>, StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(&rows::path_of(db), &error);
    let pk = rows::pk(db, run).map_err(fail)?.ok_or(StoreError::NotFound(run))?;
    let mut statement = db
        .prepare_cached(
            "SELECT number, seq, at, graph, version, position, state, checksum, is_snapshot FROM checkpoints
             WHERE run = ?1 ORDER BY number",
        )
        .map_err(fail)?;
    let mut rows = statement.query([pk]).map_err(fail)?;
    let (mut list, mut is_damaged) = (Vec::new(), false);
    while let Some(row) = rows.next().map_err(fail)? {
        let Saving { number, position, state, is_whole } = saving(row).map_err(fail)?;
        let is_snapshot: bool = row.get(8).map_err(fail)?;
        // What follows a damaged one builds on it, up to the next snapshot.
        is_damaged = !is_whole || (is_damaged && !is_snapshot);
        list.push(CheckpointInfo {
            number,
            seq: Seq(unsigned(row.get(1).map_err(fail)?)),
            at: moment(row.get(2).map_err(fail)?),
            position: match is_whole {
                true => parse_position(run, number, &position)?,
                false => Position::default(),
            },
            is_snapshot,
            bytes: state.len() as u64,
            is_damaged,
        });
    }
    Ok(list)
}

/// The newest state at or before `at` that is whole. Only what comes after the snapshot it stands on is read.
pub(super) fn load(
    db: &Connection,
    run: RunId,
    at: CheckpointAt,
) -> Result<Option<LoadedCheckpoint>, StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(&rows::path_of(db), &error);
    let pk = rows::pk(db, run).map_err(fail)?.ok_or(StoreError::NotFound(run))?;
    let mut damaged = Vec::new();
    let mut until = match at {
        CheckpointAt::Latest => u32::MAX,
        CheckpointAt::Number(number) => number,
    };
    while let Some(snapshot) = snapshot_before(db, pk, until).map_err(fail)? {
        if let Some(mut loaded) = load_from(db, run, pk, snapshot, until, &mut damaged)? {
            damaged.sort_unstable_by(|a, b| b.cmp(a));
            loaded.damaged = damaged;
            return Ok(Some(loaded));
        }
        until = snapshot.saturating_sub(1);
    }
    match damaged.first() {
        None => Ok(None),
        Some(number) => Err(damaged_row(
            format!("checkpoint {number} of run {run}"),
            "its checksum does not match, and no earlier one is whole",
        )),
    }
}

fn snapshot_before(db: &Connection, pk: i64, until: u32) -> rusqlite::Result<Option<u32>> {
    db.prepare_cached(
        "SELECT number FROM checkpoints WHERE run = ?1 AND number <= ?2 AND is_snapshot = 1 ORDER BY number DESC LIMIT 1",
    )?
    .query_row(params![pk, until], |row| row.get(0))
    .optional()
}

/// Reads from a snapshot on, up to the first damaged row. `None` when the snapshot itself is damaged.
fn load_from(
    db: &Connection,
    run: RunId,
    pk: i64,
    snapshot: u32,
    until: u32,
    damaged: &mut Vec<u32>,
) -> Result<Option<LoadedCheckpoint>, StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(&rows::path_of(db), &error);
    let mut statement = db
        .prepare_cached(
            "SELECT number, seq, at, graph, version, position, state, checksum, is_snapshot FROM checkpoints
             WHERE run = ?1 AND number BETWEEN ?2 AND ?3 ORDER BY number",
        )
        .map_err(fail)?;
    let mut rows = statement.query(params![pk, snapshot, until]).map_err(fail)?;
    let mut loaded: Option<LoadedCheckpoint> = None;
    while let Some(row) = rows.next().map_err(fail)? {
        let Saving { number, position, state, is_whole } = saving(row).map_err(fail)?;
        if !is_whole {
            damaged.push(number);
            break;
        }
        let position = parse_position(run, number, &position)?;
        match &mut loaded {
            None => loaded = Some(first(run, row, position, state).map_err(fail)??),
            Some(loaded) => {
                loaded.number = number;
                loaded.seq = Seq(unsigned(row.get(1).map_err(fail)?));
                loaded.at = moment(row.get(2).map_err(fail)?);
                loaded.position = position;
                loaded.updates.push(state);
            }
        }
    }
    Ok(loaded)
}

struct Saving {
    number: u32,
    position: String,
    state: String,
    is_whole: bool,
}

fn saving(row: &Row<'_>) -> rusqlite::Result<Saving> {
    let position = possibly_damaged(row, 5)?;
    let state = possibly_damaged(row, 6)?;
    let summed = Summed {
        seq: row.get(1)?,
        at: row.get(2)?,
        graph: &possibly_damaged(row, 3)?,
        version: row.get(4)?,
        position: &position,
        is_snapshot: row.get(8)?,
        state: &state,
    };
    let is_whole = summed.checksum() == row.get::<_, u32>(7)?;
    Ok(Saving { number: row.get(0)?, position, state, is_whole })
}

fn first(
    run: RunId,
    row: &Row<'_>,
    position: Position,
    snapshot: String,
) -> rusqlite::Result<Result<LoadedCheckpoint, StoreError>> {
    let number: u32 = row.get(0)?;
    let graph = match GraphName::new(row.get::<_, String>(3)?) {
        Ok(graph) => graph,
        Err(error) => {
            return Ok(Err(damaged_row(format!("checkpoint {number} of run {run}"), error.to_string())));
        }
    };
    Ok(Ok(LoadedCheckpoint {
        number,
        seq: Seq(unsigned(row.get(1)?)),
        graph,
        version: row.get(4)?,
        at: moment(row.get(2)?),
        position,
        snapshot,
        updates: Vec::new(),
        damaged: Vec::new(),
    }))
}

fn parse_position(run: RunId, number: u32, text: &str) -> Result<Position, StoreError> {
    serde_json::from_str(text)
        .map_err(|error| damaged_row(format!("checkpoint {number} of run {run}"), error.to_string()))
}
