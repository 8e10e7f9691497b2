//! Runs that wait for an account that is used up: after its reset they resume by themselves, one after the other. The
//! next one goes when the one before has shown that the account can be used, or has come to rest. Who waits is in the
//! log; this is only who is first.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use amelia_core::event::{AgentEvent, EventKind, RunEvent};
use amelia_core::human::{HumanAction, HumanReply};
use amelia_core::id::RunId;
use amelia_core::quota::{ExhaustedQuota, SYSTEM};
use amelia_core::view::RunRow;
use jiff::Timestamp;
use tokio::task::JoinHandle;

use super::Orchestrator;

/// A clock that is a little behind does not make anybody too early.
const MARGIN: Duration = Duration::from_millis(20);

/// All lines, by account.
#[derive(Default)]
pub(super) struct Lines(HashMap<String, Line>);

struct Line {
    waiting: VecDeque<RunId>,
    until: Timestamp,
    /// Lets them go. Ends when no run waits any more.
    task: JoinHandle<()>,
}

/// What a line has to do next.
#[derive(Debug, PartialEq)]
enum Next {
    Wait(Timestamp),
    Go(RunId),
}

impl Lines {
    /// At the end of its line, unless it is there. Says whether there was a line.
    fn add(&mut self, account: &str, run: RunId, until: Timestamp) -> bool {
        let Some(line) = self.0.get_mut(account) else { return false };
        line.until = line.until.max(until);
        if !line.waiting.contains(&run) {
            line.waiting.push_back(run);
        }
        true
    }

    /// Nothing when the line is empty; it is gone then.
    fn next(&mut self, account: &str, waited_until: Option<Timestamp>) -> Option<Next> {
        let line = self.0.get_mut(account)?;
        if waited_until.is_none_or(|waited| waited < line.until) && !line.waiting.is_empty() {
            return Some(Next::Wait(line.until));
        }
        let next = line.waiting.pop_front();
        if next.is_none() {
            self.0.remove(account);
        }
        next.map(Next::Go)
    }

    /// No run is let go any more.
    pub(super) fn close(&mut self) -> Vec<JoinHandle<()>> {
        self.0.drain().map(|(_, line)| line.task).collect()
    }
}

impl Orchestrator {
    /// A run that has come to rest because its account is used up resumes by itself.
    pub(super) async fn release_later(&self, run: RunId) {
        if let Ok(row) = self.row(run).await {
            self.stand_in_line(&row);
        }
    }

    pub(super) fn stand_in_line(&self, row: &RunRow) {
        let Some((_, ExhaustedQuota { account, resets_at, .. })) = ExhaustedQuota::waited_for(&row.view)
        else {
            return;
        };
        let run = row.run.id;
        let mut at_work = self.0.at_work.lock();
        if at_work.is_closing || at_work.lines.add(&account, run, resets_at) {
            return;
        }
        tracing::info!(%run, account, until = %resets_at, "the account is used up");
        let (this, name) = (self.clone(), account.clone());
        let task = tokio::spawn(async move { this.let_go(&name).await });
        at_work.lines.0.insert(account, Line { waiting: VecDeque::from([run]), until: resets_at, task });
    }

    async fn let_go(&self, account: &str) {
        let mut waited = None;
        loop {
            let next = self.0.at_work.lock().lines.next(account, waited);
            match next {
                None => return,
                Some(Next::Wait(until)) => {
                    let left = until.duration_since(self.0.runs.now());
                    tokio::time::sleep(Duration::try_from(left).unwrap_or_default() + MARGIN).await;
                    waited = Some(until);
                }
                Some(Next::Go(run)) => self.release(run, account).await,
            }
        }
    }

    /// Answers a run, and waits until it has shown whether the account can be used.
    async fn release(&self, run: RunId, account: &str) {
        let Ok(row) = self.row(run).await else { return };
        // A person may have answered it, or cancelled it.
        let Some((request, _)) =
            ExhaustedQuota::waited_for(&row.view).filter(|(_, used_up)| used_up.account == account)
        else {
            return;
        };
        let mut log = self.watch(run, row.view.seq);
        let reply = HumanReply {
            request,
            action: HumanAction::Approve,
            at: self.0.runs.now(),
            by: Some(SYSTEM.to_owned()),
            message: None,
            updates: None,
            grant: None,
        };
        if let Err(error) = self.reply(run, reply).await {
            tracing::warn!(%run, "it does not resume by itself: {error}");
            return;
        }
        let shown = async {
            while let Ok(event) = log.next().await {
                if shows(&event.draft.kind) {
                    return;
                }
            }
        };
        tokio::select! {
            () = shown => {}
            () = self.wait_until_idle(run) => {}
        }
    }

    /// Waits until a run is neither at work nor queued.
    async fn wait_until_idle(&self, run: RunId) {
        loop {
            let rested = self.0.rested.notified();
            let is_idle = {
                let at_work = self.0.at_work.lock();
                !at_work.moving.contains_key(&run) && !at_work.queue.contains(run)
            };
            if is_idle {
                return;
            }
            rested.await;
        }
    }
}

/// Whether a run that was let go has shown if its account can be used: it was, or the run has come to rest.
fn shows(kind: &EventKind) -> bool {
    match kind {
        EventKind::Agent(event) => matches!(event, AgentEvent::Used(_)),
        EventKind::Run(event) => matches!(
            event,
            RunEvent::Paused { .. }
                | RunEvent::Completed { .. }
                | RunEvent::Failed { .. }
                | RunEvent::Cancelled { .. }
        ),
        _ => false,
    }
}
