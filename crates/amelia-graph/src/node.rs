//! A node does the work of one step. Everything with an effect happens here, and only here.

mod advice;
mod stopping;
mod tasks;

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;

use amelia_core::clock::Clock;
use amelia_core::event::human::Intervention;
use amelia_core::event::{AgentEvent, Draft, Event, EventKind};
use amelia_core::human::{AnsweredRequest, HumanKind, HumanRequest, OnTimeout};
use amelia_core::id::{AgentName, EventId, NodeId, RequestId, RunId, Seq, Step};
use amelia_core::journal::Journal;
use amelia_core::permission::PermissionGrant;
use amelia_core::problem::{Hinted, Problem};
use amelia_core::run::Domain;
use amelia_core::store::{Commit, StoreError, trace_of};
use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::sync::{OnceCell, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::derived_id::id_of;
use crate::notes::Notes;
use crate::state::{State, StateConditions};
use crate::stops::Stops;
use crate::user_messages::UserMessages;

/// One kind of work. A node that needs an answer returns [`Outcome::Wait`]; it runs again, from its start,
/// with [`NodeCx::answered`] set. What must not be done twice goes through [`crate::journaled`].
#[async_trait]
pub trait Node<S: State>: Send + Sync {
    /// Does the work. `Err` means: this run cannot continue without help.
    async fn run(&self, cx: &NodeCx, state: &S) -> Result<Outcome<S::Update>, NodeError>;
}

/// What came of a node.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome<U> {
    Done(Vec<U>),
    /// The node runs again when all of these are answered.
    Wait(Vec<HumanRequest>),
}

impl<U> Outcome<U> {
    /// One question.
    #[must_use]
    pub fn ask(request: HumanRequest) -> Self {
        Self::Wait(vec![request])
    }
}

/// Why a node cannot continue. The run fails, keeps its position, and may be retried.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct NodeError {
    /// Stable, for machines.
    pub code: String,
    pub problem: Problem,
}

impl NodeError {
    /// An error with a name, and a message for a person.
    pub fn new(code: impl Into<String>, problem: impl Into<Problem>) -> Self {
        Self { code: code.into(), problem: problem.into() }
    }
}

impl Hinted for NodeError {
    fn hint(&self) -> Option<String> {
        self.problem.hint.clone()
    }
}

impl From<StoreError> for NodeError {
    fn from(error: StoreError) -> Self {
        Self::new("store", error)
    }
}

/// What a node may use: its log, its answer, time and ids. Clones are the same visit.
#[derive(Clone)]
pub struct NodeCx {
    pub(crate) run: RunId,
    pub(crate) node: NodeId,
    pub(crate) step: Step,
    pub(crate) since: Seq,
    /// `false` when this visit has run before and may have left a journal.
    pub(crate) is_first_try: bool,
    pub(crate) answered: Vec<AnsweredRequest>,
    /// The child run that speaks, when it is not the run itself.
    pub(crate) session: Option<ChildSession>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) past: Arc<OnceCell<Arc<Vec<Event>>>>,
    /// Keys of the effects that this try has begun.
    pub(crate) effects: Arc<Mutex<BTreeSet<String>>>,
    pub(crate) notes: Arc<Notes>,
    /// The state with which the visit began, for conditions.
    pub(crate) state: Arc<dyn StateConditions>,
    /// The task of a plan that is worked on here.
    pub(crate) task: Option<Arc<str>>,
}

/// A child run on the log of this one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChildSession {
    id: RunId,
    domain: Domain,
    reach: Reach,
    /// Its questions are its own: only it sees their answers.
    is_sub_agent: bool,
}

/// How far back a session goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    Visit,
    Run,
}

/// What all nodes of one run have in common.
pub(crate) struct Shared {
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) cancel: CancellationToken,
    pub(crate) system: AgentName,
    pub(crate) domain: Domain,
    pub(crate) words: UserMessages,
    pub(crate) granted: Mutex<Vec<PermissionGrant>>,
    pub(crate) stops: Stops,
    /// What the run has cost so far.
    pub(crate) usd: Mutex<f64>,
    /// Questions without an answer that nothing waits for.
    pub(crate) advice: Mutex<Vec<HumanRequest>>,
    pub(crate) early: mpsc::UnboundedSender<EarlyQuestions>,
}

/// What sub-agents of a visit ask while others of it are at work.
#[derive(Debug)]
pub(crate) struct EarlyQuestions {
    pub(crate) node: NodeId,
    pub(crate) step: Step,
    pub(crate) requests: Vec<HumanRequest>,
    /// People see them.
    pub(crate) shown: oneshot::Sender<()>,
}

impl Shared {
    /// What happened inside a visit: what it has cost, and what rules wait for.
    fn count(&self, drafts: &[Draft]) {
        self.count_cost(drafts);
        self.stops.notice(drafts);
    }

    /// Counts what calls to models have cost, as soon as it is known.
    fn count_cost(&self, drafts: &[Draft]) {
        let cost = |draft: &Draft| match &draft.kind {
            EventKind::Agent(AgentEvent::Used(usage)) => usage.cost_usd,
            _ => None,
        };
        *self.usd.lock() += drafts.iter().filter_map(cost).sum::<f64>();
    }

    /// A fact about the run itself.
    pub(crate) fn draft(&self, kind: EventKind) -> Draft {
        Draft {
            id: EventId(self.clock.new_id()),
            at: self.clock.now(),
            agent: self.system.clone(),
            domain: self.domain,
            session: None,
            step: None,
            cause: None,
            kind,
        }
    }

    /// A question in the name of the run itself.
    pub(crate) fn ask(&self, kind: HumanKind, prompt: String) -> HumanRequest {
        HumanRequest {
            id: RequestId(self.clock.new_id()),
            kind,
            by: self.system.clone(),
            at: self.clock.now(),
            prompt,
            context: serde_json::Value::Null,
            deadline: None,
            on_timeout: OnTimeout::default(),
            session: None,
            mode: None,
        }
    }
}

/// The id of a child run of `parent` in a visit: see [`NodeCx::child`].
#[must_use]
pub fn child_id(parent: RunId, step: Step, key: &str) -> RunId {
    RunId(id_of(format!("{parent}/{step}/{key}").as_bytes()))
}

impl NodeCx {
    /// The run this visit belongs to.
    #[must_use]
    pub fn run(&self) -> RunId {
        self.run
    }

    /// The node that is visited.
    #[must_use]
    pub fn node(&self) -> &NodeId {
        &self.node
    }

    /// What kind of work the run is.
    #[must_use]
    pub fn domain(&self) -> Domain {
        self.shared.domain
    }

    /// The number of this visit: the same when it runs again after a crash or an answer.
    #[must_use]
    pub fn step(&self) -> Step {
        self.step
    }

    /// The answer to what this visit asked, or to what this sub-agent asked in it.
    #[must_use]
    pub fn answered(&self) -> Option<&AnsweredRequest> {
        self.answered.iter().find(|answered| answered.request.session == self.sub_agent_id())
    }

    fn sub_agent_id(&self) -> Option<RunId> {
        self.session.filter(|session| session.is_sub_agent).map(|session| session.id)
    }

    /// The present moment.
    #[must_use]
    pub fn now(&self) -> jiff::Timestamp {
        self.shared.clock.now()
    }

    /// A new id.
    #[must_use]
    pub fn new_id(&self) -> uuid::Uuid {
        self.shared.clock.new_id()
    }

    /// Fires when the run is cancelled. Dropping the node's future stops it too.
    #[must_use]
    pub fn cancel(&self) -> &CancellationToken {
        &self.shared.cancel
    }

    /// What a person says to the run or to `agent`, whenever they do. Each word is heard by one who asks; one that is not
    /// written down as heard is said again when the run resumes.
    pub async fn told(&self, agent: &AgentName) -> Intervention {
        self.shared.words.next(agent).await
    }

    /// Words that came from [`NodeCx::told`] and were not heard, oldest first: others may hear them.
    pub fn untold(&self, words: Vec<Intervention>) {
        self.shared.words.give_back(words);
    }

    /// The rules by which people have let `agent` make calls without asking, until now.
    #[must_use]
    pub fn granted(&self, agent: &AgentName) -> Vec<String> {
        let granted = self.shared.granted.lock();
        granted.iter().filter(|grant| grant.agent == *agent).map(|grant| grant.rule.clone()).collect()
    }

    /// Whether a condition is true of the state with which this visit began; `Err` says why that cannot be decided.
    pub fn decide(&self, condition: &str) -> Result<bool, String> {
        self.state.is_true(condition)
    }

    /// A value of the state with which this visit began, as conditions see it.
    #[must_use]
    pub fn value(&self, name: &str) -> serde_json::Value {
        self.state.value_of(name)
    }

    /// What the run has cost so far, in USD.
    #[must_use]
    pub fn usd(&self) -> f64 {
        *self.shared.usd.lock()
    }

    /// A question in the name of this node.
    #[must_use]
    pub fn request(&self, kind: HumanKind, prompt: impl Into<String>) -> HumanRequest {
        HumanRequest { session: self.sub_agent_id(), ..self.shared.ask(kind, prompt.into()) }
    }

    /// Shows questions of sub-agents at once, while others of this visit are still at work; returns when they are durable.
    /// People may answer them from then on. The visit still ends with them ([`Outcome::Wait`]), and runs again when all are
    /// answered.
    pub async fn ask_early(&self, requests: Vec<HumanRequest>) {
        let (shown, is_shown) = oneshot::channel();
        let early = EarlyQuestions { node: self.node.clone(), step: self.step, requests, shown };
        if self.shared.early.send(early).is_ok() {
            // An engine that has stopped shows nothing any more, and drops this visit.
            is_shown.await.ok();
        }
    }

    /// A child run inside this visit, with a conversation of its own on the same log. The same `key` is the same child,
    /// also after a crash.
    #[must_use]
    pub fn child(&self, key: &str, domain: Domain) -> Self {
        let session = child_id(self.session().unwrap_or(self.run), self.step, key);
        let session = Some(ChildSession { id: session, domain, reach: Reach::Visit, is_sub_agent: false });
        Self { session, past: Arc::default(), answered: Vec::new(), ..self.clone() }
    }

    /// This child, as the one that the question of `visit` was about: it sees the answer.
    #[must_use]
    pub fn with_answer_to(self, visit: &Self) -> Self {
        Self { answered: visit.answered.clone(), ..self }
    }

    /// A child run for a helper in the work of this one.
    #[must_use]
    pub fn helper(&self, key: &str) -> Self {
        self.child(key, self.session.map_or(self.shared.domain, |session| session.domain))
    }

    /// The conversation of a sub-agent: a child that can ask a person itself.
    #[must_use]
    pub fn sub_agent(&self, key: &str) -> Self {
        let child = self.helper(key);
        let session = child.session.map(|session| ChildSession { is_sub_agent: true, ..session });
        Self { session, answered: self.answered.clone(), ..child }
    }

    /// A conversation that spans several visits of this run: the same `key` is the same one. What it recorded in
    /// earlier visits is part of its past.
    #[must_use]
    pub fn thread(&self, key: &str) -> Self {
        let id = RunId(id_of(format!("{}//{key}", self.run).as_bytes()));
        let session =
            Some(ChildSession { id, domain: self.shared.domain, reach: Reach::Run, is_sub_agent: false });
        Self { session, past: Arc::default(), ..self.clone() }
    }

    /// Whether this is a conversation that spans visits. In each of them it is the only one that speaks.
    #[must_use]
    pub fn is_thread(&self) -> bool {
        self.session.is_some_and(|session| session.reach == Reach::Run)
    }

    /// The child run that speaks here, when it is not the run itself.
    #[must_use]
    pub fn session(&self) -> Option<RunId> {
        self.session.map(|session| session.id)
    }

    /// A fact that happened inside this visit, said by `agent`.
    #[must_use]
    pub fn draft(&self, agent: &AgentName, kind: EventKind) -> Draft {
        let kind = self.with_task(kind);
        let draft = Draft { agent: agent.clone(), step: Some(self.step), ..self.shared.draft(kind) };
        match self.session {
            Some(ChildSession { id, domain, .. }) => Draft { session: Some(id), domain, ..draft },
            None => draft,
        }
    }

    /// Writes facts to the log, after those that were noted before; durable when it returns.
    pub async fn record(&self, drafts: Vec<Draft>) -> Result<(), StoreError> {
        self.shared.count(&drafts);
        let mut all = self.notes.take();
        all.extend(drafts);
        if all.is_empty() {
            return Ok(());
        }
        self.shared
            .journal
            .commit(Commit { drafts: all, checkpoint: None, ..Commit::default() })
            .await
            .map(|_| ())
    }

    /// Facts that need no commit of their own: written with the next ones of this visit, at the latest with its end.
    /// They are lost with the process until then, so they must be such that a repeated visit makes them again, or can
    /// do without.
    pub fn note(&self, drafts: Vec<Draft>) {
        self.shared.count(&drafts);
        self.notes.add(drafts);
    }

    /// Writes what was noted once it has waited a moment for company. A node that may be long about something awaits
    /// this beside it; it may be dropped at any time.
    pub async fn write_noted(&self) -> Result<(), StoreError> {
        self.notes.due().await;
        self.record(Vec::new()).await
    }

    /// This visit, for an effect. When this very try has begun it before, the past that it sees is up to date.
    pub(crate) fn for_effect(&self, key: &str) -> Self {
        let mut effects = self.effects.lock();
        if effects.insert(key.to_owned()) {
            return self.clone();
        }
        self.up_to_date()
    }

    /// This visit, with a past that has what this very try has recorded too.
    #[must_use]
    pub fn up_to_date(&self) -> Self {
        Self { is_first_try: false, past: Arc::default(), ..self.clone() }
    }

    /// What earlier tries of this visit recorded, in this session: empty on the first one. A thread's past goes back to
    /// its first visit.
    pub async fn past(&self) -> Result<&[Event], StoreError> {
        if self.is_first_try && !self.is_thread() {
            return Ok(&[]);
        }
        Ok(self.past.get_or_try_init(|| self.look_back()).await?)
    }

    /// Everything that this visit has recorded so far, by all who speak in it. What is only noted comes last, in the
    /// places that it will probably have.
    pub async fn recorded(&self) -> Result<Vec<Event>, StoreError> {
        let mut events = self.shared.journal.past(self.since, self.step).await?;
        let (run, end, noted) = (self.run, self.log_end(), self.notes.waiting());
        let trace = trace_of(run);
        let placed = noted.into_iter().zip(1..).map(|(draft, place)| Event {
            run,
            seq: end.plus(place),
            trace,
            draft,
        });
        events.extend(placed);
        Ok(events)
    }

    /// Where the log of the run ends, with everything that was submitted to it.
    #[must_use]
    pub fn log_end(&self) -> Seq {
        self.shared.journal.end()
    }

    async fn look_back(&self) -> Result<Arc<Vec<Event>>, StoreError> {
        self.record(Vec::new()).await?;
        if let Some(thread) = self.session.filter(|session| session.reach == Reach::Run) {
            return self.shared.journal.session(thread.id).await;
        }
        let mut past = self.shared.journal.past(self.since, self.step).await?;
        past.retain(|event| event.draft.session == self.session());
        Ok(Arc::new(past))
    }
}

/// A node made of a function of the state that has no effects.
pub fn pure<S, F>(change: F) -> impl Node<S>
where
    S: State,
    F: Fn(&S) -> Vec<S::Update> + Send + Sync,
{
    Pure(change)
}

struct Pure<F>(F);

#[async_trait]
impl<S, F> Node<S> for Pure<F>
where
    S: State,
    F: Fn(&S) -> Vec<S::Update> + Send + Sync,
{
    async fn run(&self, _: &NodeCx, state: &S) -> Result<Outcome<S::Update>, NodeError> {
        Ok(Outcome::Done((self.0)(state)))
    }
}

/// Keeps `Future` nameable in bounds of other modules.
pub(crate) type BoxedWork<T> = std::pin::Pin<Box<dyn Future<Output = T> + Send>>;
