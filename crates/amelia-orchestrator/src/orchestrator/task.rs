//! One run at work: assembled, moved until it rests, and then the next one's turn.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use amelia_agents::live::{Delta, Live};
use amelia_core::event::run::{DAMAGED, RunFailure};
use amelia_core::event::system::SystemError;
use amelia_core::event::{EventKind, RunEvent, SystemEvent};
use amelia_core::id::RunId;
use amelia_core::problem::Problem;
use amelia_core::recording::Tape;
use amelia_core::store::StoreError;
use amelia_core::view::RunRow;
use amelia_graph::control::{Inbox, control};
use amelia_graph::engine::EngineError;
use futures_util::FutureExt;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{Moving, Orchestrator, Stall};
use crate::runs::Move;
use crate::tape::Waiting;

impl Orchestrator {
    /// Queues a run that is to move, unless it moves already, and starts the next one that may.
    pub(super) fn enqueue(&self, row: &RunRow) {
        let run = row.run.id;
        if !row.view.is_wanted() {
            return;
        }
        {
            let mut at_work = self.0.at_work.lock();
            if at_work.moving.contains_key(&run) {
                return;
            }
            match row.view.started_at {
                None => at_work.queue.add(run),
                Some(_) => at_work.queue.add_resumed(run),
            }
        }
        self.start_next();
    }

    fn start_next(&self) {
        self.watch_deadlines();
        while self.start_one() {}
    }

    /// Starts the next run of the queue in a task of its own, if there is a free worker for it.
    fn start_one(&self) -> bool {
        let mut at_work = self.0.at_work.lock();
        if at_work.is_closing {
            return false;
        }
        let count = at_work.moving.len();
        let Some(run) = at_work.queue.next(count) else { return false };
        at_work.stalled.remove(&run);
        let (control, inbox) = control();
        let (rest, rested) = watch::channel(false);
        let cancel = CancellationToken::new();
        let this = self.clone();
        let token = cancel.clone();
        let task = tokio::spawn(async move {
            this.execute(run, token, inbox).await;
            this.release_later(run).await;
            this.0.at_work.lock().moving.remove(&run);
            this.0.runs.touched(run);
            // Its caller may not wait any more.
            rest.send(true).ok();
            this.start_next();
            this.0.rested.notify_waiters();
        });
        tracing::info!(%run, "at work");
        at_work.moving.insert(run, Moving { cancel, control, rested, task });
        drop(at_work);
        self.0.runs.touched(run);
        true
    }

    /// A panic of a route or an update is a failure of its run, and of nothing else.
    async fn execute(&self, run: RunId, cancel: CancellationToken, inbox: Inbox) {
        let carried = AssertUnwindSafe(self.try_to_carry(run, &cancel, inbox)).catch_unwind().await;
        if let Err(failure) = carried.unwrap_or_else(|panic| Err(panicked(panic.as_ref()))) {
            tracing::error!(%run, code = failure.code, "{}", failure.message);
            self.fail(run, failure).await;
        }
    }

    async fn try_to_carry(
        &self,
        run: RunId,
        cancel: &CancellationToken,
        inbox: Inbox,
    ) -> Result<(), RunFailure> {
        // Before the run is looked at: what a command writes in this moment is seen, and counts.
        let Ok(claim) = self.0.runs.claim(run).await else { return Ok(()) };
        let row = self.row(run).await.map_err(|error| RunFailure::new("store", error))?;
        // It may have been cancelled while it was queued.
        if !row.view.is_wanted() {
            return Ok(());
        }
        let tape = Arc::new(Waiting::default());
        let recording = Arc::clone(&tape) as Arc<dyn Tape>;
        let runnable = tokio::select! {
            biased;
            () = cancel.cancelled() => return Ok(()),
            runnable = self.0.assembler.assemble(&row, self.live(), recording) => runnable?,
        };
        let how = Move { cancel: cancel.clone(), inbox, tape, claim: Some(claim), ..Move::default() };
        match runnable.run(&self.0.runs, run, how).await {
            Ok(stop) => {
                tracing::info!(%run, ?stop, "at rest");
                self.settled(run);
                Ok(())
            }
            // Another client answered first: the run is where they left it.
            Err(EngineError::NotWaiting(_) | EngineError::Ended(_) | EngineError::Moving(_)) => Ok(()),
            Err(error @ EngineError::Store(StoreError::Damaged { .. })) => {
                Err(RunFailure::new(DAMAGED, error))
            }
            Err(error) => Err(RunFailure::new("engine", error)),
        }
    }

    /// A run that cannot even be moved says why, and can be retried.
    async fn fail(&self, run: RunId, failure: RunFailure) {
        let Ok(Some(at_rest)) = self.0.runs.at_rest(run).await else { return };
        if at_rest.row.view.status.is_final() {
            return;
        }
        let error = SystemError::of(&failure, self.0.runs.new_run());
        let error = error.map(|error| EventKind::System(SystemEvent::Failed(error)));
        let failed = EventKind::Run(RunEvent::Failed { failure: failure.clone() });
        if let Err(error) = self.0.runs.record(&at_rest, error.into_iter().chain([failed]).collect()).await {
            tracing::error!(%run, "its failure cannot be saved: {error}");
            let stall = Arc::new(Stall { run, failure });
            self.0.at_work.lock().stalled.insert(run, Arc::clone(&stall));
            self.0.runs.touched(run);
            // There may be no reader.
            self.0.stalls.send(stall).ok();
        }
    }

    fn live(&self) -> Live {
        let said = self.0.runs.said();
        Arc::new(move |delta: Delta| said.say(delta))
    }
}

fn panicked(panic: &(dyn Any + Send)) -> RunFailure {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    let problem = Problem::new(format!("a step of this run panicked: {text}"))
        .with_hint("this is a bug in Amelia; please report it");
    RunFailure::new("panic", problem)
}
