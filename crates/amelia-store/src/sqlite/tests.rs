//! A file in a directory of its own, and what is done to it.

mod damage;
mod opening;
mod writing;

use std::fs;

use amelia_core::checkpoint::{Checkpoint, Position, SavedState};
use amelia_core::clock::{Clock, SystemClock};
use amelia_core::effect::Effect;
use amelia_core::event::{AgentEvent, Draft, EffectEvent, EventKind, RunEvent};
use amelia_core::id::{EffectId, GraphName};
use amelia_core::message::ThinkingPart;
use amelia_core::run::{Domain, RunSpec};
use rusqlite::Connection;
use serde_json::value::to_raw_value;
use tempfile::TempDir;

use super::*;

struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("amelia.db")
    }

    fn open(&self) -> Result<SqliteStore, StoreError> {
        SqliteStore::open(&self.file(), SqliteOptions::default())
    }

    fn refusal(&self) -> StoreError {
        self.open().err().expect("it should not open")
    }

    /// What somebody else might do to the file.
    fn tamper(&self, sql: &str) {
        Connection::open(self.file()).unwrap().execute_batch(sql).unwrap();
    }
}

fn draft(kind: EventKind) -> Draft {
    Draft::of_system(&SystemClock, Domain::default(), kind)
}

fn thought(text: &str) -> Draft {
    draft(EventKind::Agent(AgentEvent::Thought(ThinkingPart { text: text.to_owned(), signature: None })))
}

fn saved(state: SavedState) -> Checkpoint {
    Checkpoint {
        graph: GraphName::new("g").unwrap(),
        version: 1,
        at: SystemClock.now(),
        position: Position::default(),
        state,
    }
}

fn snapshot(number: u32) -> Option<Checkpoint> {
    Some(saved(SavedState::Snapshot(to_raw_value(&number).unwrap())))
}

fn updates(number: u32) -> Option<Checkpoint> {
    Some(saved(SavedState::Updates(to_raw_value(&[number]).unwrap())))
}

async fn begin(store: &SqliteStore) -> RunId {
    let run = RunId(SystemClock.new_id());
    let spec = RunSpec::new(GraphName::new("g").unwrap(), "a run");
    let created = draft(EventKind::Run(RunEvent::Created { spec: Box::new(spec) }));
    store
        .commit(
            run,
            Seq::START,
            Commit { drafts: vec![created], checkpoint: snapshot(1), ..Commit::default() },
        )
        .await
        .unwrap();
    run
}
