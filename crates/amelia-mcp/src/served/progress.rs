//! How far a call is, said to the client that asked for it.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use tokio::sync::mpsc;

/// Says how far one call is. Without a token of the client, nothing is said.
pub struct ProgressReporter {
    token: Option<Value>,
    said: AtomicU64,
    notifications: mpsc::Sender<Value>,
}

impl ProgressReporter {
    pub(super) fn new(token: Option<Value>, notifications: mpsc::Sender<Value>) -> Self {
        Self { token, said: AtomicU64::new(0), notifications }
    }

    /// Says what has happened. A client that reads too slowly misses some of it, and the call does not wait for it.
    pub fn report(&self, message: &str) {
        let Some(token) = &self.token else { return };
        let number = self.said.fetch_add(1, Ordering::Relaxed) + 1;
        let params = json!({"progressToken": token, "progress": number, "message": message});
        let said = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
        self.notifications.try_send(said).ok();
    }
}
