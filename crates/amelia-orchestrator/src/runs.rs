//! Creating runs and moving them. Starting, answering, retrying and recovering are one path: look at the run's
//! status, take its last checkpoint, let the engine continue.

use std::sync::Arc;

use amelia_core::checkpoint::LoadedCheckpoint;
use amelia_core::claim;
use amelia_core::clock::Clock;
use amelia_core::event::run::ResumeReason;
use amelia_core::event::{Draft, EventKind, HumanEvent, RunEvent};
use amelia_core::human::{HumanReply, WaitMode};
use amelia_core::id::{RunId, RunNumber, Seq};
use amelia_core::journal::Journal;
use amelia_core::run::{RunSpec, RunStatus};
use amelia_core::store::{CheckpointAt, Commit, Store, StoreError};
use amelia_core::view::{RunRow, RunView};
use amelia_graph::control::{Inbox, control};
use amelia_graph::engine::{self, Answers, EngineError, RunCx, StartFrom, Stop};
use amelia_graph::graph::Graph;
use amelia_graph::position::requests;
use amelia_graph::state::State;
use amelia_graph::user_messages::UserMessages;
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

use crate::bus::{Bus, ChangedRuns, Feed, LogWatch};
pub use crate::claims::Claim;
use crate::claims::Claims;
use crate::deadlines::Deadlines;
use crate::live_text::LiveText;
use crate::recorder::Recorder;
use crate::tape::Waiting;

/// Events read at once.
const PAGE: usize = 1000;

/// A cheap handle on a store and what is live around it.
#[derive(Clone)]
pub struct Runs {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    bus: Bus,
    claims: Claims,
}

/// How a run is to be moved.
pub struct Move {
    pub cancel: CancellationToken,
    pub inbox: Inbox,
    /// Answers to questions that the run waits for.
    pub replies: Vec<HumanReply>,
    /// What comes from outside meanwhile.
    pub tape: Arc<Waiting>,
    /// The right to move the run, for a caller that has it already.
    pub claim: Option<Claim>,
}

impl Default for Move {
    fn default() -> Self {
        let (_, inbox) = control();
        Self {
            cancel: CancellationToken::new(),
            inbox,
            replies: Vec::new(),
            tape: Arc::default(),
            claim: None,
        }
    }
}

impl Runs {
    /// A handle on `store`.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock, bus: Bus::default(), claims: Claims::default() }
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

    /// Creates a run; it waits until it is queued or moved. A second create with the same key is the same run.
    pub async fn create(&self, spec: RunSpec) -> Result<RunId, StoreError> {
        self.create_with(spec, Vec::new()).await
    }

    /// Creates a run that may start as soon as a worker is free.
    pub async fn create_queued(&self, spec: RunSpec) -> Result<RunId, StoreError> {
        self.create_with(spec, vec![EventKind::Run(RunEvent::Queued)]).await
    }

    /// Creates a run whose log continues with these facts.
    pub(crate) async fn create_with(&self, spec: RunSpec, then: Vec<EventKind>) -> Result<RunId, StoreError> {
        let run = RunId(self.clock.new_id());
        let (domain, claims) = (spec.domain, wanted_alone(&spec));
        let mut drafts = vec![self.created(spec)];
        drafts.extend(then.into_iter().map(|kind| Draft::of_system(&*self.clock, domain, kind)));
        let commit = Commit { drafts, claims, ..Commit::default() };
        match self.recorder(run, Seq::START).commit(commit).await {
            Ok(_) => Ok(run),
            Err(StoreError::Duplicate { existing, .. }) => Ok(existing),
            Err(error) => Err(error),
        }
    }

    /// The run at rest, held so until the answer is dropped. `None` while an engine moves it.
    pub async fn at_rest(&self, run: RunId) -> Result<Option<AtRest>, StoreError> {
        let Ok(claim) = self.claims.for_command(run).await else { return Ok(None) };
        let row = self.store.run(run).await?.ok_or(StoreError::NotFound(run))?;
        Ok(Some(AtRest { row, _claim: claim }))
    }

    /// The right to move a run. Waits for commands that write to it.
    pub(crate) async fn claim(&self, run: RunId) -> Result<Claim, EngineError> {
        self.claims.for_engine(run).await.map_err(|_| EngineError::Moving(run))
    }

    /// Writes facts about a run at rest.
    pub async fn record(&self, at_rest: &AtRest, kinds: Vec<EventKind>) -> Result<(), StoreError> {
        let RunRow { run, view } = &at_rest.row;
        let queues = kinds.iter().any(|kind| matches!(kind, EventKind::Run(RunEvent::Queued)));
        let claims = if queues { wanted_alone(&run.spec) } else { Vec::new() };
        let draft = |kind| Draft::of_system(&*self.clock, run.spec.domain, kind);
        let drafts = kinds.into_iter().map(draft).collect();
        let commit = Commit { drafts, claims, ..Commit::default() };
        self.recorder(run.id, view.seq).commit(commit).await.map(|_| ())
    }

    /// What a run at rest continues from; `None` when it has not begun. A damaged checkpoint is an error.
    pub(crate) async fn saved(&self, at_rest: &AtRest) -> Result<Option<LoadedCheckpoint>, StoreError> {
        let run = at_rest.row.run.id;
        let saved = self.store.load(run, CheckpointAt::Latest).await?;
        saved.as_ref().map_or(Ok(()), |saved| check_whole(at_rest.row.run.number, saved))?;
        Ok(saved)
    }

    /// Whether a run at rest has answers that its saved position does not know.
    pub(crate) async fn has_answers(
        &self,
        at_rest: &AtRest,
        saved: &LoadedCheckpoint,
    ) -> Result<bool, StoreError> {
        let RunRow { run, view } = &at_rest.row;
        Ok(!self.answers_since(run.id, saved, view.seq).await?.is_empty())
    }

    /// Writes another state for a run at rest, in the same position, and what is to be said about it.
    pub(crate) async fn save_state(
        &self,
        at_rest: &AtRest,
        saved: LoadedCheckpoint,
        state: Box<RawValue>,
        facts: Vec<EventKind>,
    ) -> Result<(), StoreError> {
        let RunRow { run, view } = &at_rest.row;
        let draft = |kind| Draft::of_system(&*self.clock, run.spec.domain, kind);
        let drafts = facts.into_iter().map(draft).collect();
        let checkpoint = Some(saved.with_state(state, self.clock.now()));
        let commit = Commit { drafts, checkpoint, ..Commit::default() };
        self.recorder(run.id, view.seq).commit(commit).await.map(|_| ())
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
        let _claim = self.claim(run).await?;
        let created = Box::new(self.created(spec.clone()));
        let journal = Arc::new(self.recorder(run, Seq::START).with_tape(how.tape));
        let cx = self.surroundings(run, spec, Arc::clone(&journal), how.cancel, how.inbox);
        recorded(engine::run(graph, StartFrom::New { created, state }, cx), &journal).await
    }

    /// A new id, for [`Self::launch`].
    #[must_use]
    pub fn new_run(&self) -> RunId {
        RunId(self.clock.new_id())
    }

    /// Moves a run until it comes to rest. `initial` is its state when it has none yet.
    pub async fn run<S: State>(
        &self,
        run: RunId,
        graph: &Graph<S>,
        initial: S,
        how: Move,
    ) -> Result<Stop, EngineError> {
        let Move { cancel, inbox, replies, tape, claim } = how;
        let _claim = match claim {
            Some(claim) => claim,
            None => self.claim(run).await?,
        };
        // The row before the state: a commit in between makes the end of the log too early, and is found. The other
        // way round it would hide that the state is of yesterday.
        let row = self.store.run(run).await?;
        let row = row.ok_or(StoreError::NotFound(run))?;
        let breakpoints = row.breakpoints().clone();
        let RunRow { run: identity, view } = row;
        let reason = match view.status {
            RunStatus::Completed | RunStatus::Cancelled => return Err(EngineError::Ended(run)),
            RunStatus::Pending if is_new_fork(&identity.spec, &view) => ResumeReason::Forked,
            RunStatus::Pending => view.resume.unwrap_or(ResumeReason::Recovered),
            RunStatus::Running => ResumeReason::Recovered,
            RunStatus::Waiting(_) => ResumeReason::Replied,
            RunStatus::Failed => ResumeReason::Retried,
        };
        let saved = self.store.load(run, CheckpointAt::Latest).await?;
        if let Some(saved) = saved.as_ref().filter(|_| !cancel.is_cancelled()) {
            check_whole(identity.number, saved)?;
        }
        let start = match saved {
            Some(saved) => {
                let answers =
                    Answers { written: self.answers_since(run, &saved, view.seq).await?, new: replies };
                if let RunStatus::Waiting(kind) = view.status
                    && answers == Answers::default()
                    && !cancel.is_cancelled()
                {
                    return Ok(Stop::Waiting(kind));
                }
                StartFrom::Resume { saved: Box::new(saved), reason, answers }
            }
            None => StartFrom::Fresh(initial),
        };
        let journal = Arc::new(self.recorder(run, view.seq).with_tape(tape));
        let cx = self.surroundings(run, identity.spec, Arc::clone(&journal), cancel, inbox);
        let (words, granted) = (UserMessages::new(view.unheard), view.granted);
        let (stops, usd) = (view.stops, view.spend.usd);
        let advice =
            view.pending.into_iter().filter(|asked| asked.mode == Some(WaitMode::Advisory)).collect();
        let cx = RunCx { words, granted, breakpoints, stops, usd, advice, ..cx };
        recorded(engine::run(graph, start, cx), &journal).await
    }

    /// Answers that were written after the saved position, while no engine moved the run.
    async fn answers_since(
        &self,
        run: RunId,
        saved: &LoadedCheckpoint,
        end: Seq,
    ) -> Result<Vec<HumanReply>, StoreError> {
        let (mut answers, mut after) = (Vec::new(), saved.seq);
        while after < end && requests(&saved.position).next().is_some() {
            let page = self.store.events(run, after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = last.seq;
            answers.extend(page.into_iter().filter_map(|event| match event.draft.kind {
                EventKind::Human(HumanEvent::Replied(reply)) => Some(reply),
                _ => None,
            }));
        }
        Ok(answers)
    }

    /// The events of a run after `after`, then live.
    #[must_use]
    pub fn watch(&self, run: RunId, after: Seq) -> LogWatch {
        self.bus.watch(Arc::clone(&self.store), run, after)
    }

    /// The events of all runs after `cursor`, then live.
    #[must_use]
    pub fn feed(&self, cursor: u64) -> Feed {
        self.bus.feed(Arc::clone(&self.store), cursor)
    }

    /// What agents are saying.
    pub(crate) fn said(&self) -> LiveText {
        self.bus.said.clone()
    }

    /// Which runs change from now on.
    #[must_use]
    pub fn changes(&self) -> ChangedRuns {
        self.bus.changes()
    }

    /// Tells all readers that a run is not what it was, though its log is.
    pub(crate) fn touched(&self, run: RunId) {
        self.bus.touched(run);
    }

    /// Questions that are answered by silence.
    pub(crate) fn deadlines(&self) -> &Deadlines {
        &self.bus.deadlines
    }

    /// Shows a run that was written past this handle: a fork.
    pub async fn announce(&self, run: RunId) -> Result<(), StoreError> {
        let events = self.store.events(run, Seq::START, 100).await?;
        events.into_iter().for_each(|event| self.bus.publish(Arc::new(event)));
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
            words: UserMessages::default(),
            granted: Vec::new(),
            stops: spec.stops,
            usd: 0.0,
            advice: Vec::new(),
        }
    }

    fn created(&self, spec: RunSpec) -> Draft {
        let domain = spec.domain;
        let created = RunEvent::Created { spec: Box::new(spec) };
        Draft::of_system(&*self.clock, domain, EventKind::Run(created))
    }
}

/// A run that no engine moves, and none can begin to while this lives.
pub struct AtRest {
    pub row: RunRow,
    _claim: Claim,
}

/// Whether a fork has not moved yet. One that began with a question starts with the answer.
fn is_new_fork(spec: &RunSpec, view: &RunView) -> bool {
    spec.forked_from.is_some() && view.started_at.is_none() && view.resume.is_none()
}

/// What no other run may have at the same time: the user's checkout, a branch that a person named.
fn wanted_alone(spec: &RunSpec) -> Vec<String> {
    let Some(place) = &spec.place else { return Vec::new() };
    let checkout = place.in_place.then(|| claim::checkout(&place.repository));
    let branch = place.branch.as_ref().filter(|_| !place.in_place);
    checkout.into_iter().chain(branch.map(|branch| claim::branch(&place.repository, branch))).collect()
}

/// Moves a run, and writes what comes from outside meanwhile. When that cannot be written, the run cannot continue: its log
/// would say what could not be replayed.
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
fn check_whole(run: RunNumber, saved: &LoadedCheckpoint) -> Result<(), StoreError> {
    match saved.damaged.first() {
        None => Ok(()),
        Some(number) => Err(StoreError::Damaged {
            what: format!("checkpoint {number} of run {run}"),
            detail: "the run cannot continue from it".to_owned(),
            hint: format!("fork it at the last intact one: `amelia fork {run} --at {}`", saved.number),
        }),
    }
}
