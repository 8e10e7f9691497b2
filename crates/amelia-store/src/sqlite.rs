//! SQLite, embedded: one line of writers that commit in groups, readers that never block them.
//!
//! WAL with `synchronous=FULL`: what is acknowledged survives power loss.

mod ahead;
mod backup;
mod checkpoints;
mod claims;
mod documents;
mod effects;
mod error;
mod events;
mod frames;
mod group;
mod lock;
mod memories;
mod memory_summaries;
mod open;
mod prepared;
mod readers;
mod repair;
mod retention;
mod rows;
mod runs;
mod stand_in;
mod summed;
mod writer;

use std::path::{Path, PathBuf};

use amelia_core::checkpoint::{CheckpointInfo, LoadedCheckpoint};
use amelia_core::config::server::Durability;
use amelia_core::document::{Document, DocumentChange, DocumentKind, Documents};
use amelia_core::effect::LedgerEntry;
use amelia_core::event::Event;
use amelia_core::id::{RunId, Seq};
use amelia_core::memory::summary::NewSummary;
use amelia_core::memory::{
    Memories, MemoryChange, MemoryEntry, MemoryFilter, MemorySpace, MemoryTotals, NewMemory, WrittenMemory,
};
use amelia_core::message::MemoryKind;
use amelia_core::recording::StoredFrame;
use amelia_core::run::RunStatus;
use amelia_core::store::{CheckpointAt, Commit, CommitReceipt, RunFilter, Store, StoreError, StoreFuture};
use amelia_core::view::RunRow;
use async_trait::async_trait;
use jiff::Timestamp;
use parking_lot::Mutex;

use self::lock::Lock;
use self::readers::Readers;
use self::writer::Writer;

/// How a store is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SqliteOptions {
    pub durability: Durability,
    /// Refuse to grow beyond this many pages of 4 KiB, as if the disk were full then.
    pub max_pages: Option<u32>,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self { durability: Durability::Full, max_pages: None }
    }
}

/// Versions of a file's schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema {
    pub found: u32,
    pub newest: u32,
}

/// A store in one SQLite file. Closing, or dropping, ends its threads and releases its lock.
pub struct SqliteStore {
    path: PathBuf,
    writer: Writer,
    readers: Readers,
    /// Released last.
    lock: Mutex<Option<Lock>>,
}

impl SqliteStore {
    /// Opens or creates the file, with the sole right to write it.
    pub fn open(path: &Path, options: SqliteOptions) -> Result<Self, StoreError> {
        let lock = Lock::take(path)?;
        let connection = open::writable(path, options)?;
        Ok(Self {
            path: path.to_owned(),
            writer: Writer::start(connection, path)?,
            readers: Readers::start(path)?,
            lock: Mutex::new(Some(lock)),
        })
    }

    /// Opens an existing file to look at it, beside its writer. Commits to it are refused as to a closed store.
    pub fn look(path: &Path) -> Result<Self, StoreError> {
        if !open::is_current(path)? {
            // Once, with the right to write: then it is brought up to date.
            drop(Self::open(path, SqliteOptions::default())?);
        }
        Ok(Self {
            path: path.to_owned(),
            writer: Writer::none(),
            readers: Readers::start(path)?,
            lock: Mutex::new(None),
        })
    }

    /// The schema of an existing file and the newest one that this program knows. Changes nothing.
    pub fn schema(path: &Path) -> Result<Schema, StoreError> {
        open::schema(path)
    }

    /// The bytes of the recordings in an existing file. Changes nothing.
    pub fn recorded_bytes(path: &Path) -> Result<u64, StoreError> {
        frames::bytes(&open::readable(path)?)
    }

    /// Whether some process has the right to write the file now.
    #[must_use]
    pub fn is_owned(path: &Path) -> bool {
        lock::is_held(path)
    }

    /// The process that has the right to write the file now.
    #[must_use]
    pub fn owner(path: &Path) -> Option<u32> {
        lock::owner_of(path)
    }

    /// Checks the whole file, and says what is wrong with it. Takes time in proportion to its size.
    pub async fn verify(&self) -> Result<(), StoreError> {
        self.readers.ask(open::verify).await
    }

    /// Copies a database as it is now into a new file, also while another process writes it.
    pub fn copy(from: &Path, into: &Path) -> Result<(), StoreError> {
        backup::copy(from, into)
    }

    /// Where the file is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[async_trait]
impl Store for SqliteStore {
    fn commit(&self, run: RunId, after: Seq, commit: Commit) -> StoreFuture<CommitReceipt> {
        self.writer.commit(run, after, commit)
    }

    async fn events(&self, run: RunId, after: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        self.readers.ask(move |db| events::read(db, run, after, limit)).await
    }

    async fn shown_events(&self, run: RunId, after: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        self.readers.ask(move |db| events::read_shown(db, run, after, limit)).await
    }

    async fn feed(&self, cursor: u64, limit: usize) -> Result<Vec<(u64, Event)>, StoreError> {
        self.readers.ask(move |db| events::feed(db, cursor, limit)).await
    }

    async fn end(&self) -> Result<u64, StoreError> {
        self.readers.ask(events::end).await
    }

    async fn run(&self, run: RunId) -> Result<Option<RunRow>, StoreError> {
        self.readers.ask(move |db| runs::find(db, run)).await
    }

    async fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRow>, StoreError> {
        let filter = filter.clone();
        self.readers.ask(move |db| runs::list(db, &filter)).await
    }

    async fn statuses(&self) -> Result<Vec<(RunId, RunStatus)>, StoreError> {
        self.readers.ask(runs::statuses).await
    }

    async fn checkpoints(&self, run: RunId) -> Result<Vec<CheckpointInfo>, StoreError> {
        self.readers.ask(move |db| checkpoints::list(db, run)).await
    }

    async fn load(&self, run: RunId, at: CheckpointAt) -> Result<Option<LoadedCheckpoint>, StoreError> {
        self.readers.ask(move |db| checkpoints::load(db, run, at)).await
    }

    async fn frames(&self, run: RunId) -> Result<Vec<StoredFrame>, StoreError> {
        self.readers.ask(move |db| frames::list(db, run)).await
    }

    async fn effects(&self, run: RunId) -> Result<Vec<LedgerEntry>, StoreError> {
        self.readers.ask(move |db| effects::list(db, run)).await
    }

    async fn remove(&self, run: RunId) -> Result<(), StoreError> {
        self.writer.change(move |db| retention::remove(db, run)).await
    }

    async fn trim(&self, run: RunId, keep: usize) -> Result<usize, StoreError> {
        self.writer.change(move |db| retention::trim(db, run, keep)).await
    }

    async fn close(&self) -> Result<(), StoreError> {
        self.readers.close();
        self.writer.close().await?;
        self.lock.lock().take();
        Ok(())
    }
}

#[async_trait]
impl Documents for SqliteStore {
    async fn documents(&self, kind: DocumentKind) -> Result<Vec<Document>, StoreError> {
        self.readers.ask(move |db| documents::list(db, kind)).await
    }

    async fn versions(&self, kind: DocumentKind, name: &str) -> Result<Vec<Document>, StoreError> {
        let name = name.to_owned();
        self.readers.ask(move |db| documents::versions(db, kind, &name)).await
    }

    async fn change(&self, at: Timestamp, changes: Vec<DocumentChange>) -> Result<Vec<u32>, StoreError> {
        self.writer.change(move |db| documents::change(db, at, &changes)).await
    }
}

#[async_trait]
impl Memories for SqliteStore {
    async fn remember(&self, new: NewMemory) -> Result<WrittenMemory, StoreError> {
        self.writer.change(move |db| memories::remember(db, &new)).await
    }

    async fn memory(&self, number: u64) -> Result<Vec<MemoryEntry>, StoreError> {
        self.readers.ask(move |db| memories::versions(db, number)).await
    }

    async fn memories(&self, filter: MemoryFilter, now: Timestamp) -> Result<Vec<MemoryEntry>, StoreError> {
        self.readers.ask(move |db| memories::list(db, &filter, now)).await
    }

    async fn memories_numbered(&self, numbers: Vec<u64>) -> Result<Vec<MemoryEntry>, StoreError> {
        self.readers.ask(move |db| memories::numbered(db, &numbers)).await
    }

    async fn memory_totals(
        &self,
        spaces: Vec<MemorySpace>,
        kind: MemoryKind,
        now: Timestamp,
    ) -> Result<MemoryTotals, StoreError> {
        self.readers.ask(move |db| memories::totals(db, &spaces, kind, now)).await
    }

    async fn memory_changes(&self, change: u64, limit: usize) -> Result<Vec<MemoryChange>, StoreError> {
        self.readers.ask(move |db| memories::changes(db, change, limit)).await
    }

    async fn consolidate(&self, new: NewSummary) -> Result<WrittenMemory, StoreError> {
        self.writer.change(move |db| memory_summaries::consolidate(db, &new)).await
    }

    async fn memory_sources(&self, summary: u64) -> Result<Vec<MemoryEntry>, StoreError> {
        self.readers.ask(move |db| memory_summaries::sources(db, summary)).await
    }

    async fn open_topics(&self, now: Timestamp) -> Result<Vec<(MemorySpace, String)>, StoreError> {
        self.readers.ask(move |db| memory_summaries::open_topics(db, now)).await
    }

    async fn forget_memory(&self, number: u64) -> Result<bool, StoreError> {
        self.writer.change(move |db| memories::forget(db, number)).await
    }

    async fn copy_memories(
        &self,
        from: MemorySpace,
        to: MemorySpace,
        until: Timestamp,
    ) -> Result<u64, StoreError> {
        self.writer.change(move |db| memories::copy(db, &from, &to, until)).await
    }
}

#[cfg(test)]
mod tests;
