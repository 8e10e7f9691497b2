//! Threads that read. Each has a connection of its own and sees the last commit; none blocks the writer.

use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use amelia_core::store::StoreError;
use parking_lot::Mutex;
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::error::from_sqlite;
use super::open;
use super::rows::path_of;

/// Enough for a server and its dashboard; each costs a connection and its page cache.
const THREADS: usize = 2;

type Question = Box<dyn FnOnce(&Connection) + Send>;

/// A handle on the reading threads.
pub(super) struct Readers {
    questions: Mutex<Option<mpsc::Sender<Question>>>,
    threads: Vec<JoinHandle<()>>,
}

impl Readers {
    pub(super) fn start(path: &Path) -> Result<Self, StoreError> {
        let (sender, receiver) = mpsc::channel::<Question>();
        let receiver = Arc::new(Mutex::new(receiver));
        let mut threads = Vec::new();
        for number in 0..THREADS {
            let connection = open::readable(path)?;
            let receiver = Arc::clone(&receiver);
            let thread = std::thread::Builder::new()
                .name(format!("store-read-{number}"))
                .spawn(move || answer_all(&connection, &receiver))
                .map_err(|error| StoreError::Io {
                    what: "reading thread".to_owned(),
                    detail: error.to_string(),
                })?;
            threads.push(thread);
        }
        Ok(Self { questions: Mutex::new(Some(sender)), threads })
    }

    /// Runs `question` on one of the threads.
    pub(super) async fn ask<T, Q>(&self, question: Q) -> Result<T, StoreError>
    where
        T: Send + 'static,
        Q: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let (sender, answer) = oneshot::channel();
        let job: Question = Box::new(move |connection| {
            // All statements of one question see the same moment, without what is committed meanwhile.
            let moment = connection.unchecked_transaction();
            let answer = moment
                .map_err(|error| from_sqlite(&path_of(connection), &error))
                .and_then(|moment| question(&moment));
            // The asker may have gone; then the answer is not wanted.
            sender.send(answer).ok();
        });
        self.send(job)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }

    /// Takes no more questions; those under way are answered.
    pub(super) fn close(&self) {
        self.questions.lock().take();
    }

    fn send(&self, job: Question) -> Result<(), StoreError> {
        let questions = self.questions.lock();
        questions.as_ref().ok_or(StoreError::Closed)?.send(job).map_err(|_| StoreError::Closed)
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.close();
        for thread in self.threads.drain(..) {
            // A panic there was already reported by its own thread.
            thread.join().ok();
        }
    }
}

fn answer_all(connection: &Connection, questions: &Mutex<mpsc::Receiver<Question>>) {
    loop {
        let next = questions.lock().recv();
        match next {
            Ok(question) => question(connection),
            Err(mpsc::RecvError) => return,
        }
    }
}
