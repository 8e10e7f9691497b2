//! The last words of a server: what it wrote to its error stream, and messages that were none.

use std::collections::VecDeque;
use std::sync::Arc;

use amelia_core::text::capped;
use parking_lot::Mutex;

const MOST_LINES: usize = 200;
const LONGEST_LINE: usize = 2_000;

/// Shared by a connection and those who ask what went wrong.
#[derive(Debug, Clone, Default)]
pub(crate) struct ServerLog(Arc<Mutex<VecDeque<String>>>);

impl ServerLog {
    pub(crate) fn push(&self, line: &str) {
        let line = line.trim_end();
        if line.is_empty() {
            return;
        }
        let mut lines = self.0.lock();
        if lines.len() == MOST_LINES {
            lines.pop_front();
        }
        lines.push_back(capped(line, LONGEST_LINE));
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().iter().cloned().collect()
    }

    pub(crate) fn last(&self) -> Option<String> {
        self.0.lock().back().cloned()
    }
}
