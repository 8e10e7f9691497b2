//! The port to storage. One transaction per commit; what it acknowledges is durable.

mod layer;

use std::path::PathBuf;
use std::pin::Pin;

use async_trait::async_trait;

use crate::checkpoint::{Checkpoint, CheckpointInfo, LoadedCheckpoint};
use crate::effect::LedgerEntry;
use crate::event::{Draft, Event};
use crate::id::{RunId, Seq, Step, TraceId};
use crate::problem::Hinted;
use crate::recording::{Frame, StoredFrame};
use crate::run::RunStatus;
use crate::view::RunRow;

pub use layer::StoreLayer;

/// An answer that is under way.
pub type StoreFuture<T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send>>;

/// What is written together: facts, and the position they lead to.
#[derive(Debug, Clone, Default)]
pub struct Commit {
    pub drafts: Vec<Draft>,
    pub checkpoint: Option<Checkpoint>,
    /// What came from outside since the last commit.
    pub frames: Vec<Frame>,
    /// What the run wants for itself until it ends, such as the user's checkout. [`StoreError::Claimed`] when another
    /// run has it, or a [`crate::claim::collision`] with it; nothing is written then.
    pub claims: Vec<String>,
}

/// What a commit became.
#[derive(Debug, Clone)]
pub struct CommitReceipt {
    pub events: Vec<Event>,
    /// Number of the checkpoint, when there was one.
    pub checkpoint: Option<u32>,
}

/// Storage of runs. Every implementation passes `amelia_store::conformance`.
#[async_trait]
pub trait Store: Send + Sync {
    /// One transaction: events get their `seq`, the run row is folded on, the checkpoint is saved.
    /// A run begins with a commit at [`Seq::START`] whose first fact is `Run::Created`.
    /// [`StoreError::Conflict`] unless the log ends at `after`: a second writer is found and refused.
    /// Submitted when called, in the order of the calls, whether or not the answer is awaited: a caller that
    /// is dropped in the middle leaves no doubt about where the log ends.
    fn commit(&self, run: RunId, after: Seq, commit: Commit) -> StoreFuture<CommitReceipt>;

    /// Events after `after`, in order, at most `limit`.
    async fn events(&self, run: RunId, after: Seq, limit: usize) -> Result<Vec<Event>, StoreError>;

    /// Returns when a visit may come to its end: at once, except in a replay, where visits that are beside each other end in
    /// the order in which they did.
    async fn turn_of(&self, step: Step) {
        let _ = step;
    }

    /// The same to look at: an event that is damaged is named in its place, and hides no other. Nothing may be decided by
    /// what this returns.
    async fn shown_events(&self, run: RunId, after: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        self.events(run, after, limit).await
    }

    /// Events of all runs after `cursor`, in the order they were committed, at most `limit`, each with its cursor.
    async fn feed(&self, cursor: u64, limit: usize) -> Result<Vec<(u64, Event)>, StoreError>;

    /// The cursor of the newest event of all runs; 0 when there is none. What follows it is new.
    async fn end(&self) -> Result<u64, StoreError> {
        let mut end = 0;
        while let Some((cursor, _)) = self.feed(end, 1000).await?.pop() {
            end = cursor;
        }
        Ok(end)
    }

    /// The run's row, or `None`.
    async fn run(&self, run: RunId) -> Result<Option<RunRow>, StoreError>;

    /// Runs by filter, newest first.
    async fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRow>, StoreError>;

    /// Every run with its status, oldest first. Cheap: what a start looks at.
    async fn statuses(&self) -> Result<Vec<(RunId, RunStatus)>, StoreError>;

    /// All checkpoints of a run, oldest first.
    async fn checkpoints(&self, run: RunId) -> Result<Vec<CheckpointInfo>, StoreError>;

    /// The state at a checkpoint. Damaged ones are passed over towards the past and named in the result.
    async fn load(&self, run: RunId, at: CheckpointAt) -> Result<Option<LoadedCheckpoint>, StoreError>;

    /// What came from outside in a run, in its order.
    async fn frames(&self, run: RunId) -> Result<Vec<StoredFrame>, StoreError>;

    /// Effects of a run, in order of intention.
    async fn effects(&self, run: RunId) -> Result<Vec<LedgerEntry>, StoreError>;

    /// Removes a run that has ended, with everything it stored.
    async fn remove(&self, run: RunId) -> Result<(), StoreError>;

    /// Drops the oldest debug events of a run that is completed or cancelled (a failed one may need them to be tried
    /// again) until at most `keep` events are left, as far as
    /// that goes; says how many went.
    async fn trim(&self, run: RunId, keep: usize) -> Result<usize, StoreError>;

    /// Writes out what is buffered and releases the lock. Later calls fail with [`StoreError::Closed`].
    async fn close(&self) -> Result<(), StoreError>;
}

/// Which checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckpointAt {
    Latest,
    Number(u32),
}

/// Which runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Only runs that are not final.
    pub unfinished: bool,
    /// Only runs that are older than this one, for the next page of a list.
    pub before: Option<RunId>,
    /// 0 is no limit.
    pub limit: usize,
}

/// Rows that are read together by [`RunPages`].
const PAGE: usize = 500;

/// All runs, newest first, a page at a time: a home of a hundred thousand runs is never in memory at once.
pub struct RunPages<'s> {
    store: &'s dyn Store,
    filter: RunFilter,
    is_over: bool,
}

impl<'s> RunPages<'s> {
    #[must_use]
    pub fn new(store: &'s dyn Store) -> Self {
        Self::after(store, None)
    }

    /// The pages behind a run that was seen last.
    #[must_use]
    pub fn after(store: &'s dyn Store, last: Option<RunId>) -> Self {
        Self {
            store,
            filter: RunFilter { before: last, limit: PAGE, ..RunFilter::default() },
            is_over: false,
        }
    }

    /// The next page; `None` behind the oldest run.
    pub async fn next(&mut self) -> Result<Option<Vec<RunRow>>, StoreError> {
        if self.is_over {
            return Ok(None);
        }
        let rows = self.store.runs(&self.filter).await?;
        self.is_over = rows.len() < PAGE;
        self.filter.before = rows.last().map(|row| row.run.id);
        Ok(Some(rows).filter(|rows| !rows.is_empty()))
    }
}

/// Why storage said no, by what can be done about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    #[error("run {run} was changed by another writer: its log ends at {found}, not at {expected}")]
    Conflict { run: RunId, expected: Seq, found: Seq },
    #[error("run {0} does not exist")]
    NotFound(RunId),
    #[error("run {0} has not ended")]
    NotEnded(RunId),
    #[error("run {0} has ended")]
    Ended(RunId),
    #[error("run {existing} was already started with the key `{key}`")]
    Duplicate { key: String, existing: RunId },
    #[error("{name} is in use by run {by}")]
    Claimed { name: String, by: RunId },
    #[error(
        "{what} was changed in the meantime: the newest version is {newest}, and this change is based on version {expected}"
    )]
    Outdated { what: String, expected: u32, newest: u32 },
    #[error("the commit is not valid: {0}")]
    Invalid(String),
    #[error("{what} is damaged: {detail}")]
    Damaged { what: String, detail: String, hint: String },
    #[error("{path} was written by a newer version (schema {found}, this program knows {known})")]
    TooNew { path: PathBuf, found: u32, known: u32 },
    #[error("{path} is in use by process {pid}")]
    Locked { path: PathBuf, pid: u32 },
    #[error("{path} cannot be written: {detail}")]
    ReadOnly { path: PathBuf, detail: String },
    #[error("no space left for {path}")]
    Full { path: PathBuf },
    #[error("the store is closed")]
    Closed,
    #[error("{what}: {detail}")]
    Io { what: String, detail: String },
}

impl Hinted for StoreError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Damaged { hint, .. } => hint.as_str(),
            Self::TooNew { .. } => "use that version, or another home",
            Self::Locked { .. } => "stop that process, or set AMELIA_HOME to another directory",
            Self::ReadOnly { .. } => "check its permissions and those of its directory",
            Self::Full { .. } => "free some space and start again; nothing that was acknowledged is lost",
            Self::Conflict { .. }
            | Self::NotFound(_)
            | Self::NotEnded(_)
            | Self::Ended(_)
            | Self::Duplicate { .. }
            | Self::Claimed { .. }
            | Self::Outdated { .. }
            | Self::Invalid(_)
            | Self::Closed
            | Self::Io { .. } => return None,
        };
        Some(hint.to_owned())
    }
}

/// The trace of a run follows from its id, so that it need not be stored with every event.
#[must_use]
pub fn trace_of(run: RunId) -> TraceId {
    TraceId(run.0)
}
