//! A conversation of an editor: where it works, in which mode, and the run that it is about.

use std::path::PathBuf;
use std::sync::Arc;

use amelia_core::id::RunId;
use amelia_host::home::Home;
use anyhow::Result;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::stored_session::StoredSession;
use super::{INVALID_PARAMS, INVALID_REQUEST, Refusal};
use crate::commands::new_run::RunMode;

/// The modes, as an editor shows them.
const MODES: [(&str, RunMode, &str, &str); 2] = [
    ("start", RunMode::Start, "Start", "Plan, approve, implement and review, with a commit for each task"),
    ("do", RunMode::Do, "Do", "Run one agent without a plan"),
];

pub(super) struct Session {
    home: Home,
    pub(super) id: String,
    pub(super) directory: PathBuf,
    mode: Mutex<RunMode>,
    /// Oldest first. The conversation is about the last one.
    runs: Mutex<Vec<RunId>>,
    /// What ends the turn under way.
    cancelled: Mutex<Option<Arc<Notify>>>,
}

/// A turn of a session: there is one at a time.
pub(super) struct OpenTurn {
    pub(super) session: Arc<Session>,
    pub(super) cancelled: Arc<Notify>,
}

impl Session {
    pub(super) fn new(home: &Home, id: String, directory: PathBuf) -> Self {
        let (mode, runs, cancelled) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self { home: home.clone(), id, directory, mode, runs, cancelled }
    }

    /// One that an editor opens again.
    pub(super) fn again(home: &Home, id: String, directory: PathBuf, stored: StoredSession) -> Self {
        let StoredSession { mode, runs } = stored;
        Self { mode: Mutex::new(mode), runs: Mutex::new(runs), ..Self::new(home, id, directory) }
    }

    /// One without runs has nothing to come back to.
    fn save(&self) -> Result<()> {
        let stored = StoredSession { mode: self.mode(), runs: self.runs.lock().clone() };
        if stored.runs.is_empty() { Ok(()) } else { stored.save(&self.home, &self.id) }
    }

    pub(super) fn mode(&self) -> RunMode {
        *self.mode.lock()
    }

    pub(super) fn modes(&self) -> Value {
        let current = MODES.iter().find(|(_, mode, ..)| *mode == self.mode()).map(|(id, ..)| id);
        let all = MODES
            .map(|(id, _, name, description)| json!({"id": id, "name": name, "description": description}));
        json!({"currentModeId": current, "availableModes": all})
    }

    pub(super) fn set_mode(&self, wanted: &str) -> Result<(), Refusal> {
        let found = MODES.iter().find(|(id, ..)| *id == wanted);
        let (_, mode, ..) =
            found.ok_or_else(|| Refusal::new(INVALID_PARAMS, format!("there is no mode `{wanted}`")))?;
        *self.mode.lock() = *mode;
        Ok(self.save()?)
    }

    /// The run that the conversation is about, if there is one.
    pub(super) fn run(&self) -> Option<RunId> {
        self.runs.lock().last().copied()
    }

    pub(super) fn set_run(&self, run: RunId) -> Result<()> {
        let mut runs = self.runs.lock();
        runs.retain(|other| *other != run);
        runs.push(run);
        drop(runs);
        self.save()
    }

    pub(super) fn begin(self: Arc<Self>) -> Result<OpenTurn, Refusal> {
        let mut open = self.cancelled.lock();
        if open.is_some() {
            return Err(Refusal::new(
                INVALID_REQUEST,
                "another prompt of this session is being answered: cancel it, or wait until it ends",
            ));
        }
        let cancelled = Arc::new(Notify::new());
        *open = Some(Arc::clone(&cancelled));
        drop(open);
        Ok(OpenTurn { session: self, cancelled })
    }

    /// Ends the turn under way.
    pub(super) fn cancel(&self) {
        if let Some(turn) = &*self.cancelled.lock() {
            turn.notify_one();
        }
    }
}

impl Drop for OpenTurn {
    fn drop(&mut self) {
        *self.session.cancelled.lock() = None;
    }
}
