//! A visit of a node for tests: a real engine over a log in memory, and a driver that plays a script.

pub(crate) mod place;

pub(crate) use crate::agent::sampling::NoTools;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use amelia_core::checkpoint::{LoadedCheckpoint, Position, Visit, VisitQuestion};
use amelia_core::clock::{Clock, TickingClock};
use amelia_core::config::agent::DriverType;
use amelia_core::config::retry::RetryConfig;
use amelia_core::driver::{
    AgentMessage, AgentMessageStream, AgentRequest, Driver, DriverError, ModelOptions,
};
use amelia_core::event::human::{Intervention, InterventionKind};
use amelia_core::event::run::ResumeReason;
use amelia_core::event::{AgentEvent, Event, EventKind};
use amelia_core::human::{AnsweredRequest, HumanAction, HumanKind, HumanReply, HumanRequest, OnTimeout};
use amelia_core::id::{AgentName, CallId, MessageId, NodeId, RequestId, RunId, Seq, Step};
use amelia_core::journal::Journal;
use amelia_core::message::{ExecutionMode, Message, Object, Part, Role, TextPart};
use amelia_core::plan::check::check;
use amelia_core::recording::NoTape;
use amelia_core::redact::Redactor;
use amelia_core::review::{Disposition, EvaluatedItem};
use amelia_core::store::{Commit, StoreError, trace_of};
use amelia_core::tool::{CallOptions, ToolBox, ToolCall, ToolCx, ToolName, ToolResult};
use amelia_core::tracker::Issue;
use amelia_core::view::HEARD;
use amelia_graph::engine::{Answers, RunCx, StartFrom, Stop, run};
use amelia_graph::graph::{END, Graph};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use amelia_graph::state::State;
use async_trait::async_trait;
use futures_util::{StreamExt, stream};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent::Agent;
use crate::helpers::Helpers;
use crate::live::unseen;
use crate::pipeline::implementation::state::{Implementation, PlanDraft, TaskCommit};

/// A log in memory that outlives its visits, as one does on disk.
#[derive(Default)]
pub(crate) struct Log {
    events: Mutex<Vec<Event>>,
}

#[async_trait]
impl Journal for Log {
    async fn commit(&self, commit: Commit) -> Result<Seq, StoreError> {
        let run = the_run();
        let mut events = self.events.lock().unwrap();
        for draft in commit.drafts {
            let seq = Seq::START.plus(events.len() + 1);
            events.push(Event { run, seq, trace: trace_of(run), draft });
        }
        Ok(Seq::START.plus(events.len()))
    }

    async fn past(&self, since: Seq, step: Step) -> Result<Vec<Event>, StoreError> {
        let events = self.events();
        Ok(events.into_iter().filter(|event| event.seq > since && event.draft.step == Some(step)).collect())
    }

    async fn session(&self, session: RunId) -> Result<Arc<Vec<Event>>, StoreError> {
        let is_of_session = |event: &Event| event.draft.session == Some(session);
        Ok(Arc::new(self.events().into_iter().filter(is_of_session).collect()))
    }

    fn end(&self) -> Seq {
        Seq::START.plus(self.events.lock().unwrap().len())
    }
}

impl Log {
    pub(crate) fn events(&self) -> Vec<Event> {
        self.events.lock().unwrap().clone()
    }
}

fn the_run() -> RunId {
    RunId(uuid::Uuid::from_u128(7))
}

/// The context of visit 1, as a node gets it that was interrupted before: it looks back at what `log` has of it.
pub(crate) async fn visit(log: &Arc<Log>) -> NodeCx {
    later_visit(log, 1).await
}

/// The question of a visit that asks only one.
pub(crate) fn only(mut requests: Vec<HumanRequest>) -> HumanRequest {
    assert_eq!(requests.len(), 1, "{requests:?}");
    requests.remove(0)
}

/// The context of the visit with this number.
pub(crate) async fn later_visit(log: &Arc<Log>, number: u32) -> NodeCx {
    entered(log, Step(number), VisitQuestion::Nothing).await
}

/// The context of visit 1 after a person has answered it.
pub(crate) async fn visit_after(log: &Arc<Log>, answered: AnsweredRequest) -> NodeCx {
    entered(log, Step(1), VisitQuestion::Answered(Box::new(answered))).await
}

async fn entered(log: &Arc<Log>, step: Step, asking: VisitQuestion) -> NodeCx {
    let caught = Arc::new(Mutex::new(None));
    let graph = Graph::builder("test").entry("work").node("work", Catch(Arc::clone(&caught))).edge(END);
    let graph = graph.build().unwrap();
    let clock = TickingClock::default();
    let visit = Visit { asking, ..Visit::new(step, Seq::START) };
    let position = Position {
        entered: BTreeMap::from([(NodeId::new("work").unwrap(), visit)]),
        steps: step,
        limit: graph.limit(),
        ..Position::default()
    };
    let saved = Box::new(LoadedCheckpoint {
        number: 1,
        seq: Seq::START,
        graph: graph.name().clone(),
        version: graph.version(),
        at: clock.now(),
        position,
        snapshot: "null".to_owned(),
        updates: Vec::new(),
        damaged: Vec::new(),
    });
    let start = StartFrom::Resume { saved, reason: ResumeReason::Recovered, answers: Answers::default() };
    let journal: Arc<dyn Journal> = Arc::clone(log) as Arc<dyn Journal>;
    let stop = run(&graph, start, RunCx::new(the_run(), journal, Arc::new(clock))).await.unwrap();
    assert_eq!(stop, Stop::Completed);
    let cx = caught.lock().unwrap().take();
    cx.unwrap()
}

/// Hands its context to the test, which then does what a node would do with it.
struct Catch(Arc<Mutex<Option<NodeCx>>>);

#[async_trait]
impl Node<Nothing> for Catch {
    async fn run(&self, cx: &NodeCx, _: &Nothing) -> Result<Outcome<()>, NodeError> {
        *self.0.lock().unwrap() = Some(cx.clone());
        Ok(Outcome::Done(Vec::new()))
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Nothing;

impl State for Nothing {
    type Update = ();

    fn apply(&mut self, (): ()) {}
}

/// The person says something to an agent at work.
pub(crate) async fn hears(cx: &NodeCx, agent: &AgentName, words: &str) {
    let words = Intervention {
        id: format!("id of {words}"),
        kind: InterventionKind::Instruction,
        details: Object::from_iter([("message".to_owned(), words.into())]),
        by: None,
    };
    let heard = Box::new(crate::conversation::heard(cx, agent, &words));
    let said = cx.draft(agent, EventKind::Agent(AgentEvent::Said(heard)));
    cx.record(vec![said]).await.unwrap();
}

/// What the driver does when it is asked the next time.
pub(crate) enum ScriptedTurn {
    Says(&'static str),
    Calls(&'static str, Value),
    /// Hears the person before its turn.
    Hears(&'static str, Box<ScriptedTurn>),
    Fails(DriverError),
}

/// A driver that plays its turns in order, and keeps what it was asked.
#[derive(Default)]
pub(crate) struct ScriptedDriver {
    turns: Mutex<VecDeque<ScriptedTurn>>,
    asked: Mutex<Vec<AgentRequest>>,
}

impl ScriptedDriver {
    pub(crate) fn new(turns: impl IntoIterator<Item = ScriptedTurn>) -> Arc<Self> {
        Arc::new(Self { turns: Mutex::new(turns.into_iter().collect()), asked: Mutex::default() })
    }

    /// The last words of every request.
    pub(crate) fn last_words(&self) -> Vec<String> {
        let last =
            |request: &AgentRequest| request.messages.last().map(|last| last.text()).unwrap_or_default();
        self.asked.lock().unwrap().iter().map(last).collect()
    }

    pub(crate) fn requests(&self) -> Vec<AgentRequest> {
        self.asked.lock().unwrap().clone()
    }
}

impl Driver for ScriptedDriver {
    fn run(&self, request: AgentRequest, tools: Arc<dyn ToolBox>, cx: ToolCx) -> AgentMessageStream {
        let turn = self.turns.lock().unwrap().pop_front().expect("the script has another turn");
        let number = u128::try_from(self.asked.lock().unwrap().len()).unwrap();
        let agent = request.agent.clone();
        self.asked.lock().unwrap().push(request);
        self.play(turn, &agent, number, (tools, cx))
    }
}

impl ScriptedDriver {
    fn play(
        &self,
        turn: ScriptedTurn,
        agent: &AgentName,
        number: u128,
        (tools, cx): (Arc<dyn ToolBox>, ToolCx),
    ) -> AgentMessageStream {
        let result = |text: String| AgentMessage::Result { text, session: None, is_error: false };
        match turn {
            ScriptedTurn::Hears(words, turn) => {
                let said = message(Role::User, agent, number, vec![Part::Text(TextPart::new(words))]);
                let metadata = Object::from_iter([(HEARD.to_owned(), format!("id of {words}").into())]);
                let heard = AgentMessage::Said(Box::new(Message { metadata, ..said }));
                let rest = self.play(*turn, agent, number, (tools, cx));
                Box::pin(stream::iter([Ok(heard)]).chain(rest))
            }
            ScriptedTurn::Fails(error) => Box::pin(stream::iter([Err(error)])),
            ScriptedTurn::Says(text) => {
                let said = message(Role::Assistant, agent, number, vec![Part::Text(TextPart::new(text))]);
                let all = [AgentMessage::Said(Box::new(said)), result(text.to_owned())];
                Box::pin(stream::iter(all.map(Ok)))
            }
            // A result that is accepted ends the conversation here; one that is refused is said once more.
            ScriptedTurn::Calls(name, args) => {
                let call = call(&format!("call-{number}"), name, args);
                let said = message(Role::Assistant, agent, number, vec![Part::ToolCall(call.clone())]);
                let first = AgentMessage::Said(Box::new(said));
                Box::pin(stream::unfold(Some(Some(first)), move |next| {
                    let (tools, cx, call) = (Arc::clone(&tools), cx.clone(), call.clone());
                    async move {
                        match next? {
                            Some(first) => Some((Ok(first), Some(None))),
                            None => {
                                let ToolResult { output, error, .. } = tools.call(&cx, &call).await;
                                Some((Ok(result(error.unwrap_or(output))), None))
                            }
                        }
                    }
                }))
            }
        }
    }
}

pub(crate) fn message(role: Role, agent: &AgentName, number: u128, parts: Vec<Part>) -> Message {
    Message {
        id: MessageId(uuid::Uuid::from_u128(1000 + number)),
        at: TickingClock::default().now(),
        role,
        agent: agent.clone(),
        task: None,
        parent: None,
        mode: ExecutionMode::default(),
        memory: Object::new(),
        parts,
        metadata: Object::new(),
    }
}

pub(crate) fn call(id: &str, name: &str, args: Value) -> ToolCall {
    ToolCall {
        id: CallId::new(id).unwrap(),
        tool: ToolName::builtin(name),
        args: if let Value::Object(args) = args { args } else { Object::new() },
        at: None,
        options: CallOptions::default(),
    }
}

/// A member whose driver plays `script`.
pub(crate) fn member(script: &Arc<ScriptedDriver>, driver_type: DriverType) -> Agent {
    Agent {
        name: AgentName::new("me").unwrap(),
        driver: Arc::clone(script) as Arc<dyn Driver>,
        driver_type,
        model: "m".to_owned(),
        options: ModelOptions::default(),
        max_turns: 10,
        helpers: Helpers::default(),
        more_tools: None,
        live: unseen(),
        tape: Arc::new(NoTape),
        redactor: Arc::new(Redactor::default()),
        threads: Arc::default(),
        retry: RetryConfig { max_retries: 0, ..RetryConfig::default() },
    }
}

/// A finding that was decided about.
pub(crate) fn finding(title: &str, disposition: Disposition) -> EvaluatedItem {
    EvaluatedItem {
        number: 1,
        title: title.to_owned(),
        file: String::new(),
        line: 0,
        disposition,
        reason: format!("reason of {title}"),
        issue: format!("issue of {title}"),
        suggestion: String::new(),
    }
}

/// An issue without a description.
pub(crate) fn issue(key: &str, title: &str) -> Issue {
    let (description, status) = (String::new(), String::new());
    Issue { key: key.to_owned(), title: title.to_owned(), description, status }
}

/// The end of a task called `t1`, `t2`, …
pub(crate) fn task_commit(task: &str, commit: Option<&str>) -> TaskCommit {
    let (task, title) = (task.to_owned(), format!("t{task}"));
    TaskCommit { task, title, commit: commit.map(str::to_owned), ..TaskCommit::default() }
}

/// An approved plan of tasks on files of their own, each with these steps.
pub(crate) fn planned(tasks: u32, steps: &str) -> Implementation {
    let task = |id: u32| format!("### Task {id}: t{id}\n**Files:**\n- Create: `f{id}`\n{steps}");
    let markdown = (1..=tasks).map(task).fold("**Goal:** g\n".to_owned(), |text, task| text + &task);
    let draft = PlanDraft { plan: check(&markdown).0, markdown };
    Implementation { draft: Some(draft), is_approved: true, ..Implementation::default() }
}

/// A question with its context.
pub(crate) fn request(kind: HumanKind, context: Value) -> HumanRequest {
    HumanRequest {
        id: RequestId(uuid::Uuid::from_u128(42)),
        kind,
        by: AgentName::new("me").unwrap(),
        at: TickingClock::default().now(),
        prompt: "Which one?".to_owned(),
        context,
        deadline: None,
        on_timeout: OnTimeout::default(),
        session: None,
        mode: None,
    }
}

/// The answer to a question.
pub(crate) fn answered(request: HumanRequest, action: HumanAction, words: Option<&str>) -> AnsweredRequest {
    let reply = HumanReply {
        request: request.id,
        action,
        at: request.at,
        by: None,
        message: words.map(str::to_owned),
        updates: None,
        grant: None,
    };
    AnsweredRequest { request, reply }
}
