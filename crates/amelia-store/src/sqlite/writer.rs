//! The one thread that writes. What waits when it is free is committed together (group commit): one fsync for
//! many runs. Each request has a savepoint, so that a refused one takes none of the others with it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use amelia_core::event::Event;
use amelia_core::id::{RunId, Seq};
use amelia_core::store::{Commit, CommitReceipt, StoreError, StoreFuture};
use amelia_core::view::RunView;
use parking_lot::Mutex;
use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};

use super::ahead::{Ahead, Folded, Mark, StoredView};
use super::error::from_sqlite;
use super::prepared::Prepared;
use super::runs::Known;
use super::{checkpoints, claims, effects, events, frames, runs};
use crate::fold;

/// Requests that share one transaction at most.
const GROUP: usize = 256;
/// Rows of runs that are kept in memory; forgotten all at once when there are more.
const KNOWN: usize = 4096;

/// A handle on the writing thread. Its queue needs no bound of its own: every request has a caller that waits.
pub(super) struct Writer {
    requests: Mutex<Option<mpsc::UnboundedSender<Request>>>,
    ended: Mutex<Option<oneshot::Receiver<Result<(), StoreError>>>>,
    thread: Option<JoinHandle<()>>,
    ahead: Arc<Ahead>,
}

enum Request {
    Commit(Box<Prepared>, oneshot::Sender<Result<CommitReceipt, StoreError>>),
    Change(Change),
}

/// A change is told when the transaction is lost before its turn comes.
type Change = Box<dyn FnOnce(Result<&Connection, StoreError>) -> (Result<(), StoreError>, Settle) + Send>;
/// Tells the asker, once it is known whether the transaction held.
type Settle = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

impl Writer {
    pub(super) fn start(connection: Connection, path: &Path) -> Result<Self, StoreError> {
        let (sender, receiver) = mpsc::unbounded_channel();
        let (end, ended) = oneshot::channel();
        let ahead = Arc::new(Ahead::default());
        let (path, known) = (path.to_owned(), HashMap::new());
        let thread = Thread { connection, path, known, ahead: Arc::clone(&ahead) };
        let thread = std::thread::Builder::new()
            .name("store-write".to_owned())
            .spawn(move || {
                // Nobody may be waiting for the end.
                end.send(thread.serve(receiver)).ok();
            })
            .map_err(|error| StoreError::Io {
                what: "writing thread".to_owned(),
                detail: error.to_string(),
            })?;
        let (requests, ended) = (Mutex::new(Some(sender)), Mutex::new(Some(ended)));
        Ok(Self { requests, ended, thread: Some(thread), ahead })
    }

    /// Nobody writes.
    pub(super) fn none() -> Self {
        Self { requests: Mutex::new(None), ended: Mutex::new(None), thread: None, ahead: Arc::default() }
    }

    pub(super) fn commit(&self, run: RunId, after: Seq, commit: Commit) -> StoreFuture<CommitReceipt> {
        let (sender, answer) = oneshot::channel();
        let sent = Prepared::new(&self.ahead, run, after, commit)
            .and_then(|prepared| self.send(Request::Commit(Box::new(prepared), sender)));
        Box::pin(async move {
            sent?;
            answer.await.map_err(|_| StoreError::Closed)?
        })
    }

    /// Runs `change` in a transaction.
    pub(super) async fn change<T, C>(&self, change: C) -> Result<T, StoreError>
    where
        T: Send + 'static,
        C: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let (sender, answer) = oneshot::channel();
        self.send(Request::Change(Box::new(move |connection| {
            let changed = connection.and_then(change);
            let done = changed.as_ref().map(|_| ()).map_err(Clone::clone);
            (done, settle_with(sender, changed))
        })))?;
        answer.await.map_err(|_| StoreError::Closed)?
    }

    /// Takes no more requests, and waits until those under way are written.
    pub(super) async fn close(&self) -> Result<(), StoreError> {
        self.requests.lock().take();
        let ended = self.ended.lock().take();
        ended.ok_or(StoreError::Closed)?.await.map_err(|_| StoreError::Closed)?
    }

    fn send(&self, request: Request) -> Result<(), StoreError> {
        let requests = self.requests.lock();
        let sender = requests.as_ref().ok_or(StoreError::Closed)?;
        sender.send(request).map_err(|_| StoreError::Closed)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.requests.lock().take();
        if let Some(thread) = self.thread.take() {
            // A panic there was already reported by its own thread.
            thread.join().ok();
        }
    }
}

struct Thread {
    connection: Connection,
    path: PathBuf,
    known: HashMap<RunId, Known>,
    ahead: Arc<Ahead>,
}

impl Thread {
    /// Until nobody can ask any more; then leaves one tidy file behind.
    fn serve(mut self, mut requests: mpsc::UnboundedReceiver<Request>) -> Result<(), StoreError> {
        let mut group = Vec::new();
        while requests.blocking_recv_many(&mut group, GROUP) > 0 {
            self.write(group.drain(..));
        }
        self.connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .map_err(|error| from_sqlite(&self.path, &error))
    }

    /// One transaction for the whole group; nobody is told anything before it holds.
    fn write(&mut self, group: impl ExactSizeIterator<Item = Request>) {
        let Self { connection, path, known, ahead } = self;
        let mut settles: Vec<Settle> = Vec::with_capacity(group.len());
        let held = write_group(connection, path, known, ahead, group, &mut settles);
        if held.is_err() || known.len() > KNOWN {
            known.clear();
        }
        if held.is_err() {
            ahead.clear();
        }
        settles.into_iter().for_each(|settle| settle(held.clone()));
    }
}

fn write_group(
    connection: &mut Connection,
    path: &Path,
    known: &mut HashMap<RunId, Known>,
    ahead: &Ahead,
    group: impl ExactSizeIterator<Item = Request>,
    settles: &mut Vec<Settle>,
) -> Result<(), StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(path, &error);
    let mut transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fail);
    for request in group {
        settles.push(match (request, &transaction) {
            (Request::Commit(_, sender), Err(lost)) => settle_with(sender, Err(lost.clone())),
            (Request::Change(change), Err(lost)) => change(Err(lost.clone())).1,
            (Request::Commit(prepared, sender), Ok(open)) => {
                let run = prepared.run;
                let (done, lost) = guarded(open, path, |db| write_one(db, path, known, ahead, *prepared));
                if done.is_err() {
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
                let (_, lost) = guarded(open, path, |db| {
                    let (done, told) = change(Ok(db));
                    settle = told;
                    done
                });
                transaction = lost.map_or(transaction, Err);
                settle
            }
        });
    }
    transaction?.commit().map_err(fail)
}

fn settle_with<T: Send + 'static>(
    sender: oneshot::Sender<Result<T, StoreError>>,
    done: Result<T, StoreError>,
) -> Settle {
    // The asker may have gone; what is written is written.
    Box::new(move |held| {
        sender.send(held.and(done)).ok();
    })
}

/// Runs `work` inside a savepoint, and takes it back when it is refused. The second answer says why the whole
/// transaction is lost, if it is: SQLite itself takes it back when the disk is full or broken.
fn guarded<T>(
    transaction: &rusqlite::Transaction<'_>,
    path: &Path,
    work: impl FnOnce(&Connection) -> Result<T, StoreError>,
) -> (Result<T, StoreError>, Option<StoreError>) {
    let in_savepoint = || -> rusqlite::Result<Result<T, StoreError>> {
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
            let lost = done.as_ref().err().filter(|_| transaction.is_autocommit()).cloned();
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
    let is_delivery =
        checkpoint.is_none() && frames.is_none() && claims.is_empty() && fold::is_delivery(&events);
    fold::check(run, after, row.seq, row.status, is_delivery)?;
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
