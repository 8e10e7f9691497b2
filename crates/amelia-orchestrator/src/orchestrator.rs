//! The handle on all runs of a process: start, answer, pause, cancel, watch. Cheap to clone; runs execute in tasks of
//! their own, which end when a run comes to rest.

mod alarm;
mod checking;
mod command;
mod deliver;
mod edit;
mod intervene;
mod queue;
mod release;
mod steer;
mod task;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use amelia_core::checkpoint::LoadedCheckpoint;
use amelia_core::event::run::RunFailure;
use amelia_core::event::{EventKind, RunEvent};
use amelia_core::guardrail::CheckedInput;
use amelia_core::human::HumanReply;
use amelia_core::id::{RunId, Seq};
use amelia_core::problem::{Hinted, Problem};
use amelia_core::recording::Tape;
use amelia_core::run::{RunSpec, RunStatus};
use amelia_core::store::{RunFilter, StoreError};
use amelia_core::view::RunRow;
use amelia_graph::control::Control;
use amelia_graph::editing::{EditedState, StateEdit};
use amelia_graph::engine::{EngineError, Stop};
use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::sync::{Notify, broadcast, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub use amelia_agents::live::{Delta, Live};

pub use self::command::Instruction;
pub use self::intervene::Intervened;

use self::queue::Queue;
use self::release::Lines;
use crate::bus::{Feed, LogWatch};
use crate::runs::{Move, Runs};
use crate::service::ServiceError;

/// How long a run that has come to rest may take to clean up when the program ends.
const REST_TIMEOUT: Duration = Duration::from_secs(5);
/// Runs that may stall before a slow reader hears of it; the state of each can be asked for, too.
const STALLS: usize = 256;
/// A cancelled run has come to rest by then, or the caller learns that it still works.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a caller waits for a run that is resumed to say that it is running.
const WAKE_TIMEOUT: Duration = Duration::from_secs(2);

/// Makes runs movable: the only one who knows graphs, drivers and places.
#[async_trait]
pub trait Assembler: Send + Sync {
    /// Everything that a run needs. A failure is the run's: it says what to do, and the run can be retried.
    async fn assemble(
        &self,
        row: &RunRow,
        live: Live,
        tape: Arc<dyn Tape>,
    ) -> Result<Box<dyn RunnableGraph>, RunFailure>;

    /// Words as they may be kept.
    fn clean_text(&self, row: &RunRow, text: &str) -> Result<String, RunFailure> {
        let _ = row;
        Ok(text.to_owned())
    }

    /// An answer as it may be kept: a secret that was typed into it does not get into the log.
    fn clean(&self, row: &RunRow, reply: HumanReply) -> Result<HumanReply, RunFailure> {
        let _ = row;
        Ok(reply)
    }

    /// What was found in a request when it was checked; the log begins with it.
    fn found_in_request(&self, spec: &RunSpec) -> Vec<EventKind> {
        let _ = spec;
        Vec::new()
    }

    /// What the guardrails of a run say to the words of a person.
    fn check_input(&self, row: &RunRow, text: &str) -> Result<CheckedInput, RunFailure> {
        let _ = row;
        Ok(CheckedInput { text: text.to_owned(), violations: Vec::new() })
    }

    /// The state of a run at rest with fields that a person has changed; or why they cannot be.
    async fn edit(
        &self,
        row: &RunRow,
        saved: &LoadedCheckpoint,
        edits: Vec<StateEdit>,
    ) -> Result<EditedState, Problem> {
        let _ = (saved, edits);
        Err(Problem::new(format!("the state of run {} cannot be changed", row.run.number)))
    }

    /// A person lets a run continue although its account is used up: it may be called again.
    fn lift(&self, account: &str) {
        let _ = account;
    }
}

/// A run with everything that it needs.
#[async_trait]
pub trait RunnableGraph: Send + Sync {
    async fn run(&self, runs: &Runs, run: RunId, how: Move) -> Result<Stop, EngineError>;
}

/// Why a command came to nothing. Nothing was changed then.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CommandError {
    #[error(transparent)]
    Store(StoreError),
    #[error("run {0} has ended")]
    Ended(RunId),
    #[error("run {0} is not waiting for this answer")]
    NotWaiting(RunId),
    #[error("run {0} is not running")]
    NotRunning(RunId),
    #[error("run {0} is neither running nor stopped at a node")]
    NotStopped(RunId),
    #[error("run {0} is running")]
    AtWork(RunId),
    #[error("run {0} has not ended")]
    NotEnded(RunId),
    #[error("run {0} was started already")]
    AlreadyStarted(RunId),
    #[error("{name} is in use by run {by}")]
    Claimed { name: String, by: RunId },
    #[error("run {run} takes at most 64 KB of messages, and {unheard} bytes are still unread")]
    TooManyWords { run: RunId, unheard: usize },
    /// A guardrail of the run refuses what was said.
    #[error("{0}")]
    Guardrail(Problem),
    #[error("the answer to run {0} is longer than 256 KB")]
    AnswerTooLong(RunId),
    /// It is queued, or was answered and could not continue yet.
    #[error("run {0} is about to continue from the state that it has")]
    Continues(RunId),
    #[error("run {0} has not started, and has no state yet")]
    NoState(RunId),
    /// A change of the state does not fit.
    #[error("{0}")]
    BadEdit(Problem),
    #[error("{0}")]
    BadRule(Problem),
    /// An intervention does not fit the run, or not as it stands now.
    #[error(transparent)]
    Intervention(ServiceError),
    /// It is not what was asked for.
    #[error("{0}")]
    BadAnswer(Problem),
    #[error("run {0} is doing something that cannot be stopped right now")]
    StillAtIt(RunId),
    #[error("{}", Problem::parse(&.0.message))]
    Refused(RunFailure),
    #[error("the server is shutting down")]
    ShuttingDown,
}

impl Hinted for CommandError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Store(error) => return error.hint(),
            Self::Refused(failure) => return Problem::parse(&failure.message).hint,
            Self::Intervention(error) => return error.hint(),
            Self::BadRule(problem)
            | Self::BadAnswer(problem)
            | Self::BadEdit(problem)
            | Self::Guardrail(problem) => {
                return problem.hint.clone();
            }
            Self::AtWork(_) => "pause it first",
            Self::Continues(_) => "let it continue, then pause it",
            Self::NotEnded(_) => "cancel it first",
            Self::Claimed { .. } => "wait for that run or cancel it, or work in another place",
            Self::TooManyWords { .. } | Self::AnswerTooLong(_) => {
                "put long texts into a file of the repository and refer to it"
            }
            Self::Ended(_)
            | Self::NotWaiting(_)
            | Self::NotRunning(_)
            | Self::NotStopped(_)
            | Self::NoState(_)
            | Self::AlreadyStarted(_)
            | Self::StillAtIt(_)
            | Self::ShuttingDown => return None,
        };
        Some(hint.to_owned())
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Claimed { name, by } => Self::Claimed { name, by },
            error => Self::Store(error),
        }
    }
}

/// When a new run starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartMode {
    /// As soon as there is room.
    Soon,
    /// When a person asks for it.
    Told,
}

/// All runs of this process.
#[derive(Clone)]
pub struct Orchestrator(Arc<Inner>);

struct Inner {
    runs: Runs,
    assembler: Arc<dyn Assembler>,
    at_work: Mutex<AtWork>,
    stalls: broadcast::Sender<Arc<Stall>>,
    /// Some run has come to rest.
    rested: Notify,
}

/// A run that no task moves any more though its log does not say so, because nothing could be written: a full disk.
#[derive(Debug, Clone, PartialEq)]
pub struct Stall {
    pub run: RunId,
    pub failure: RunFailure,
}

struct AtWork {
    queue: Queue,
    moving: HashMap<RunId, Moving>,
    stalled: HashMap<RunId, Arc<Stall>>,
    lines: Lines,
    /// Answers questions whose deadline has passed.
    alarm: Option<JoinHandle<()>>,
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
    /// At most `max_concurrent` runs are at work at a time.
    #[must_use]
    pub fn new(runs: Runs, assembler: Arc<dyn Assembler>, max_concurrent: usize) -> Self {
        let (moving, stalled) = (HashMap::new(), HashMap::new());
        let (queue, lines) = (Queue::new(max_concurrent), Lines::default());
        let at_work = AtWork { queue, moving, stalled, lines, alarm: None, is_closing: false };
        let stalls = broadcast::Sender::new(STALLS);
        let (at_work, rested) = (Mutex::new(at_work), Notify::new());
        Self(Arc::new(Inner { runs, assembler, at_work, stalls, rested }))
    }

    /// The runs themselves, to look at.
    #[must_use]
    pub fn runs(&self) -> &Runs {
        &self.0.runs
    }

    /// Creates a run. A second one with the same key is the first one.
    pub async fn start(&self, spec: RunSpec, when: StartMode) -> Result<RunId, CommandError> {
        let mut facts = self.0.assembler.found_in_request(&spec);
        facts.extend((when == StartMode::Soon).then_some(EventKind::Run(RunEvent::Queued)));
        let run = self.0.runs.create_with(spec, facts).await?;
        let row = self.row(run).await?;
        tracing::info!(%run, graph = %row.run.spec.graph, "created");
        self.enqueue(&row);
        Ok(run)
    }

    /// Resumes every run that was at work, and with the queue, in their old order. For the start of a process.
    pub async fn recover(&self) -> Result<usize, CommandError> {
        let mut rows =
            self.0.runs.store().runs(&RunFilter { unfinished: true, ..RunFilter::default() }).await?;
        rows.sort_by_key(|row| row.view.updated_at);
        self.watch_deadlines();
        for row in &rows {
            self.stand_in_line(row);
            self.remember_deadlines(row);
        }
        rows.retain(|row| row.view.is_wanted());
        rows.sort_by_key(|row| {
            (row.view.status == RunStatus::Pending, row.view.queued_at, row.run.created_at)
        });
        rows.iter().for_each(|row| self.enqueue(row));
        Ok(rows.len())
    }

    /// Lets go of everything at once. Runs at work resume at the next start.
    pub async fn close(&self) {
        let (moving, lines): (Vec<(RunId, Moving)>, Vec<JoinHandle<()>>) = {
            let mut at_work = self.0.at_work.lock();
            at_work.is_closing = true;
            let lines = at_work.lines.close().into_iter().chain(at_work.alarm.take()).collect();
            (at_work.moving.drain().collect(), lines)
        };
        let (mut ending, mut tasks) = (Vec::new(), lines);
        for (run, Moving { task, .. }) in moving {
            let rests = self.row(run).await.is_ok_and(|row| !row.view.is_wanted());
            if rests { &mut ending } else { &mut tasks }.push(task);
        }
        tasks.iter().for_each(JoinHandle::abort);
        for mut task in ending {
            // What is done after the last event, such as keeping its files, is done in a moment.
            if tokio::time::timeout(REST_TIMEOUT, &mut task).await.is_err() {
                task.abort();
                tasks.push(task);
            }
        }
        for task in tasks {
            // Aborted is what is wanted.
            task.await.ok();
        }
    }

    /// The events of a run after `after`, then live.
    #[must_use]
    pub fn watch(&self, run: RunId, after: Seq) -> LogWatch {
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
        self.0.runs.said().all()
    }

    /// What the agents of a run are saying: what they have said so far of what is not in the log yet, and the rest as it
    /// comes.
    #[must_use]
    pub fn deltas_of(&self, run: RunId) -> (Vec<Arc<Delta>>, broadcast::Receiver<Arc<Delta>>) {
        self.0.runs.said().of(run)
    }

    /// Runs that stall from now on.
    #[must_use]
    pub fn stalls(&self) -> broadcast::Receiver<Arc<Stall>> {
        self.0.stalls.subscribe()
    }

    /// Why a run that should be at work is not, and could not say so.
    #[must_use]
    pub fn stall(&self, run: RunId) -> Option<Arc<Stall>> {
        self.0.at_work.lock().stalled.get(&run).cloned()
    }

    /// How many runs are at work, and how many wait for their turn.
    #[must_use]
    pub fn load(&self) -> (usize, usize) {
        let at_work = self.0.at_work.lock();
        (at_work.moving.len(), at_work.queue.len())
    }

    /// Whether a run is at work in this process.
    #[must_use]
    pub fn is_moving(&self, run: RunId) -> bool {
        self.0.at_work.lock().moving.contains_key(&run)
    }

    /// Waits until a run is not at work any more.
    pub async fn wait_for_rest(&self, run: RunId) {
        let rested = self.0.at_work.lock().moving.get(&run).map(|moving| moving.rested.clone());
        if let Some(mut rested) = rested {
            // A task that is gone has come to rest, too.
            rested.wait_for(|rested| *rested).await.ok();
        }
    }

    async fn row(&self, run: RunId) -> Result<RunRow, CommandError> {
        Ok(self.0.runs.store().run(run).await?.ok_or(StoreError::NotFound(run))?)
    }

    fn control(&self, run: RunId) -> Option<Control> {
        self.0.at_work.lock().moving.get(&run).map(|moving| moving.control.clone())
    }

    /// Tells a run at work to end.
    fn cancel_moving(&self, run: RunId) {
        if let Some(moving) = self.0.at_work.lock().moving.get(&run) {
            moving.cancel.cancel();
        }
    }

    /// Its log could be written: what stood in its way is gone.
    fn settled(&self, run: RunId) {
        self.0.at_work.lock().stalled.remove(&run);
    }
}
