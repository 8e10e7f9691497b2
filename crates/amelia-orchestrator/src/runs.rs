//! Creating runs and moving them. Starting, answering, retrying and recovering are one path: look at the run's
//! status, take its last checkpoint, let the engine go on.

use std::sync::Arc;

use amelia_core::clock::Clock;
use amelia_core::event::run::ResumeReason;
use amelia_core::event::{Draft, EventKind, RunEvent};
use amelia_core::human::HumanReply;
use amelia_core::id::{AgentName, EventId, RunId, Seq};
use amelia_core::run::{RunSpec, RunStatus};
use amelia_core::store::{At, Commit, Store, StoreError};
use amelia_core::view::RunRow;
use amelia_graph::control::{Inbox, control};
use amelia_graph::engine::{self, EngineError, RunCx, Start, Stop};
use amelia_graph::graph::Graph;
use amelia_graph::state::State;
use tokio_util::sync::CancellationToken;

use crate::bus::{Bus, Watch};
use crate::recorder::Recorder;

/// A cheap handle on a store and what is live around it.
#[derive(Clone)]
pub struct Runs {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    bus: Bus,
}

/// How a run is to be moved.
pub struct Move {
    pub cancel: CancellationToken,
    pub inbox: Inbox,
    /// Answers to questions that the run waits for.
    pub replies: Vec<HumanReply>,
}

impl Default for Move {
    fn default() -> Self {
        let (_, inbox) = control();
        Self { cancel: CancellationToken::new(), inbox, replies: Vec::new() }
    }
}

impl Runs {
    /// A handle on `store`.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock, bus: Bus::default() }
    }

    /// The store itself.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Creates a run; it waits until it is moved. A second create with the same key is the same run.
    pub async fn create(&self, spec: RunSpec) -> Result<RunId, StoreError> {
        let run = RunId(self.clock.new_id());
        let draft = Draft {
            id: EventId(self.clock.new_id()),
            at: self.clock.now(),
            agent: AgentName::system(),
            domain: spec.domain,
            session: None,
            step: None,
            cause: None,
            kind: EventKind::Run(RunEvent::Created { spec: Box::new(spec) }),
        };
        let recorder = Recorder::new(Arc::clone(&self.store), self.bus.clone(), run, Seq::START);
        let commit = Commit { drafts: vec![draft], checkpoint: None };
        match amelia_core::journal::Journal::commit(&recorder, commit).await {
            Ok(_) => Ok(run),
            Err(StoreError::Duplicate { existing, .. }) => Ok(existing),
            Err(error) => Err(error),
        }
    }

    /// Moves a run until it comes to rest. `initial` is its state when it has none yet.
    pub async fn go<S: State>(
        &self,
        run: RunId,
        graph: &Graph<S>,
        initial: S,
        how: Move,
    ) -> Result<Stop, EngineError> {
        let RunRow { run: identity, view } = self.store.run(run).await?.ok_or(StoreError::NotFound(run))?;
        let Move { cancel, inbox, replies } = how;
        let reason = match view.status {
            RunStatus::Completed | RunStatus::Cancelled => return Err(EngineError::Ended(run)),
            RunStatus::Pending | RunStatus::Running => ResumeReason::Recovered,
            RunStatus::Waiting(kind) if replies.is_empty() => return Ok(Stop::Waiting(kind)),
            RunStatus::Waiting(_) => ResumeReason::Replied,
            RunStatus::Failed => ResumeReason::Retried,
        };
        let start = match self.store.load(run, At::Latest).await? {
            Some(saved) => Start::Resume { saved: Box::new(saved), reason, replies },
            None => Start::Fresh(initial),
        };
        let recorder = Recorder::new(Arc::clone(&self.store), self.bus.clone(), run, view.seq);
        let cx = RunCx {
            run,
            domain: identity.spec.domain,
            journal: Arc::new(recorder),
            clock: Arc::clone(&self.clock),
            cancel,
            breakpoints: identity.spec.breakpoints,
            inbox,
        };
        engine::run(graph, start, cx).await
    }

    /// The events of a run after `after`, then live.
    #[must_use]
    pub fn watch(&self, run: RunId, after: Seq) -> Watch {
        self.bus.watch(Arc::clone(&self.store), run, after)
    }
}
