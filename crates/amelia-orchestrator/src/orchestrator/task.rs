//! One run at work: assembled, moved until it rests, and then the next one's turn.

use std::sync::Arc;

use amelia_agents::live::{Delta, Live};
use amelia_core::event::run::Failure;
use amelia_core::event::system::SystemError;
use amelia_core::event::{EventKind, RunEvent, SystemEvent};
use amelia_core::human::HumanReply;
use amelia_core::id::RunId;
use amelia_core::recording::Tape;
use amelia_graph::control::{Inbox, control};
use amelia_graph::engine::EngineError;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{CommandError, Moving, Orchestrator, Stall};
use crate::runs::Move;
use crate::tape::Waiting;

impl Orchestrator {
    /// Puts a run at the end of the queue, and starts whoever may start.
    pub(super) fn enqueue(&self, run: RunId) {
        self.at_work().queue.add(run);
        self.start_next();
    }

    fn start_next(&self) {
        loop {
            let next = {
                let mut at_work = self.at_work();
                if at_work.is_closing {
                    return;
                }
                let count = at_work.moving.len();
                at_work.queue.next(count)
            };
            let Some(run) = next else { return };
            // It is at work already: somebody answered it.
            self.move_with(run, Vec::new()).ok();
        }
    }

    /// Moves a run in a task of its own. The answer turns true when it has come to rest.
    pub(super) fn move_with(
        &self,
        run: RunId,
        replies: Vec<HumanReply>,
    ) -> Result<watch::Receiver<bool>, CommandError> {
        let mut at_work = self.at_work();
        if at_work.is_closing {
            return Err(CommandError::ShuttingDown);
        }
        if at_work.moving.contains_key(&run) {
            return Err(CommandError::AlreadyStarted(run));
        }
        at_work.stalled.remove(&run);
        let (control, inbox) = control();
        let (rest, rested) = watch::channel(false);
        let cancel = CancellationToken::new();
        let this = self.clone();
        let token = cancel.clone();
        let task = tokio::spawn(async move {
            this.carry(run, replies, token, inbox).await;
            this.release_later(run).await;
            this.at_work().moving.remove(&run);
            this.0.runs.touched(run);
            // Nobody may be waiting for it.
            rest.send(true).ok();
            this.start_next();
            this.0.rested.notify_waiters();
        });
        tracing::info!(%run, "at work");
        at_work.moving.insert(run, Moving { cancel, control, rested: rested.clone(), task });
        drop(at_work);
        self.0.runs.touched(run);
        Ok(rested)
    }

    async fn carry(&self, run: RunId, replies: Vec<HumanReply>, cancel: CancellationToken, inbox: Inbox) {
        if let Err(failure) = self.try_to_carry(run, replies, &cancel, inbox).await {
            tracing::error!(%run, code = failure.code, "{}", failure.message);
            self.fail(run, failure).await;
        }
    }

    async fn try_to_carry(
        &self,
        run: RunId,
        replies: Vec<HumanReply>,
        cancel: &CancellationToken,
        inbox: Inbox,
    ) -> Result<(), Failure> {
        let row = self.row(run).await.map_err(|error| failure("store", &error))?;
        let tape = Arc::new(Waiting::default());
        let recording = Arc::clone(&tape) as Arc<dyn Tape>;
        let movable = tokio::select! {
            biased;
            () = cancel.cancelled() => return Ok(()),
            movable = self.0.assembler.assemble(&row, self.live(), recording) => movable?,
        };
        let how = Move { cancel: cancel.clone(), inbox, replies, tape };
        match movable.go(&self.0.runs, run, how).await {
            Ok(stop) => {
                tracing::info!(%run, ?stop, "at rest");
                Ok(())
            }
            // Somebody else answered first: the run is where they left it.
            Err(EngineError::NotWaiting(_) | EngineError::Ended(_) | EngineError::Moving(_)) => Ok(()),
            Err(error) => Err(failure("engine", &error)),
        }
    }

    /// A run that cannot even be moved says why, and can be told to try again.
    async fn fail(&self, run: RunId, failure: Failure) {
        let Ok(row) = self.row(run).await else { return };
        if row.view.status.is_final() {
            return;
        }
        let error = SystemError::of(&failure, self.0.runs.new_run());
        let error = error.map(|error| EventKind::System(SystemEvent::Failed(error)));
        let failed = EventKind::Run(RunEvent::Failed { failure: failure.clone() });
        if let Err(error) = self.0.runs.record_all(&row, error.into_iter().chain([failed])).await {
            tracing::error!(%run, "its failure cannot be written down: {error}");
            let stall = Arc::new(Stall { run, failure });
            self.at_work().stalled.insert(run, Arc::clone(&stall));
            self.0.runs.touched(run);
            // Nobody may be looking.
            self.0.stalls.send(stall).ok();
        }
    }

    fn live(&self) -> Live {
        let deltas = self.0.deltas.clone();
        Arc::new(move |delta: Delta| {
            deltas.send(delta.run, Arc::new(delta));
        })
    }
}

fn failure(code: &str, error: &impl ToString) -> Failure {
    Failure { code: code.to_owned(), message: error.to_string(), node: None }
}
