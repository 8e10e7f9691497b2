//! A store in memory, for tests and for runs that need not outlive the process.

use std::collections::BTreeMap;

use amelia_core::checkpoint::{Checkpoint, CheckpointInfo, LoadedCheckpoint, SavedState};
use amelia_core::claim::collision;
use amelia_core::document::{Document, DocumentChange, DocumentKind, Documents};
use amelia_core::effect::{EffectState, LedgerEntry};
use amelia_core::event::{EffectEvent, Event, EventKind, EventLevel, RunEvent};
use amelia_core::id::{RunId, RunNumber, Seq};
use amelia_core::recording::StoredFrame;
use amelia_core::run::RunStatus;
use amelia_core::store::{CheckpointAt, Commit, CommitReceipt, RunFilter, Store, StoreError, StoreFuture};
use amelia_core::view::RunRow;
use async_trait::async_trait;
use jiff::Timestamp;
use parking_lot::{Mutex, MutexGuard};

use crate::fold;

/// Everything in one map. Runs are ordered by creation.
#[derive(Default)]
pub struct MemoryStore(Mutex<Memory>);

#[derive(Default)]
struct Memory {
    order: Vec<RunId>,
    runs: BTreeMap<RunId, Kept>,
    /// The number of the last run; that of a removed one is not given out again.
    counted: u64,
    /// Every event in the order of commits; its cursor is its place.
    feed: Vec<Event>,
    /// What runs have for themselves, by name.
    claims: BTreeMap<String, RunId>,
    documents: BTreeMap<(DocumentKind, String), Vec<Document>>,
    is_closed: bool,
}

struct Kept {
    row: RunRow,
    events: Vec<Event>,
    checkpoints: Vec<(Seq, Checkpoint)>,
    effects: Vec<LedgerEntry>,
    frames: Vec<StoredFrame>,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Commits at the end of the log, wherever the writer thinks that it ends. For a replay, in which others write
    /// between the writer's commits.
    pub fn append(&self, run: RunId, commit: Commit) -> Result<CommitReceipt, StoreError> {
        let mut memory = self.memory()?;
        let after = memory.runs.get(&run).map_or(Seq::START, |kept| kept.row.view.seq);
        let committed = memory.commit(run, after, commit)?;
        memory.feed.extend(committed.events.iter().cloned());
        Ok(committed)
    }

    fn memory(&self) -> Result<MutexGuard<'_, Memory>, StoreError> {
        let memory = self.0.lock();
        if memory.is_closed { Err(StoreError::Closed) } else { Ok(memory) }
    }

    fn read<T>(&self, run: RunId, read: impl FnOnce(&Kept) -> T) -> Result<T, StoreError> {
        self.memory()?.runs.get(&run).map(read).ok_or(StoreError::NotFound(run))
    }
}

impl Memory {
    fn commit(&mut self, run: RunId, after: Seq, commit: Commit) -> Result<CommitReceipt, StoreError> {
        let key = match (self.runs.contains_key(&run), commit.drafts.first().map(|draft| &draft.kind)) {
            (false, Some(EventKind::Run(RunEvent::Created { spec }))) => spec.idempotency_key.clone(),
            _ => None,
        };
        if let Some((key, existing)) = key.and_then(|key| self.with_key(&key).map(|existing| (key, existing)))
        {
            return Err(StoreError::Duplicate { key, existing });
        }
        let taken = |wanted: &String| {
            let mut others = self.claims.iter().filter(|(_, owner)| **owner != run);
            others.find_map(|(name, owner)| Some((collision(wanted, name)?, owner)))
        };
        if let Some((name, by)) = commit.claims.iter().find_map(taken) {
            return Err(StoreError::Claimed { name, by: *by });
        }
        let claims = commit.claims.clone();
        let committed = self.write(run, after, commit)?;
        self.claims.extend(claims.into_iter().map(|name| (name, run)));
        if self.runs.get(&run).is_some_and(|kept| kept.row.view.status.is_final()) {
            self.claims.retain(|_, owner| *owner != run);
        }
        Ok(committed)
    }

    fn write(&mut self, run: RunId, after: Seq, commit: Commit) -> Result<CommitReceipt, StoreError> {
        if let Some(kept) = self.runs.get_mut(&run) {
            return kept.commit(run, after, commit);
        }
        let drafts = commit.drafts.first().cloned().into_iter().collect();
        let mut row = fold::begin(run, &fold::numbered(run, after, drafts))?;
        row.run.number = RunNumber(self.counted + 1);
        let mut kept = Kept {
            row,
            events: Vec::new(),
            checkpoints: Vec::new(),
            effects: Vec::new(),
            frames: Vec::new(),
        };
        let committed = kept.commit(run, after, commit)?;
        self.counted += 1;
        self.order.push(run);
        self.runs.insert(run, kept);
        Ok(committed)
    }

    fn with_key(&self, key: &str) -> Option<RunId> {
        let mut runs = self.runs.iter();
        runs.find(|(_, kept)| kept.row.run.spec.idempotency_key.as_deref() == Some(key)).map(|(run, _)| *run)
    }
}

impl Kept {
    fn commit(&mut self, run: RunId, after: Seq, commit: Commit) -> Result<CommitReceipt, StoreError> {
        fold::check_shape(after, &commit)?;
        let Commit { drafts, checkpoint, frames, claims } = commit;
        let events = fold::numbered(run, after, drafts);
        let rest_is_empty = checkpoint.is_none() && frames.is_empty() && claims.is_empty();
        let view = &self.row.view;
        fold::check(run, after, view.seq, view.status, rest_is_empty && fold::may_follow_end(&events))?;
        let is_first = self.checkpoints.is_empty();
        if let Some(Checkpoint { state: SavedState::Updates(_), .. }) = &checkpoint
            && is_first
        {
            return Err(StoreError::Invalid("the first checkpoint must be a snapshot".to_owned()));
        }
        self.effects = self.followed(&events)?;
        events.iter().for_each(|event| self.row.view.apply(event));
        let end = self.row.view.seq;
        self.frames.extend(frames.into_iter().map(|frame| StoredFrame { after, end, frame }));
        self.events.extend(events.iter().cloned());
        let number = checkpoint.map(|checkpoint| {
            self.checkpoints.push((self.row.view.seq, checkpoint));
            u32::try_from(self.checkpoints.len()).unwrap_or(u32::MAX)
        });
        Ok(CommitReceipt { events, checkpoint: number })
    }

    /// The ledger after a commit.
    fn followed(&self, events: &[Event]) -> Result<Vec<LedgerEntry>, StoreError> {
        let mut effects = self.effects.clone();
        for event in events {
            let EventKind::Effect(event) = &event.draft.kind else { continue };
            let (id, state) = match event {
                EffectEvent::Intended(effect) => {
                    effects.push(LedgerEntry { effect: effect.clone(), state: EffectState::Intended });
                    continue;
                }
                EffectEvent::Done { effect, receipt } => {
                    (effect, EffectState::Done { receipt: receipt.clone() })
                }
                EffectEvent::Doubted { effect, why } => (effect, EffectState::Unknown { why: why.clone() }),
            };
            match effects.iter_mut().find(|entry| entry.effect.id == *id) {
                Some(entry) => entry.state = state,
                None => return Err(StoreError::Invalid(format!("effect {id} was never intended"))),
            }
        }
        Ok(effects)
    }

    fn load(&self, at: CheckpointAt) -> Option<LoadedCheckpoint> {
        let count = match at {
            CheckpointAt::Latest => self.checkpoints.len(),
            CheckpointAt::Number(number) => {
                self.checkpoints.len().min(usize::try_from(number).unwrap_or(usize::MAX))
            }
        };
        let until = self.checkpoints.get(..count)?;
        let (seq, last) = until.last()?;
        let mut updates = Vec::new();
        for (_, checkpoint) in until.iter().rev() {
            match &checkpoint.state {
                SavedState::Updates(raw) => updates.push(raw.get().to_owned()),
                SavedState::Snapshot(snapshot) => {
                    updates.reverse();
                    return Some(LoadedCheckpoint {
                        number: u32::try_from(count).unwrap_or(u32::MAX),
                        seq: *seq,
                        graph: last.graph.clone(),
                        version: last.version,
                        at: last.at,
                        position: last.position.clone(),
                        snapshot: snapshot.get().to_owned(),
                        updates,
                        damaged: Vec::new(),
                    });
                }
            }
        }
        None
    }
}

#[async_trait]
impl Store for MemoryStore {
    fn commit(&self, run: RunId, after: Seq, commit: Commit) -> StoreFuture<CommitReceipt> {
        let committed = self.memory().and_then(|mut memory| {
            let committed = memory.commit(run, after, commit)?;
            memory.feed.extend(committed.events.iter().cloned());
            Ok(committed)
        });
        Box::pin(std::future::ready(committed))
    }

    async fn events(&self, run: RunId, after: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        self.read(run, |kept| {
            kept.events.iter().filter(|event| event.seq > after).take(limit).cloned().collect()
        })
    }

    async fn feed(&self, cursor: u64, limit: usize) -> Result<Vec<(u64, Event)>, StoreError> {
        let memory = self.memory()?;
        let after = (cursor.saturating_add(1)..)
            .zip(memory.feed.iter().skip(usize::try_from(cursor).unwrap_or(usize::MAX)));
        Ok(after.take(limit).map(|(cursor, event)| (cursor, event.clone())).collect())
    }

    async fn end(&self) -> Result<u64, StoreError> {
        Ok(self.memory()?.feed.len() as u64)
    }

    async fn run(&self, run: RunId) -> Result<Option<RunRow>, StoreError> {
        Ok(self.memory()?.runs.get(&run).map(|kept| kept.row.clone()))
    }

    async fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRow>, StoreError> {
        let memory = self.memory()?;
        let older = match filter.before {
            None => memory.order.as_slice(),
            Some(run) => memory.order.split(|other| *other == run).next().unwrap_or_default(),
        };
        let rows = older.iter().rev().filter_map(|run| memory.runs.get(run)).map(|kept| &kept.row);
        let wanted = rows.filter(|row| !filter.unfinished || !row.view.status.is_final());
        let limit = if filter.limit == 0 { usize::MAX } else { filter.limit };
        Ok(wanted.take(limit).cloned().collect())
    }

    async fn statuses(&self) -> Result<Vec<(RunId, RunStatus)>, StoreError> {
        let memory = self.memory()?;
        let rows = memory.order.iter().filter_map(|run| Some((*run, memory.runs.get(run)?.row.view.status)));
        Ok(rows.collect())
    }

    async fn checkpoints(&self, run: RunId) -> Result<Vec<CheckpointInfo>, StoreError> {
        self.read(run, |kept| {
            (1..)
                .zip(&kept.checkpoints)
                .map(|(number, (seq, checkpoint))| CheckpointInfo {
                    number,
                    seq: *seq,
                    at: checkpoint.at,
                    position: checkpoint.position.clone(),
                    is_snapshot: matches!(checkpoint.state, SavedState::Snapshot(_)),
                    bytes: checkpoint.state.text().len() as u64,
                    is_damaged: false,
                })
                .collect()
        })
    }

    async fn load(&self, run: RunId, at: CheckpointAt) -> Result<Option<LoadedCheckpoint>, StoreError> {
        self.read(run, |kept| kept.load(at))
    }

    async fn frames(&self, run: RunId) -> Result<Vec<StoredFrame>, StoreError> {
        self.read(run, |kept| kept.frames.clone())
    }

    async fn effects(&self, run: RunId) -> Result<Vec<LedgerEntry>, StoreError> {
        self.read(run, |kept| kept.effects.clone())
    }

    async fn remove(&self, run: RunId) -> Result<(), StoreError> {
        if !self.read(run, |kept| kept.row.view.status.is_final())? {
            return Err(StoreError::NotEnded(run));
        }
        let mut memory = self.memory()?;
        memory.runs.remove(&run);
        memory.order.retain(|other| *other != run);
        Ok(())
    }

    async fn trim(&self, run: RunId, keep: usize) -> Result<usize, StoreError> {
        let mut memory = self.memory()?;
        let kept = memory.runs.get_mut(&run).ok_or(StoreError::NotFound(run))?;
        // A failed run may be retried, and then it needs its journal.
        if !matches!(kept.row.view.status, RunStatus::Completed | RunStatus::Cancelled) {
            return Err(StoreError::NotEnded(run));
        }
        let before = kept.events.len();
        let mut surplus = before.saturating_sub(keep);
        kept.events.retain(|event| {
            let goes = surplus > 0 && event.draft.kind.level() == EventLevel::Debug;
            surplus -= usize::from(goes);
            !goes
        });
        Ok(before - kept.events.len())
    }

    async fn close(&self) -> Result<(), StoreError> {
        self.memory()?.is_closed = true;
        Ok(())
    }
}

#[async_trait]
impl Documents for MemoryStore {
    async fn documents(&self, kind: DocumentKind) -> Result<Vec<Document>, StoreError> {
        let memory = self.memory()?;
        let newest = memory.documents.values().filter_map(|versions| versions.last());
        let wanted = newest.filter(|document| document.kind == kind && document.body.is_some());
        Ok(wanted.cloned().collect())
    }

    async fn versions(&self, kind: DocumentKind, name: &str) -> Result<Vec<Document>, StoreError> {
        Ok(self.memory()?.documents.get(&(kind, name.to_owned())).cloned().unwrap_or_default())
    }

    async fn change(&self, at: Timestamp, changes: Vec<DocumentChange>) -> Result<Vec<u32>, StoreError> {
        let mut memory = self.memory()?;
        for change in &changes {
            let versions = memory.documents.get(&(change.kind, change.name.clone()));
            change.check(versions.and_then(|versions| versions.last()).map_or(0, |last| last.version))?;
        }
        let written = changes.into_iter().map(|DocumentChange { kind, name, body, after: _ }| {
            let versions = memory.documents.entry((kind, name.clone())).or_default();
            let (version, before) =
                versions.last().map_or((0, None), |last| (last.version, last.body.as_ref()));
            if before == body.as_ref() {
                return version;
            }
            versions.push(Document { kind, name, version: version + 1, at, body });
            version + 1
        });
        Ok(written.collect())
    }
}
