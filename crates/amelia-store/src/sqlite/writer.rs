//! The one line in which everything that writes stands. The caller of a request that is alone in it writes it
//! where it is; a thread writes the rest in groups. Waking a thread and being woken by it costs one run alone more than
//! the write itself; many runs at once gain more from sharing an fsync.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use amelia_core::id::{RunId, Seq};
use amelia_core::store::{Commit, CommitReceipt, StoreError, StoreFuture};
use parking_lot::{Condvar, Mutex};
use rusqlite::Connection;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::oneshot;
use tokio::task::block_in_place;

use super::ahead::Ahead;
use super::group::{Request, Transactions, settle_with};
use super::prepared::Prepared;

/// Requests that share one transaction at most.
const GROUP: usize = 256;

/// A handle on the line and on the thread that writes.
pub(super) struct Writer {
    line: Arc<Line>,
    ended: Mutex<Option<oneshot::Receiver<Result<(), StoreError>>>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(connection: Connection, path: &Path) -> Result<Self, StoreError> {
        let (end, ended) = oneshot::channel();
        let line = Arc::new(Line::new(Some(Transactions::new(connection, path))));
        let served = Arc::clone(&line);
        let thread = std::thread::Builder::new()
            .name("store-write".to_owned())
            .spawn(move || {
                // The end may not be waited for.
                end.send(served.serve()).ok();
            })
            .map_err(|error| StoreError::Io {
                what: "writing thread".to_owned(),
                detail: error.to_string(),
            })?;
        Ok(Self { line, ended: Mutex::new(Some(ended)), thread: Some(thread) })
    }

    /// Writes nothing.
    pub(super) fn none() -> Self {
        let line = Line::new(None);
        line.close();
        Self { line: Arc::new(line), ended: Mutex::new(None), thread: None }
    }

    /// In line when this returns, whether or not the answer is waited for.
    pub(super) fn commit(&self, run: RunId, after: Seq, commit: Commit) -> StoreFuture<CommitReceipt> {
        let (sender, answer) = oneshot::channel();
        let sent = Prepared::new(&self.line.ahead, run, after, commit)
            .and_then(|prepared| self.line.push(Request::Commit(Box::new(prepared), sender)));
        Box::pin(async move {
            sent?.write();
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
        let sent = self.line.push(Request::Change(Box::new(move |connection| {
            let changed = connection.and_then(change);
            let done = changed.as_ref().map(|_| ()).map_err(Clone::clone);
            (done, settle_with(sender, changed))
        })));
        sent?.write();
        answer.await.map_err(|_| StoreError::Closed)?
    }

    /// Takes no more requests, and waits until those under way are written.
    pub(super) async fn close(&self) -> Result<(), StoreError> {
        self.line.close();
        let ended = self.ended.lock().take();
        ended.ok_or(StoreError::Closed)?.await.map_err(|_| StoreError::Closed)?
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.line.close();
        if let Some(thread) = self.thread.take() {
            // A panic there was already reported by its own thread.
            thread.join().ok();
        }
    }
}

/// What waits, and what writes it. It needs no bound of its own: every request has a caller that waits.
struct Line {
    queue: Mutex<Queue>,
    /// There is something for the thread.
    is_due: Condvar,
    /// Locked before `queue`, and while anything is taken out of it: so requests are written in the order of the line.
    transactions: Mutex<Option<Transactions>>,
    ahead: Ahead,
}

#[derive(Default)]
struct Queue {
    requests: VecDeque<Request>,
    is_closed: bool,
}

impl Line {
    fn new(transactions: Option<Transactions>) -> Self {
        let (queue, transactions) = (Mutex::default(), Mutex::new(transactions));
        Self { queue, is_due: Condvar::new(), transactions, ahead: Ahead::default() }
    }

    fn push(self: &Arc<Self>, request: Request) -> Result<Submitted, StoreError> {
        let mut queue = self.queue.lock();
        if queue.is_closed {
            return Err(StoreError::Closed);
        }
        queue.requests.push_back(request);
        Ok(Submitted(Arc::clone(self)))
    }

    fn close(&self) {
        self.queue.lock().is_closed = true;
        self.is_due.notify_one();
    }

    /// The thread's work, until nothing can be asked any more.
    fn serve(&self) -> Result<(), StoreError> {
        while self.wait() {
            let mut transactions = self.transactions.lock();
            // Someone may have been faster.
            let group: Vec<_> = {
                let mut queue = self.queue.lock();
                let size = queue.requests.len().min(GROUP);
                queue.requests.drain(..size).collect()
            };
            if let Some(transactions) = transactions.as_mut().filter(|_| !group.is_empty()) {
                transactions.write(&self.ahead, group);
            }
        }
        self.transactions.lock().take().map_or(Ok(()), Transactions::close)
    }

    /// Whether there is more to write.
    fn wait(&self) -> bool {
        let mut queue = self.queue.lock();
        while queue.requests.is_empty() && !queue.is_closed {
            self.is_due.wait(&mut queue);
        }
        !queue.requests.is_empty()
    }

    /// Writes the one request in the line here, if nothing else is being written and this thread may block. Where the
    /// last transaction was shared, the next will be: that is the thread's. While they are brief, the tasks of this thread wait
    /// for it: giving them to another thread means waking it for every commit.
    fn write_here(&self) {
        if !may_block() {
            return;
        }
        let Some(mut transactions) = self.transactions.try_lock() else { return };
        let Some(transactions) = transactions.as_mut().filter(|it| it.last <= 1) else { return };
        let alone = {
            let mut queue = self.queue.lock();
            if queue.requests.len() > 1 { None } else { queue.requests.pop_front() }
        };
        let Some(request) = alone else { return };
        match transactions.is_brief() {
            true => transactions.write(&self.ahead, vec![request]),
            false => block_in_place(|| transactions.write(&self.ahead, vec![request])),
        }
    }
}

/// Whether other tasks continue elsewhere while this one blocks its thread.
fn may_block() -> bool {
    Handle::try_current().is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread)
}

/// A request in the line. The thread is woken when it is not written at once.
struct Submitted(Arc<Line>);

impl Submitted {
    fn write(self) {
        self.0.write_here();
    }
}

impl Drop for Submitted {
    /// After the transaction: what came meanwhile found it taken.
    fn drop(&mut self) {
        if !self.0.queue.lock().requests.is_empty() {
            self.0.is_due.notify_one();
        }
    }
}
