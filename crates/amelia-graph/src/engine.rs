//! The engine: runs a graph until it ends, waits, fails or is cancelled.
//!
//! One finished node is one commit: its facts, its updates and the new position together. Nothing is done
//! before what led to it is durable. Starting, resuming after an answer, retrying after a failure and
//! recovering from a crash are the same path: take a position, enter what is ready, put it to work.

mod moving;

use std::collections::BTreeSet;
use std::sync::Arc;

use amelia_core::checkpoint::{LoadedCheckpoint, Position};
use amelia_core::clock::Clock;
use amelia_core::event::run::{ResumeReason, RunFailure};
use amelia_core::event::{Draft, EventKind, RunEvent};
use amelia_core::human::{HumanKind, HumanReply, HumanRequest};
use amelia_core::id::{AgentName, NodeId, RunId, Step};
use amelia_core::journal::Journal;
use amelia_core::permission::PermissionGrant;
use amelia_core::problem::Hinted;
use amelia_core::run::Domain;
use amelia_core::stop_rule::StopRule;
use amelia_core::store::StoreError;
use futures_util::future::{Either, select};
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::control::{ControlCommand, Inbox, control};
use crate::graph::Graph;
use crate::node::{EarlyQuestions, Shared};
use crate::position::NotWaiting;
use crate::state::{SnapshotPolicy, State, StateError, rebuild};
use crate::stops::Stops;
use crate::user_messages::UserMessages;
use crate::visits::{FinishedVisit, Visits};

/// What a run needs from its surroundings.
pub struct RunCx {
    pub run: RunId,
    pub domain: Domain,
    pub journal: Arc<dyn Journal>,
    pub clock: Arc<dyn Clock>,
    pub cancel: CancellationToken,
    pub breakpoints: BTreeSet<NodeId>,
    pub inbox: Inbox,
    /// What people have said and no node has heard yet.
    pub words: UserMessages,
    /// Rules by which calls of agents need no approval.
    pub granted: Vec<PermissionGrant>,
    /// Where it stops inside the work of its agents.
    pub stops: BTreeSet<StopRule>,
    /// What it has cost so far, in USD.
    pub usd: f64,
    /// Questions without an answer that nothing waits for.
    pub advice: Vec<HumanRequest>,
}

impl RunCx {
    /// Surroundings without breakpoints, without another controller.
    #[must_use]
    pub fn new(run: RunId, journal: Arc<dyn Journal>, clock: Arc<dyn Clock>) -> Self {
        let (_, inbox) = control();
        Self {
            run,
            domain: Domain::default(),
            journal,
            clock,
            cancel: CancellationToken::new(),
            breakpoints: BTreeSet::new(),
            inbox,
            words: UserMessages::default(),
            granted: Vec::new(),
            stops: BTreeSet::new(),
            usd: 0.0,
            advice: Vec::new(),
        }
    }
}

/// Where a run starts from.
pub enum StartFrom<S> {
    /// The run was created before.
    Fresh(S),
    /// The run is created by the first commit.
    New { created: Box<Draft>, state: S },
    /// A saved position, with the answers that came since.
    Resume { saved: Box<LoadedCheckpoint>, reason: ResumeReason, answers: Answers },
}

/// Answers to open questions of a saved position.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    /// In the log already: they were written while no engine moved the run. What nothing waits for is passed over.
    pub written: Vec<HumanReply>,
    /// The first commit writes them. One that nothing waits for is an error.
    pub new: Vec<HumanReply>,
}

/// Why the engine came to rest. The log says the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    Completed,
    Waiting(HumanKind),
    Failed(RunFailure),
    Cancelled,
}

/// Why a run could not be moved at all. Nothing was written after it arose.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("this run was saved by another shape of graph `{graph}` ({saved:08x}, now {known:08x})")]
    ShapeChanged { graph: String, saved: u32, known: u32 },
    #[error("this run belongs to graph `{saved}`, not `{known}`")]
    OtherGraph { saved: String, known: String },
    #[error(transparent)]
    State(#[from] StateError),
    #[error("the state of this run cannot be written as JSON: {0}")]
    Unwritable(String),
    #[error(transparent)]
    NotWaiting(#[from] NotWaiting),
    #[error("run {0} has ended")]
    Ended(RunId),
    #[error("run {0} is running already")]
    Moving(RunId),
}

impl Hinted for EngineError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Store(error) => return error.hint(),
            Self::ShapeChanged { .. } => "finish it with the version that started it, or start it again",
            Self::State(_) => {
                "finish the run with the version that started it, or fork it from an earlier checkpoint"
            }
            Self::OtherGraph { .. }
            | Self::Unwritable(_)
            | Self::NotWaiting(_)
            | Self::Ended(_)
            | Self::Moving(_) => return None,
        };
        Some(hint.to_owned())
    }
}

/// Runs `graph` until it comes to rest.
pub async fn run<S: State>(graph: &Graph<S>, start: StartFrom<S>, cx: RunCx) -> Result<Stop, EngineError> {
    let (mut engine, drafts) = Engine::begin(graph, start, cx)?;
    if engine.is_cancelled() {
        return engine.cancelled_with(drafts).await;
    }
    let mut stop = engine.go_on(drafts).await?;
    loop {
        match stop {
            // It came while the run was about to wait; nothing would look again.
            Some(Stop::Waiting(_)) if engine.is_cancelled() => return engine.cancelled().await,
            Some(stop) => return Ok(stop),
            None => {}
        }
        stop = match engine.next().await {
            Next::Finished(finished) => engine.finish(finished).await?,
            Next::Command(command) => engine.obey(command).await?,
            Next::Asked(early) => engine.show(early).await?,
            Next::Cancelled => return engine.cancelled().await,
        };
    }
}

enum Next<U> {
    Finished(FinishedVisit<U>),
    Command(ControlCommand),
    Asked(EarlyQuestions),
    Cancelled,
}

/// How the first commit begins.
enum Opening {
    Started(Option<Box<Draft>>),
    Resumed(Box<LoadedCheckpoint>, ResumeReason, Answers),
}

struct Engine<'g, S: State> {
    graph: &'g Graph<S>,
    run: RunId,
    shared: Arc<Shared>,
    breakpoints: BTreeSet<NodeId>,
    inbox: Inbox,
    early: mpsc::UnboundedReceiver<EarlyQuestions>,
    state: Arc<S>,
    position: Position,
    snapshots: SnapshotPolicy,
    visits: Visits<S::Update>,
    at_work: BTreeSet<NodeId>,
    /// Visits up to here may have run before, in this process or another.
    tried: Step,
    failure: Option<RunFailure>,
    is_stopped: bool,
}

impl<'g, S: State> Engine<'g, S> {
    fn begin(graph: &'g Graph<S>, start: StartFrom<S>, cx: RunCx) -> Result<(Self, Vec<Draft>), EngineError> {
        let (asks_early, early) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            journal: cx.journal,
            clock: cx.clock,
            cancel: cx.cancel,
            system: AgentName::system(),
            domain: cx.domain,
            words: cx.words,
            granted: Mutex::new(cx.granted),
            stops: Stops::new(cx.stops),
            usd: Mutex::new(cx.usd),
            advice: Mutex::new(cx.advice),
            early: asks_early,
        });
        let (state, opening) = match start {
            StartFrom::Fresh(state) => (state, Opening::Started(None)),
            StartFrom::New { created, state } => (state, Opening::Started(Some(created))),
            StartFrom::Resume { saved, reason, answers } => {
                (restore(graph, &saved)?, Opening::Resumed(saved, reason, answers))
            }
        };
        let mut engine = Self {
            graph,
            run: cx.run,
            shared,
            breakpoints: cx.breakpoints,
            inbox: cx.inbox,
            early,
            state: Arc::new(state),
            position: Position { limit: graph.limit(), ..Position::default() },
            snapshots: SnapshotPolicy::fresh(),
            visits: Visits::new(),
            at_work: BTreeSet::new(),
            tried: Step::default(),
            failure: None,
            is_stopped: false,
        };
        let drafts = match opening {
            Opening::Started(created) => engine.started(created),
            Opening::Resumed(saved, reason, answers) => engine.resumed(*saved, reason, answers)?,
        };
        Ok((engine, drafts))
    }

    fn started(&mut self, created: Option<Box<Draft>>) -> Vec<Draft> {
        self.arrive_after(None);
        let started = self.shared.draft(EventKind::Run(RunEvent::Started));
        created.map(|created| *created).into_iter().chain([started]).collect()
    }

    fn resumed(
        &mut self,
        saved: LoadedCheckpoint,
        reason: ResumeReason,
        answers: Answers,
    ) -> Result<Vec<Draft>, EngineError> {
        if saved.position.ended {
            return Err(EngineError::Ended(self.run));
        }
        self.snapshots = SnapshotPolicy::after(&saved);
        self.position = saved.position;
        self.tried = self.position.steps;
        self.route_again();
        for reply in answers.written {
            // The first answer counted, and is in the position.
            self.answer(reply).ok();
        }
        let mut drafts = Vec::new();
        for reply in answers.new {
            drafts.extend(self.answer(reply)?);
        }
        if !self.is_cancelled() {
            drafts.push(self.shared.draft(EventKind::Run(RunEvent::Resumed { reason })));
        }
        Ok(drafts)
    }

    fn is_cancelled(&self) -> bool {
        self.shared.cancel.is_cancelled()
    }

    /// Waits for the first thing that happens.
    async fn next(&mut self) -> Next<S::Update> {
        let cancel = self.shared.cancel.clone();
        let finished = std::pin::pin!(self.visits.next());
        let command = std::pin::pin!(self.inbox.next());
        let asked = std::pin::pin!(next_asked(&mut self.early));
        let cancelled = std::pin::pin!(cancel.cancelled());
        match select(cancelled, select(finished, select(asked, command))).await {
            Either::Left(_) => Next::Cancelled,
            Either::Right((Either::Left((finished, _)), _)) => Next::Finished(finished),
            Either::Right((Either::Right((Either::Left((early, _)), _)), _)) => Next::Asked(early),
            Either::Right((Either::Right((Either::Right((command, _)), _)), _)) => Next::Command(command),
        }
    }
}

/// What sub-agents ask early next; never, when none is left to ask.
async fn next_asked(early: &mut mpsc::UnboundedReceiver<EarlyQuestions>) -> EarlyQuestions {
    match early.recv().await {
        Some(early) => early,
        None => std::future::pending().await,
    }
}

fn restore<S: State>(graph: &Graph<S>, saved: &LoadedCheckpoint) -> Result<S, EngineError> {
    if saved.graph != graph.name {
        return Err(EngineError::OtherGraph {
            saved: saved.graph.to_string(),
            known: graph.name.to_string(),
        });
    }
    if saved.version != graph.version {
        return Err(EngineError::ShapeChanged {
            graph: graph.name.to_string(),
            saved: saved.version,
            known: graph.version,
        });
    }
    Ok(rebuild(saved)?)
}
