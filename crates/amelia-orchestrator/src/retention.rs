//! What is forgotten of logs of runs that have ended well: the debug events of old logs and of long ones. Beginnings, ends,
//! decisions and costs stay, and so does everything of a run that may still continue. Whole runs: `run_retention.rs`.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use amelia_core::clock::Clock;
use amelia_core::event::{Event, EventLevel};
use amelia_core::id::{RunId, Seq};
use amelia_core::run::RunStatus;
use amelia_core::store::{RunPages, Store, StoreError};
use amelia_core::view::RunRow;
use jiff::{SignedDuration, Timestamp};

/// How often is looked.
const PERIOD: Duration = Duration::from_secs(3600);
/// Events that are read at a time.
const PAGE: usize = 1000;

/// How much of a log is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// After the end of a run.
    pub days: u32,
    /// Per run.
    pub max_events: u64,
}

impl Retention {
    /// To how many events a log is to be cut down; `None` when it stays as it is.
    #[must_use]
    pub fn keeps(&self, row: &RunRow, now: Timestamp) -> Option<usize> {
        let ended_at = match row.view.status {
            RunStatus::Completed | RunStatus::Cancelled => row.view.ended_at?,
            // They may continue, and then they need their journal.
            RunStatus::Pending | RunStatus::Running | RunStatus::Waiting(_) | RunStatus::Failed => {
                return None;
            }
        };
        let age = now.duration_since(ended_at);
        if age > SignedDuration::from_hours(i64::from(self.days) * 24) {
            return Some(0);
        }
        let most = usize::try_from(self.max_events).unwrap_or(usize::MAX);
        (row.view.seq.0 > self.max_events).then_some(most)
    }
}

/// Whether a run belongs to the repository with this root directory; every run does if there is none.
#[must_use]
pub fn is_in(row: &RunRow, repository: Option<&Path>) -> bool {
    let place = row.run.spec.place.as_ref();
    repository.is_none_or(|repository| place.is_some_and(|place| place.repository == repository))
}

/// Looks through all runs, now and then.
pub struct RetentionSweeper {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    retention: Retention,
    /// What has been cut down already, and to what.
    done: HashMap<RunId, usize>,
}

impl RetentionSweeper {
    #[must_use]
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, retention: Retention) -> Self {
        Self { store, clock, retention, done: HashMap::new() }
    }

    /// Looks at once, and then every hour, until it is dropped.
    pub async fn keep(mut self) {
        loop {
            match self.sweep(None).await {
                Ok(0) => {}
                Ok(events) => tracing::info!(events, "old debug events were removed"),
                Err(error) => tracing::error!("old events cannot be removed: {error}"),
            }
            tokio::time::sleep(PERIOD).await;
        }
    }

    /// How many events a [`RetentionSweeper::sweep`] would take now.
    pub async fn due(&self, repository: Option<&Path>) -> Result<usize, StoreError> {
        let now = self.clock.now();
        let mut due = 0_usize;
        let mut pages = RunPages::new(&*self.store);
        while let Some(rows) = pages.next().await? {
            for row in rows.into_iter().filter(|row| is_in(row, repository)) {
                if let Some(keep) = self.retention.keeps(&row, now) {
                    due = due.saturating_add(self.due_of(row.run.id, keep).await?);
                }
            }
        }
        Ok(due)
    }

    /// The debug events of a log, as far as it has more than it may keep.
    async fn due_of(&self, run: RunId, keep: usize) -> Result<usize, StoreError> {
        let (mut after, mut all, mut debug) = (Seq::START, 0_usize, 0_usize);
        loop {
            let events = self.store.events(run, after, PAGE).await?;
            let Some(last) = events.last() else { break };
            after = last.seq;
            all = all.saturating_add(events.len());
            let is_debug = |event: &&Event| event.draft.kind.level() == EventLevel::Debug;
            debug = debug.saturating_add(events.iter().filter(is_debug).count());
        }
        Ok(debug.min(all.saturating_sub(keep)))
    }

    /// Cuts down what is due, of all runs or those of one repository, and says how many events went.
    pub async fn sweep(&mut self, repository: Option<&Path>) -> Result<usize, StoreError> {
        let now = self.clock.now();
        let mut gone = 0_usize;
        let store = Arc::clone(&self.store);
        let mut pages = RunPages::new(&*store);
        while let Some(rows) = pages.next().await? {
            for row in rows.into_iter().filter(|row| is_in(row, repository)) {
                gone = gone.saturating_add(self.sweep_one(&row, now).await?);
            }
        }
        Ok(gone)
    }

    async fn sweep_one(&mut self, row: &RunRow, now: Timestamp) -> Result<usize, StoreError> {
        let run = row.run.id;
        let Some(keep) = self.retention.keeps(row, now) else { return Ok(0) };
        if self.done.get(&run) == Some(&keep) {
            return Ok(0);
        }
        match self.store.trim(run, keep).await {
            Ok(events) => {
                self.done.insert(run, keep);
                Ok(events)
            }
            // It was removed, or is tried again, in this moment.
            Err(StoreError::NotFound(_) | StoreError::NotEnded(_)) => Ok(0),
            Err(error) => Err(error),
        }
    }
}
