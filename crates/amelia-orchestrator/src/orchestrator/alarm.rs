//! Questions with a deadline: when it has passed without an answer, silence is the answer. What waits until when is in the
//! log; this is only an alarm clock.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use amelia_core::human::{HumanAction, HumanReply};
use amelia_core::view::RunRow;
use jiff::Timestamp;
use tokio::sync::mpsc::UnboundedReceiver;

use super::{Inner, Orchestrator};
use crate::deadlines::Deadline;

/// How long to sleep at most: the clock of the machine may be set meanwhile.
const LONGEST_SLEEP: Duration = Duration::from_secs(60);

impl Orchestrator {
    /// Starts the alarm clock, unless it runs.
    pub(super) fn watch_deadlines(&self) {
        let Some(asked) = self.0.runs.deadlines().read() else { return };
        let inner = Arc::downgrade(&self.0);
        let task = tokio::spawn(async move { ring(&inner, asked).await });
        self.0.at_work.lock().alarm = Some(task);
    }

    /// Questions of a run that were asked before this process began.
    pub(super) fn remember_deadlines(&self, row: &RunRow) {
        for request in &row.view.pending {
            self.0.runs.deadlines().add(row.run.id, request);
        }
    }

    async fn time_out(&self, due: Deadline) {
        let reply =
            HumanReply { action: HumanAction::TimedOut, ..HumanReply::go_on(due.request, self.0.runs.now()) };
        // It may have an answer by now, or the run may be cancelled.
        if let Err(error) = self.reply(due.run, reply).await {
            tracing::debug!(run = %due.run, "its deadline has no effect: {error}");
        }
    }
}

/// Answers every question when its time has come. Ends with the orchestrator.
async fn ring(inner: &Weak<Inner>, mut asked: UnboundedReceiver<Deadline>) {
    let mut waiting: BinaryHeap<Reverse<Deadline>> = BinaryHeap::new();
    loop {
        let Some(now) = inner.upgrade().map(|inner| inner.runs.now()) else { return };
        while let Some(due) = pop_due(&mut waiting, now) {
            let Some(inner) = inner.upgrade() else { return };
            tokio::spawn(async move { Orchestrator(inner).time_out(due).await });
        }
        let sleep = waiting.peek().map_or(LONGEST_SLEEP, |Reverse(next)| {
            Duration::try_from(next.at.duration_since(now)).unwrap_or_default().min(LONGEST_SLEEP)
        });
        tokio::select! {
            next = asked.recv() => match next {
                Some(deadline) => waiting.push(Reverse(deadline)),
                None => return,
            },
            () = tokio::time::sleep(sleep) => {}
        }
    }
}

fn pop_due(waiting: &mut BinaryHeap<Reverse<Deadline>>, now: Timestamp) -> Option<Deadline> {
    if waiting.peek()?.0.at > now {
        return None;
    }
    waiting.pop().map(|Reverse(due)| due)
}
