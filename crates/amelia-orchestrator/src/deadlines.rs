//! Which questions are answered by silence, and when: on their way from the log to the alarm clock.

use std::sync::Arc;

use amelia_core::event::{Event, EventKind, HumanEvent};
use amelia_core::human::HumanRequest;
use amelia_core::id::{RequestId, RunId};
use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// When which question is answered by silence. The earliest is the smallest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Deadline {
    pub(crate) at: Timestamp,
    pub(crate) run: RunId,
    pub(crate) request: RequestId,
}

/// All of them, as they are asked.
#[derive(Clone)]
pub(crate) struct Deadlines {
    asked: UnboundedSender<Deadline>,
    read: Arc<Mutex<Option<UnboundedReceiver<Deadline>>>>,
}

impl Default for Deadlines {
    fn default() -> Self {
        let (asked, read) = unbounded_channel();
        Self { asked, read: Arc::new(Mutex::new(Some(read))) }
    }
}

impl Deadlines {
    /// Keeps the deadline of a question that was written down.
    pub(crate) fn notice(&self, event: &Event) {
        if let EventKind::Human(HumanEvent::Requested(request)) = &event.draft.kind {
            self.add(event.run, request);
        }
    }

    pub(crate) fn add(&self, run: RunId, request: &HumanRequest) {
        if let Some(at) = request.deadline {
            // Without a reader nothing is answered by silence.
            self.asked.send(Deadline { at, run, request: request.id }).ok();
        }
    }

    /// The only reader; `None` when there is one.
    pub(crate) fn read(&self) -> Option<UnboundedReceiver<Deadline>> {
        self.read.lock().take()
    }
}
