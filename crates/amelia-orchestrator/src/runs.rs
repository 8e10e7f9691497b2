//! Creating runs and moving them. Starting, answering, retrying and recovering are one path: look at the run's
//! status, take its last checkpoint, let the engine go on.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use amelia_core::checkpoint::Loaded;
use amelia_core::clock::Clock;
use amelia_core::event::run::ResumeReason;
use amelia_core::event::{Draft, EventKind, RunEvent};
use amelia_core::human::HumanReply;
use amelia_core::id::{RunId, Seq};
use amelia_core::journal::Journal;
use amelia_core::run::{RunSpec, RunStatus};
use amelia_core::store::{At, Commit, Store, StoreError};
use amelia_core::view::RunRow;
use amelia_graph::control::{Inbox, control};
use amelia_graph::engine::{self, EngineError, RunCx, Start, Stop};
use amelia_graph::graph::Graph;
use amelia_graph::state::State;
use amelia_graph::words::Words;
use tokio_util::sync::CancellationToken;

use crate::bus::{Bus, Changes, Feed, Watch};
use crate::recorder::Recorder;
use crate::tape::Waiting;

/// A cheap handle on a store and what is live around it.
#[derive(Clone)]
pub struct Runs {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    bus: Bus,
    moving: Moving,
}

/// The runs that an engine moves now. A second one would be refused by the store only after it had done work.
#[derive(Clone, Default)]
struct Moving(Arc<Mutex<BTreeSet<RunId>>>);

/// As long as it lives, nobody else moves the run.
struct Moved(Moving, RunId);

impl Moving {
    fn begin(&self, run: RunId) -> Result<Moved, EngineError> {
        let is_new = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(run);
        if is_new { Ok(Moved(self.clone(), run)) } else { Err(EngineError::Moving(run)) }
    }
}

impl Drop for Moved {
    fn drop(&mut self) {
        let Self(Moving(runs), run) = self;
        runs.lock().unwrap_or_else(PoisonError::into_inner).remove(run);
    }
}

/// How a run is to be moved.
pub struct Move {
    pub cancel: CancellationToken,
    pub inbox: Inbox,
    /// Answers to questions that the run waits for.
    pub replies: Vec<HumanReply>,
    /// What comes from outside meanwhile.
    pub tape: Arc<Waiting>,
}

impl Default for Move {
    fn default() -> Self {
        let (_, inbox) = control();
        Self { cancel: CancellationToken::new(), inbox, replies: Vec::new(), tape: Arc::default() }
    }
}

impl Runs {
    /// A handle on `store`.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock, bus: Bus::default(), moving: Moving::default() }
    }

    /// The store itself.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The present moment, as runs see it.
    pub(crate) fn now(&self) -> jiff::Timestamp {
        self.clock.now()
    }

    /// Creates a run; it waits until it is moved. A second create with the same key is the same run.
    pub async fn create(&self, spec: RunSpec) -> Result<RunId, StoreError> {
        let run = RunId(self.clock.new_id());
        let commit = Commit { drafts: vec![self.created(spec)], checkpoint: None, ..Commit::default() };
        match self.recorder(run, Seq::START).commit(commit).await {
            Ok(_) => Ok(run),
            Err(StoreError::Duplicate { existing, .. }) => Ok(existing),
            Err(error) => Err(error),
        }
    }

    /// Creates a run that may start as soon as there is room.
    pub async fn create_queued(&self, spec: RunSpec) -> Result<RunId, StoreError> {
        let run = RunId(self.clock.new_id());
        let queued = Draft::of_system(&*self.clock, spec.domain, EventKind::Run(RunEvent::Queued));
        let commit =
            Commit { drafts: vec![self.created(spec), queued], checkpoint: None, ..Commit::default() };
        match self.recorder(run, Seq::START).commit(commit).await {
            Ok(_) => Ok(run),
            Err(StoreError::Duplicate { existing, .. }) => Ok(existing),
            Err(error) => Err(error),
        }
    }

    /// Writes a fact about a run that nobody moves. `row` is how the run was seen to stand: if that has changed, nothing
    /// is written.
    pub async fn record(&self, row: &RunRow, kind: EventKind) -> Result<(), StoreError> {
        self.record_all(row, [kind]).await
    }

    /// The same for several facts, in one commit.
    pub async fn record_all(
        &self,
        row: &RunRow,
        kinds: impl IntoIterator<Item = EventKind>,
    ) -> Result<(), StoreError> {
        let draft = |kind| Draft::of_system(&*self.clock, row.run.spec.domain, kind);
        let drafts = kinds.into_iter().map(draft).collect();
        let commit = Commit { drafts, checkpoint: None, ..Commit::default() };
        self.recorder(row.run.id, row.view.seq).commit(commit).await.map(|_| ())
    }

    /// Creates a run and moves it at once: one commit less than [`Self::create`] and [`Self::go`].
    /// `run` is a new id; a key that was used before is refused.
    pub async fn launch<S: State>(
        &self,
        run: RunId,
        spec: RunSpec,
        graph: &Graph<S>,
        state: S,
        how: Move,
    ) -> Result<Stop, EngineError> {
        let _moving = self.moving.begin(run)?;
        let created = Box::new(self.created(spec.clone()));
        let journal = Arc::new(self.recorder(run, Seq::START).with_tape(how.tape));
        let cx = self.surroundings(run, spec, Arc::clone(&journal), how.cancel, how.inbox);
        recorded(engine::run(graph, Start::New { created, state }, cx), &journal).await
    }

    /// A new id, for [`Self::launch`].
    #[must_use]
    pub fn new_run(&self) -> RunId {
        RunId(self.clock.new_id())
    }

    /// Moves a run until it comes to rest. `initial` is its state when it has none yet.
    pub async fn go<S: State>(
        &self,
        run: RunId,
        graph: &Graph<S>,
        initial: S,
        how: Move,
    ) -> Result<Stop, EngineError> {
        let _moving = self.moving.begin(run)?;
        let Move { cancel, inbox, replies, tape } = how;
        // The row before the state: a commit in between makes the end of the log too early, and is found. The other
        // way round it would hide that the state is of yesterday.
        let row = self.store.run(run).await?;
        let row = row.ok_or(StoreError::NotFound(run))?;
        let breakpoints = row.breakpoints().clone();
        let RunRow { run: identity, view } = row;
        let reason = match view.status {
            RunStatus::Completed | RunStatus::Cancelled => return Err(EngineError::Ended(run)),
            RunStatus::Pending | RunStatus::Running => ResumeReason::Recovered,
            RunStatus::Waiting(kind) if replies.is_empty() && !cancel.is_cancelled() => {
                return Ok(Stop::Waiting(kind));
            }
            RunStatus::Waiting(_) => ResumeReason::Replied,
            RunStatus::Failed => ResumeReason::Retried,
        };
        let saved = self.store.load(run, At::Latest).await?;
        if let Some(saved) = saved.as_ref().filter(|_| !cancel.is_cancelled()) {
            check_whole(run, saved)?;
        }
        let start = match saved {
            Some(saved) => Start::Resume { saved: Box::new(saved), reason, replies },
            None => Start::Fresh(initial),
        };
        let journal = Arc::new(self.recorder(run, view.seq).with_tape(tape));
        let cx = self.surroundings(run, identity.spec, Arc::clone(&journal), cancel, inbox);
        let cx = RunCx { words: Words::new(view.unheard), breakpoints, ..cx };
        recorded(engine::run(graph, start, cx), &journal).await
    }

    /// The events of a run after `after`, then live.
    #[must_use]
    pub fn watch(&self, run: RunId, after: Seq) -> Watch {
        self.bus.watch(Arc::clone(&self.store), run, after)
    }

    /// The events of all runs after `cursor`, then live.
    #[must_use]
    pub fn feed(&self, cursor: u64) -> Feed {
        self.bus.feed(Arc::clone(&self.store), cursor)
    }

    /// Which runs change from now on.
    #[must_use]
    pub fn changes(&self) -> Changes {
        self.bus.changes()
    }

    /// Tells whoever looks that a run is not what it was, though its log is.
    pub(crate) fn touched(&self, run: RunId) {
        self.bus.touched(run);
    }

    /// Shows a run that was written past this handle: a fork.
    pub async fn announce(&self, run: RunId) -> Result<(), StoreError> {
        let events = self.store.events(run, Seq::START, 100).await?;
        events.into_iter().for_each(|event| self.bus.publish(event));
        Ok(())
    }

    /// Forgets a run that has ended, with everything that is stored of it.
    pub async fn remove(&self, run: RunId) -> Result<(), StoreError> {
        self.store.remove(run).await?;
        self.bus.touched(run);
        Ok(())
    }

    fn recorder(&self, run: RunId, end: Seq) -> Recorder {
        Recorder::new(Arc::clone(&self.store), self.bus.clone(), run, end)
    }

    fn surroundings(
        &self,
        run: RunId,
        spec: RunSpec,
        journal: Arc<Recorder>,
        cancel: CancellationToken,
        inbox: Inbox,
    ) -> RunCx {
        RunCx {
            run,
            domain: spec.domain,
            journal,
            clock: Arc::clone(&self.clock),
            cancel,
            breakpoints: spec.breakpoints,
            inbox,
            words: Words::default(),
        }
    }

    fn created(&self, spec: RunSpec) -> Draft {
        let domain = spec.domain;
        let created = RunEvent::Created { spec: Box::new(spec) };
        Draft::of_system(&*self.clock, domain, EventKind::Run(created))
    }
}

/// Moves a run, and writes what comes from outside meanwhile. When that cannot be written, the run cannot go on: its log
/// would say what nobody could play again.
async fn recorded(
    moved: impl Future<Output = Result<Stop, EngineError>>,
    journal: &Recorder,
) -> Result<Stop, EngineError> {
    tokio::select! {
        biased;
        stop = moved => stop,
        error = journal.keep_up() => Err(error.into()),
    }
}

/// What came after an earlier checkpoint has happened, and would happen again from there: that is for a person to
/// decide, in a run of its own.
fn check_whole(run: RunId, saved: &Loaded) -> Result<(), StoreError> {
    match saved.damaged.first() {
        None => Ok(()),
        Some(number) => Err(StoreError::Damaged {
            what: format!("checkpoint {number} of run {run}"),
            detail: "the run cannot go on from it".to_owned(),
            hint: format!("fork the run at checkpoint {}, the last one that is whole", saved.number),
        }),
    }
}
