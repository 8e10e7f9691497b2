//! The ledger, kept beside the log that it comes from.

use amelia_core::effect::{Effect, EffectState, LedgerEntry};
use amelia_core::event::{EffectEvent, Event, EventKind};
use amelia_core::id::RunId;
use amelia_core::store::StoreError;
use rusqlite::{Connection, OptionalExtension, params};

use super::error::{damaged_row, from_sqlite};
use super::rows;
use super::rows::possibly_damaged;

/// Follows the facts of one commit.
pub(super) fn update(db: &Connection, run: i64, events: &[Event]) -> Result<(), StoreError> {
    for event in events {
        let EventKind::Effect(event) = &event.draft.kind else { continue };
        match event {
            EffectEvent::Intended(effect) => intend(db, run, effect)?,
            EffectEvent::Done { effect, receipt } => {
                settle(db, run, effect.0, &EffectState::Done { receipt: receipt.clone() })?;
            }
            EffectEvent::Doubted { effect, why } => {
                settle(db, run, effect.0, &EffectState::Unknown { why: why.clone() })?;
            }
        }
    }
    Ok(())
}

fn intend(db: &Connection, run: i64, effect: &Effect) -> Result<(), StoreError> {
    let (effect_text, state) = (text(effect)?, text(&EffectState::Intended)?);
    let checksum = checksum(&effect_text, &state);
    db.prepare_cached("INSERT INTO effects (run, id, effect, state, checksum) VALUES (?1, ?2, ?3, ?4, ?5)")
        .and_then(|mut statement| statement.execute(params![run, effect.id.0, effect_text, state, checksum]))
        .map(|_| ())
        .map_err(|error| from_sqlite(&rows::path_of(db), &error))
}

fn settle(db: &Connection, run: i64, effect: uuid::Uuid, state: &EffectState) -> Result<(), StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(&rows::path_of(db), &error);
    let state = text(state)?;
    let intended: Option<String> = db
        .prepare_cached("SELECT effect FROM effects WHERE run = ?1 AND id = ?2")
        .and_then(|mut statement| statement.query_row(params![run, effect], |row| row.get(0)).optional())
        .map_err(fail)?;
    let intended =
        intended.ok_or_else(|| StoreError::Invalid(format!("effect {effect} was never intended")))?;
    db.prepare_cached("UPDATE effects SET state = ?3, checksum = ?4 WHERE run = ?1 AND id = ?2")
        .and_then(|mut statement| statement.execute(params![run, effect, state, checksum(&intended, &state)]))
        .map(|_| ())
        .map_err(fail)
}

pub(super) fn list(db: &Connection, run: RunId) -> Result<Vec<LedgerEntry>, StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(&rows::path_of(db), &error);
    let pk = rows::pk(db, run).map_err(fail)?.ok_or(StoreError::NotFound(run))?;
    let mut statement = db
        .prepare_cached("SELECT effect, state, checksum FROM effects WHERE run = ?1 ORDER BY pk")
        .map_err(fail)?;
    let rows = statement
        .query_map([pk], |row| {
            Ok((possibly_damaged(row, 0)?, possibly_damaged(row, 1)?, row.get::<_, Option<u32>>(2)?))
        })
        .map_err(fail)?;
    rows.map(|row| {
        let (effect, state, sum) = row.map_err(fail)?;
        if sum.is_some_and(|sum| sum != checksum(&effect, &state)) {
            return Err(damaged_row(format!("the ledger of run {run}"), "its checksum does not match"));
        }
        let parse =
            |error: serde_json::Error| damaged_row(format!("the ledger of run {run}"), error.to_string());
        Ok(LedgerEntry {
            effect: serde_json::from_str(&effect).map_err(parse)?,
            state: serde_json::from_str(&state).map_err(parse)?,
        })
    })
    .collect()
}

fn checksum(effect: &str, state: &str) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(effect.as_bytes());
    hasher.update(state.as_bytes());
    hasher.finalize()
}

fn text<T: serde::Serialize>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Invalid(error.to_string()))
}
