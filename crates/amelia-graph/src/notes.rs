//! Facts of a visit that need no commit of their own: they go with its next one, or after a moment without one.
//! Only what may be lost with the process belongs here: it is made again, or it is nothing but a figure.

use std::time::Duration;

use amelia_core::event::Draft;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

/// How long a note waits for company: longer than a commit takes, shorter than a person notices.
const NOTE_DELAY: Duration = Duration::from_millis(5);

#[derive(Default)]
pub(crate) struct Notes {
    waiting: Mutex<Waiting>,
    added: Notify,
}

#[derive(Default)]
struct Waiting {
    drafts: Vec<Draft>,
    /// When the oldest of them came.
    since: Option<Instant>,
}

impl Notes {
    pub(crate) fn add(&self, drafts: Vec<Draft>) {
        let mut waiting = self.waiting.lock();
        waiting.drafts.extend(drafts);
        if !waiting.drafts.is_empty() && waiting.since.is_none() {
            waiting.since = Some(Instant::now());
            self.added.notify_one();
        }
    }

    /// All of them, in the order they came.
    pub(crate) fn take(&self) -> Vec<Draft> {
        let mut waiting = self.waiting.lock();
        waiting.since = None;
        std::mem::take(&mut waiting.drafts)
    }

    /// All of them, which stay.
    pub(crate) fn waiting(&self) -> Vec<Draft> {
        self.waiting.lock().drafts.clone()
    }

    /// Until notes have waited long enough. May be dropped and asked again.
    pub(crate) async fn due(&self) {
        loop {
            let since = self.waiting.lock().since;
            match since {
                Some(since) if since.elapsed() >= NOTE_DELAY => return,
                // They may be taken and others come meanwhile: look again.
                Some(since) => tokio::time::sleep_until(since + NOTE_DELAY).await,
                None => self.added.notified().await,
            }
        }
    }
}
