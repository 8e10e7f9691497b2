//! One transaction for everything that was waiting (group commit): one fsync for many runs. When there are several
//! requests, each that may be refused after its first write has a savepoint, so that it takes none of the others with it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use amelia_core::event::{Event, EventKind};
use amelia_core::id::RunId;
use amelia_core::store::{CommitReceipt, StoreError};
use amelia_core::view::RunView;
use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::oneshot;

use super::ahead::{Ahead, Folded, Mark, StoredView};
use super::error::from_sqlite;
use super::prepared::Prepared;
use super::runs::Known;
use super::{checkpoints, claims, effects, events, frames, runs};
use crate::fold;

/// Rows of runs that are kept in memory; forgotten all at once when there are more.
const KNOWN: usize = 4096;
/// A transaction on a disk that confirms at once; any other takes longer.
const BRIEF: Duration = Duration::from_micros(500);

pub(super) enum Request {
    Commit(Box<Prepared>, oneshot::Sender<Result<CommitReceipt, StoreError>>),
    Change(Change),
}

/// A change; it gets an error when the transaction is lost before its turn comes.
type Change = Box<dyn FnOnce(Result<&Connection, StoreError>) -> (Result<(), StoreError>, Settle) + Send>;
/// Tells the asker, once it is known whether the transaction held.
type Settle = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

/// The connection that writes, and what it remembers.
pub(super) struct Transactions {
    connection: Connection,
    path: PathBuf,
    known: HashMap<RunId, Known>,
    /// How many requests shared the last transaction.
    pub(super) last: usize,
    /// What it took.
    took: Duration,
}

impl Transactions {
    pub(super) fn new(connection: Connection, path: &Path) -> Self {
        let (path, known) = (path.to_owned(), HashMap::new());
        // The first one may wait for a slow disk.
        Self { connection, path, known, last: 0, took: Duration::MAX }
    }

    /// Whether the next transaction will probably take no longer than tasks are used to wait for each other.
    pub(super) fn is_brief(&self) -> bool {
        self.took < BRIEF
    }

    /// One transaction for the whole group; nothing is reported before it holds.
    pub(super) fn write(&mut self, ahead: &Ahead, group: Vec<Request>) {
        self.last = group.len();
        let started = Instant::now();
        let mut settles: Vec<Settle> = Vec::with_capacity(group.len());
        let held = self.write_group(ahead, group, &mut settles);
        if held.is_err() || self.known.len() > KNOWN {
            self.known.clear();
        }
        if held.is_err() {
            ahead.clear();
        }
        self.took = started.elapsed();
        settles.into_iter().for_each(|settle| settle(held.clone()));
    }

    /// Leaves one tidy file behind.
    pub(super) fn close(self) -> Result<(), StoreError> {
        self.connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .map_err(|error| from_sqlite(&self.path, &error))
    }

    fn write_group(
        &mut self,
        ahead: &Ahead,
        group: Vec<Request>,
        settles: &mut Vec<Settle>,
    ) -> Result<(), StoreError> {
        let Self { connection, path, known, .. } = self;
        let fail = |error: rusqlite::Error| from_sqlite(path, &error);
        let is_alone = group.len() == 1;
        let mut is_refused = false;
        let mut transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fail);
        for request in group {
            settles.push(match (request, &transaction) {
                (Request::Commit(_, sender), Err(lost)) => settle_with(sender, Err(lost.clone())),
                (Request::Change(change), Err(lost)) => change(Err(lost.clone())).1,
                (Request::Commit(prepared, sender), Ok(open)) => {
                    let run = prepared.run;
                    let guard = match is_alone {
                        true => Guard::Alone,
                        false if is_plain(known, &prepared) => Guard::Plain,
                        false => Guard::Savepoint,
                    };
                    let (done, lost) =
                        guarded(open, path, guard, |db| write_one(db, path, known, ahead, *prepared));
                    is_refused = done.is_err();
                    if is_refused {
                        known.remove(&run);
                        ahead.forget(run);
                    }
                    transaction = lost.map_or(transaction, Err);
                    settle_with(sender, done)
                }
                (Request::Change(change), Ok(open)) => {
                    known.clear();
                    // Without a savepoint the change is not tried, and its asker hears that the store is closed.
                    let mut settle: Settle = Box::new(|_| ());
                    let guard = if is_alone { Guard::Alone } else { Guard::Savepoint };
                    let (done, lost) = guarded(open, path, guard, |db| {
                        let (done, told) = change(Ok(db));
                        settle = told;
                        done
                    });
                    is_refused = done.is_err();
                    transaction = lost.map_or(transaction, Err);
                    settle
                }
            });
        }
        match transaction {
            Ok(transaction) if is_alone && is_refused => transaction.rollback().map_err(fail),
            transaction => transaction?.commit().map_err(fail),
        }
    }
}

pub(super) fn settle_with<T: Send + 'static>(
    sender: oneshot::Sender<Result<T, StoreError>>,
    done: Result<T, StoreError>,
) -> Settle {
    // The asker may have gone; what is written is written.
    Box::new(move |held| {
        sender.send(held.and(done)).ok();
    })
}

/// What protects the other requests of a transaction from one that fails.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guard {
    /// There are no others.
    Alone,
    /// It can fail only as the database itself does, and then the whole transaction is lost.
    Plain,
    Savepoint,
}

/// Whether a commit is certain to be accepted, which is so for nearly every step of a run. A savepoint makes SQLite
/// copy every page that the requests before it have changed.
fn is_plain(known: &HashMap<RunId, Known>, prepared: &Prepared) -> bool {
    let Prepared { run, after, events, claims, folded, .. } = prepared;
    let Some(row) = known.get(run) else { return false };
    let is_effect = |event: &Event| matches!(event.draft.kind, EventKind::Effect(_));
    row.checkpoints > 0
        && claims.is_empty()
        && !events.iter().any(is_effect)
        && folded.as_ref().is_some_and(|folded| row.mark == Some(folded.base))
        && fold::check(*run, *after, row.seq, row.status, false).is_ok()
}

/// Runs `work` inside a savepoint where one is needed, and takes it back when it is refused. The second answer says why the
/// whole transaction is lost, if it is: SQLite itself takes it back when the disk is full or broken.
fn guarded<T>(
    transaction: &rusqlite::Transaction<'_>,
    path: &Path,
    guard: Guard,
    work: impl FnOnce(&Connection) -> Result<T, StoreError>,
) -> (Result<T, StoreError>, Option<StoreError>) {
    let in_savepoint = || -> rusqlite::Result<Result<T, StoreError>> {
        if guard != Guard::Savepoint {
            return Ok(work(transaction));
        }
        transaction.prepare_cached("SAVEPOINT request")?.execute([])?;
        let done = work(transaction);
        if !transaction.is_autocommit() {
            if done.is_err() {
                transaction.prepare_cached("ROLLBACK TO request")?.execute([])?;
            }
            transaction.prepare_cached("RELEASE request")?.execute([])?;
        }
        Ok(done)
    };
    match in_savepoint() {
        Err(error) => {
            let error = from_sqlite(path, &error);
            (Err(error.clone()), Some(error))
        }
        Ok(done) => {
            let is_lost = guard == Guard::Plain || transaction.is_autocommit();
            let lost = done.as_ref().err().filter(|_| is_lost).cloned();
            (done, lost)
        }
    }
}

/// The commit of a step: check, write the checkpoint, the events, the ledger and the row.
fn write_one(
    db: &Connection,
    path: &Path,
    known: &mut HashMap<RunId, Known>,
    ahead: &Ahead,
    prepared: Prepared,
) -> Result<CommitReceipt, StoreError> {
    let Prepared { run, after, end, events, bodies, checkpoint, frames, claims, folded } = prepared;
    let fail = |error: rusqlite::Error| from_sqlite(path, &error);
    let row = match known.entry(run) {
        Entry::Occupied(entry) => entry.into_mut(),
        Entry::Vacant(entry) => entry.insert(match runs::known(db, run)? {
            Some(row) => row,
            None => runs::insert(db, fold::begin(run, &events)?)?,
        }),
    };
    let may_follow_end =
        checkpoint.is_none() && frames.is_none() && claims.is_empty() && fold::may_follow_end(&events);
    fold::check(run, after, row.seq, row.status, may_follow_end)?;
    claims::take(db, row.pk, &claims)?;
    let number = checkpoint
        .map(|(checkpoint, body)| checkpoints::insert(db, row, end, &checkpoint, &body))
        .transpose()?;
    events::insert(db, row.pk, &events, &bodies).map_err(fail)?;
    if let Some(body) = frames {
        frames::insert(db, row.pk, after, end, &body).map_err(fail)?;
    }
    effects::update(db, row.pk, &events)?;
    let read = row.view.take();
    let (mark, view) = match folded {
        Some(Folded { base, mark, view }) if row.mark == Some(base) => (mark, view),
        Some(_) | None => {
            let before = read.map_or_else(|| runs::view(db, run), |view| Ok(*view))?;
            refolded(ahead, run, before, &events)?
        }
    };
    row.mark = Some(mark);
    runs::update(db, path, row, &view)?;
    Ok(CommitReceipt { events, checkpoint: number })
}

/// The view after events that were not folded on what is written. Those that follow are, by a mark of its own.
fn refolded(
    ahead: &Ahead,
    run: RunId,
    mut view: RunView,
    events: &[Event],
) -> Result<(Mark, StoredView), StoreError> {
    events.iter().for_each(|event| view.apply(event));
    let (mark, stored) = (ahead.new_mark(), StoredView::new(&view)?);
    ahead.put(run, mark, view);
    Ok((mark, stored))
}
