//! The handle on all runs of a process: start, answer, pause, cancel, watch. Cheap to clone; runs go on in tasks of
//! their own, which end when a run comes to rest.

mod queue;
mod release;
mod steer;
mod task;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use amelia_core::budget::Budget;
use amelia_core::event::human::{Intervention, InterventionKind};
use amelia_core::event::run::Failure;
use amelia_core::event::{EventKind, HumanEvent, RunEvent};
use amelia_core::human::{HumanAction, HumanReply};
use amelia_core::id::{RunId, Seq};
use amelia_core::message::Object;
use amelia_core::quota::{SYSTEM, UsedUp};
use amelia_core::recording::Tape;
use amelia_core::run::{RunSpec, RunStatus};
use amelia_core::store::{RunFilter, StoreError};
use amelia_core::view::RunRow;
use amelia_graph::control::{Control, ControlError};
use amelia_graph::engine::{EngineError, Stop};
use async_trait::async_trait;
use tokio::sync::{Notify, broadcast, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub use amelia_agents::live::{Delta, Live};

use self::queue::Queue;
use self::release::Lines;
use crate::bus::{Feed, Watch};
use crate::channels::Channels;
use crate::runs::{Move, Runs};

/// Pieces of text that may wait for a slow reader; it misses some when there are more.
const DELTAS: usize = 4096;
/// Runs that may stall before a slow reader hears of it; the state of each can be asked for, too.
const STALLS: usize = 256;
/// A cancelled run has come to rest by then, or the caller is told that it is still at it.
const CANCEL: Duration = Duration::from_secs(5);

/// Makes runs movable: the only one who knows graphs, drivers and places.
#[async_trait]
pub trait Assembler: Send + Sync {
    /// Everything that a run needs. A failure is the run's: it says what to do, and the run can be told to try again.
    async fn assemble(
        &self,
        row: &RunRow,
        live: Live,
        tape: Arc<dyn Tape>,
    ) -> Result<Box<dyn Movable>, Failure>;

    /// Words as they may be kept.
    fn clean_text(&self, row: &RunRow, text: &str) -> Result<String, Failure> {
        let _ = row;
        Ok(text.to_owned())
    }

    /// An answer as it may be kept: whoever typed a secret into it does not find it in the log.
    fn clean(&self, row: &RunRow, reply: HumanReply) -> Result<HumanReply, Failure> {
        let _ = row;
        Ok(reply)
    }

    /// A person lets a run go on although its account is used up: it may be called again.
    fn lift(&self, account: &str) {
        let _ = account;
    }
}

/// A run with everything that it needs.
#[async_trait]
pub trait Movable: Send + Sync {
    async fn go(&self, runs: &Runs, run: RunId, how: Move) -> Result<Stop, EngineError>;
}

/// Why a command came to nothing. Nothing was changed then.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CommandError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("run {0} has ended")]
    Ended(RunId),
    #[error("run {0} does not wait for this answer")]
    NotWaiting(RunId),
    #[error("run {0} is not at work")]
    NotRunning(RunId),
    #[error("run {0} is neither at work nor at a stop")]
    NotStopped(RunId),
    #[error("run {0} is at work\n  hint: pause it first")]
    AtWork(RunId),
    #[error("run {0} was started before")]
    AlreadyStarted(RunId),
    #[error("{place} is in use by run {by}\n  hint: wait for it, cancel it, or do not work in place")]
    PlaceTaken { place: String, by: RunId },
    #[error("run {0} is still at something that does not stop")]
    StillAtIt(RunId),
    #[error("{}", .0.message)]
    Refused(Failure),
    #[error("the server is shutting down")]
    ShuttingDown,
}

/// When a new run starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// As soon as there is room.
    Soon,
    /// When it is told to.
    Told,
}

/// All runs of this process.
#[derive(Clone)]
pub struct Orchestrator(Arc<Inner>);

struct Inner {
    runs: Runs,
    assembler: Arc<dyn Assembler>,
    at_work: Mutex<AtWork>,
    deltas: Channels<Arc<Delta>>,
    stalls: broadcast::Sender<Arc<Stall>>,
    /// Some run has come to rest.
    rested: Notify,
}

/// A run that nobody moves any more though its log does not say so, because nothing could be written: a full disk.
#[derive(Debug, Clone, PartialEq)]
pub struct Stall {
    pub run: RunId,
    pub failure: Failure,
}

struct AtWork {
    queue: Queue,
    moving: HashMap<RunId, Moving>,
    stalled: HashMap<RunId, Arc<Stall>>,
    lines: Lines,
    is_closing: bool,
}

/// A run at work.
struct Moving {
    cancel: CancellationToken,
    control: Control,
    /// Turns true when the run has come to rest.
    rested: watch::Receiver<bool>,
    task: JoinHandle<()>,
}

impl Orchestrator {
    /// At most `max_concurrent` runs are at work at a time; those that a person has answered go on beside them.
    #[must_use]
    pub fn new(runs: Runs, assembler: Arc<dyn Assembler>, max_concurrent: usize) -> Self {
        let (moving, stalled) = (HashMap::new(), HashMap::new());
        let (queue, lines) = (Queue::new(max_concurrent), Lines::default());
        let at_work = AtWork { queue, moving, stalled, lines, is_closing: false };
        let (deltas, stalls) = (Channels::new(DELTAS), broadcast::Sender::new(STALLS));
        let (at_work, rested) = (Mutex::new(at_work), Notify::new());
        Self(Arc::new(Inner { runs, assembler, at_work, deltas, stalls, rested }))
    }

    /// The runs themselves, to look at.
    #[must_use]
    pub fn runs(&self) -> &Runs {
        &self.0.runs
    }

    /// Creates a run. A second one with the same key is the first one.
    pub async fn start(&self, spec: RunSpec, when: When) -> Result<RunId, CommandError> {
        if let Some(place) = spec.place.as_ref().filter(|place| place.in_place) {
            self.check_place(&place.repository, spec.idempotency_key.as_deref()).await?;
        }
        let run = match when {
            When::Told => self.0.runs.create(spec).await?,
            When::Soon => self.0.runs.create_queued(spec).await?,
        };
        let row = self.row(run).await?;
        tracing::info!(%run, graph = %row.run.spec.graph, "ordered");
        if row.view.status == RunStatus::Pending && row.view.queued_at.is_some() {
            self.enqueue(run);
        }
        Ok(run)
    }

    /// Lets a run go on that was only created or forked, or has failed.
    pub async fn launch(&self, run: RunId) -> Result<(), CommandError> {
        let row = self.row(run).await?;
        match row.view.status {
            RunStatus::Completed | RunStatus::Cancelled => return Err(CommandError::Ended(run)),
            // A fork that nobody has moved yet.
            RunStatus::Running if !self.is_moving(run) => {}
            RunStatus::Running | RunStatus::Waiting(_) => return Err(CommandError::AlreadyStarted(run)),
            RunStatus::Pending if row.view.queued_at.is_some() => {}
            RunStatus::Pending => {
                self.0.runs.record(&row, EventKind::Run(RunEvent::Queued)).await?;
            }
            RunStatus::Failed => {}
        }
        self.enqueue(run);
        Ok(())
    }

    /// Answers a question. Durable when it returns `Ok`; the run goes on by itself.
    pub async fn reply(&self, run: RunId, reply: HumanReply) -> Result<(), CommandError> {
        let row = self.row(run).await?;
        let reply = self.0.assembler.clean(&row, reply).map_err(CommandError::Refused)?;
        if let Some(account) = lifted(&row, &reply) {
            self.0.assembler.lift(&account);
        }
        if let Some(control) = self.control(run) {
            match control.reply(reply.clone()).await {
                Ok(()) => return Ok(()),
                Err(ControlError::NotWaiting(_)) => return Err(CommandError::NotWaiting(run)),
                // It came to rest in this moment.
                Err(ControlError::NotRunning) => self.wait_for_rest(run).await,
            }
        }
        self.take_up(run, vec![reply]).await
    }

    /// Sets other limits for a run that is not at work. They count from its next move on.
    pub async fn limit(&self, run: RunId, budget: Budget) -> Result<(), CommandError> {
        let row = self.row(run).await?;
        match row.view.status {
            RunStatus::Completed | RunStatus::Cancelled => Err(CommandError::Ended(run)),
            _ if self.is_moving(run) => Err(CommandError::AtWork(run)),
            _ => {
                self.0.runs.record(&row, EventKind::Run(RunEvent::Limited { budget })).await?;
                Ok(())
            }
        }
    }

    /// Says something to a run: an agent of it hears it as soon as it can, or when the run goes on. Durable when it returns
    /// `Ok`.
    pub async fn say(&self, run: RunId, text: &str) -> Result<(), CommandError> {
        let row = self.row(run).await?;
        if row.view.status.is_final() && row.view.status != RunStatus::Failed {
            return Err(CommandError::Ended(run));
        }
        let text = self.0.assembler.clean_text(&row, text).map_err(CommandError::Refused)?;
        let words = Intervention {
            id: self.0.runs.new_run().to_string(),
            kind: InterventionKind::Instruction,
            details: Object::from_iter([("message".to_owned(), text.into())]),
            by: None,
        };
        if let Some(control) = self.control(run) {
            match control.say(words.clone()).await {
                Ok(()) => return Ok(()),
                // It came to rest in this moment.
                Err(_) => self.wait_for_rest(run).await,
            }
        }
        let row = self.row(run).await?;
        self.0.runs.record(&row, EventKind::Human(HumanEvent::Intervened(words))).await?;
        Ok(())
    }

    /// Stops a run at once, and asks before it goes on. Durable when it returns `Ok`.
    pub async fn pause(&self, run: RunId) -> Result<(), CommandError> {
        let row = self.row(run).await?;
        let control = self.control(run).ok_or(match row.view.status.is_final() {
            true => CommandError::Ended(run),
            false => CommandError::NotRunning(run),
        })?;
        control.halt().await.map_err(|_| CommandError::NotRunning(run))
    }

    /// Ends a run, whatever it is at. What it has done is kept.
    pub async fn cancel(&self, run: RunId) -> Result<(), CommandError> {
        let row = self.row(run).await?;
        if matches!(row.view.status, RunStatus::Completed | RunStatus::Cancelled) {
            return Err(CommandError::Ended(run));
        }
        self.at_work().queue.forget(run);
        let token = self.at_work().moving.get(&run).map(|moving| moving.cancel.clone());
        if let Some(token) = token {
            token.cancel();
            if tokio::time::timeout(CANCEL, self.wait_for_rest(run)).await.is_err() {
                return Err(CommandError::StillAtIt(run));
            }
        }
        let row = self.row(run).await?;
        match row.view.status {
            RunStatus::Completed => Err(CommandError::Ended(run)),
            RunStatus::Cancelled => Ok(()),
            RunStatus::Pending | RunStatus::Running | RunStatus::Waiting(_) | RunStatus::Failed => {
                let cancelled = RunEvent::Cancelled { by: None };
                self.0.runs.record(&row, EventKind::Run(cancelled)).await?;
                tracing::info!(%run, "cancelled");
                Ok(())
            }
        }
    }

    /// Goes on with every run that was at work, and with the queue, in their old order. For the start of a process.
    pub async fn recover(&self) -> Result<usize, CommandError> {
        let mut rows =
            self.0.runs.store().runs(&RunFilter { unfinished: true, ..RunFilter::default() }).await?;
        rows.sort_by_key(|row| row.view.updated_at);
        rows.iter().for_each(|row| self.stand_in_line(row));
        rows.retain(|row| match row.view.status {
            RunStatus::Running => true,
            RunStatus::Pending => row.view.queued_at.is_some(),
            RunStatus::Waiting(_) | RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled => false,
        });
        rows.sort_by_key(|row| {
            (row.view.status == RunStatus::Pending, row.view.queued_at, row.run.created_at)
        });
        rows.iter().for_each(|row| self.enqueue(row.run.id));
        Ok(rows.len())
    }

    /// Lets go of everything at once. Runs at work go on at the next start.
    pub async fn close(&self) {
        let tasks: Vec<JoinHandle<()>> = {
            let mut at_work = self.at_work();
            at_work.is_closing = true;
            let lines = at_work.lines.close();
            at_work.moving.drain().map(|(_, moving)| moving.task).chain(lines).collect()
        };
        for task in tasks {
            task.abort();
            // Aborted is what is wanted.
            task.await.ok();
        }
    }

    /// The events of a run after `after`, then live.
    #[must_use]
    pub fn watch(&self, run: RunId, after: Seq) -> Watch {
        self.0.runs.watch(run, after)
    }

    /// The events of all runs after `cursor`, then live.
    #[must_use]
    pub fn feed(&self, cursor: u64) -> Feed {
        self.0.runs.feed(cursor)
    }

    /// What is being said now, of all runs. Never stored; a slow reader misses some.
    #[must_use]
    pub fn deltas(&self) -> broadcast::Receiver<Arc<Delta>> {
        self.0.deltas.all()
    }

    /// The same of one run.
    #[must_use]
    pub fn deltas_of(&self, run: RunId) -> broadcast::Receiver<Arc<Delta>> {
        self.0.deltas.of(run)
    }

    /// Runs that stall from now on.
    #[must_use]
    pub fn stalls(&self) -> broadcast::Receiver<Arc<Stall>> {
        self.0.stalls.subscribe()
    }

    /// Why a run that should be at work is not, and could not say so.
    #[must_use]
    pub fn stall(&self, run: RunId) -> Option<Arc<Stall>> {
        self.at_work().stalled.get(&run).cloned()
    }

    /// How many runs are at work, and how many wait for their turn.
    #[must_use]
    pub fn load(&self) -> (usize, usize) {
        let at_work = self.at_work();
        (at_work.moving.len(), at_work.queue.len())
    }

    /// Whether a run is at work in this process.
    #[must_use]
    pub fn is_moving(&self, run: RunId) -> bool {
        self.at_work().moving.contains_key(&run)
    }

    /// Waits until a run is not at work any more.
    pub async fn wait_for_rest(&self, run: RunId) {
        let rested = self.at_work().moving.get(&run).map(|moving| moving.rested.clone());
        if let Some(mut rested) = rested {
            // A task that is gone has come to rest, too.
            rested.wait_for(|rested| *rested).await.ok();
        }
    }

    async fn row(&self, run: RunId) -> Result<RunRow, CommandError> {
        Ok(self.0.runs.store().run(run).await?.ok_or(StoreError::NotFound(run))?)
    }

    /// One run at a time in a checkout. An order that is repeated does not stand in its own way.
    async fn check_place(&self, repository: &Path, key: Option<&str>) -> Result<(), CommandError> {
        let unfinished = RunFilter { unfinished: true, ..RunFilter::default() };
        let rows = self.0.runs.store().runs(&unfinished).await?;
        let is_there = |row: &&RunRow| {
            let is_same = key.is_some() && row.run.spec.idempotency_key.as_deref() == key;
            let place = row.run.spec.place.as_ref();
            !is_same && place.is_some_and(|place| place.in_place && place.repository == repository)
        };
        match rows.iter().find(is_there) {
            None => Ok(()),
            Some(row) => {
                Err(CommandError::PlaceTaken { place: repository.display().to_string(), by: row.run.id })
            }
        }
    }

    fn control(&self, run: RunId) -> Option<Control> {
        self.at_work().moving.get(&run).map(|moving| moving.control.clone())
    }

    fn at_work(&self) -> MutexGuard<'_, AtWork> {
        self.0.at_work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The account that a person wants to be tried, whatever its provider has said.
fn lifted(row: &RunRow, reply: &HumanReply) -> Option<String> {
    let (request, used_up) = UsedUp::waited_for(&row.view)?;
    let is_a_persons = reply.request == request && reply.by.as_deref() != Some(SYSTEM);
    (is_a_persons && reply.action != HumanAction::Reject).then_some(used_up.account)
}
