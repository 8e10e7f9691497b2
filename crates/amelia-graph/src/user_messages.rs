//! What people say to a run while it moves, until one of its agents hears it.

use std::collections::VecDeque;

use amelia_core::event::human::Intervention;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// Words on their way. Each is heard once.
#[derive(Debug, Default)]
pub struct UserMessages {
    waiting: Mutex<VecDeque<Intervention>>,
    said: Notify,
}

impl UserMessages {
    /// Words that nobody has heard yet.
    #[must_use]
    pub fn new(unheard: Vec<Intervention>) -> Self {
        Self { waiting: Mutex::new(unheard.into()), said: Notify::new() }
    }

    pub(crate) fn say(&self, words: Intervention) {
        self.waiting.lock().push_back(words);
        self.said.notify_one();
    }

    /// The next words, whenever they come.
    pub(crate) async fn next(&self) -> Intervention {
        loop {
            if let Some(words) = self.waiting.lock().pop_front() {
                return words;
            }
            self.said.notified().await;
        }
    }
}
