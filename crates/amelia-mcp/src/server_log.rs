//! The last words of a server: what it wrote to its error stream, and messages that were none.

use std::collections::VecDeque;
use std::sync::Arc;

use amelia_core::text::capped;
use parking_lot::Mutex;

const MOST_LINES: usize = 200;
const LONGEST_LINE: usize = 2_000;
/// Of a line in an error.
const LONGEST_SHOWN: usize = 100;

/// Lines that a server may print before its first message: a greeting, a notice about a newer version.
const MOST_STRAYS: usize = 50;

/// Shared by a connection and those who ask what went wrong.
#[derive(Debug, Clone, Default)]
pub(crate) struct ServerLog(Arc<Mutex<Lines>>);

#[derive(Debug, Default)]
struct Lines {
    last: VecDeque<String>,
    /// What the server has printed in the place of its first message: how many lines, and the first of them.
    strays: usize,
    stray: Option<String>,
}

impl ServerLog {
    /// A new connection is opened: what was printed before says nothing about it.
    pub(crate) fn begin(&self) {
        self.spoke();
    }

    /// The server has sent a message, so it speaks the protocol.
    pub(crate) fn spoke(&self) {
        let mut lines = self.0.lock();
        (lines.strays, lines.stray) = (0, None);
    }

    pub(crate) fn push(&self, line: &str) {
        let line = line.trim_end();
        if line.is_empty() {
            return;
        }
        let lines = &mut self.0.lock().last;
        if lines.len() == MOST_LINES {
            lines.pop_front();
        }
        lines.push_back(capped(line, LONGEST_LINE));
    }

    /// Keeps a line that is no message. Whether there were too many, so that a message is not to be expected.
    pub(crate) fn push_stray(&self, line: &str) -> bool {
        self.push(line);
        let mut lines = self.0.lock();
        lines.strays += 1;
        if lines.stray.is_none() {
            lines.stray = Some(capped(line.trim(), LONGEST_SHOWN));
        }
        lines.strays > MOST_STRAYS
    }

    /// The first line that a server has printed in the place of its first message.
    pub(crate) fn stray(&self) -> Option<String> {
        self.0.lock().stray.clone()
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().last.iter().cloned().collect()
    }

    pub(crate) fn last(&self) -> Option<String> {
        self.0.lock().last.back().cloned()
    }
}
