//! A toolbox whose calls are written down before they start and when they have ended. A tool never knows that it is
//! watched; what it says is cleaned of secrets before anybody sees it, the model included.

mod calling;
mod checking;
mod permitting;
mod program_calls;
mod refusing;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use amelia_core::config::agent::Asks;
use amelia_core::event::human::Intervention;
use amelia_core::event::{AgentEvent, Draft, EventKind};
use amelia_core::failing_calls::FailingCalls;
use amelia_core::guardrail::MadeCall;
use amelia_core::human::HumanRequest;
use amelia_core::id::{AgentName, CallId};
use amelia_core::message::{Message, Object, Part, Role};
use amelia_core::recording::Tape;
use amelia_core::redact::Redactor;
use amelia_core::tool::{
    JudgedAnswer, Risk, ToolBox, ToolCall, ToolCx, ToolName, ToolPermission, ToolResult, ToolSpec, WorkArea,
};
use amelia_graph::journaled::{ToolWork, journaled};
use amelia_graph::node::{NodeCx, NodeError};
use async_trait::async_trait;
use parking_lot::{Mutex, RwLock};

use crate::ending::{StopCause, StopSignal};
use crate::guarding::AgentGuard;
use crate::handing_in::HandIn;
use crate::helpers::Helpers;
use crate::moment::moment;
use crate::own_tool::{OwnStop, OwnTool, SamplingSource};
use crate::permission::{self, PermissionDecision};
use crate::stopping::{self, TurnPlace};
use crate::tool_journal::{CallResult, Watched};
use crate::{asking, conversation};
use checking::CheckStop;
use refusing::{gap_message, has_gap, refused};

/// What the calls of an agent are made with.
pub(crate) struct OwnTools<'a> {
    pub(crate) tools: &'a Arc<dyn ToolBox>,
    pub(crate) helpers: &'a Helpers,
    pub(crate) tape: &'a Arc<dyn Tape>,
    pub(crate) redactor: &'a Arc<Redactor>,
    pub(crate) agent: &'a AgentName,
    /// A program asks itself before it uses a tool; a model does not.
    pub(crate) is_program: bool,
    /// Whether servers may ask the person in the middle of a call.
    pub(crate) may_elicit: bool,
    /// Answers servers that ask for an answer of a model in the middle of a call.
    pub(crate) sampling: Option<Arc<dyn SamplingSource>>,
    /// Where the conversation continues.
    pub(crate) place: TurnPlace,
}

/// Tools of one agent in one node visit.
pub(crate) struct JournaledTools {
    inner: Arc<dyn ToolBox>,
    helpers: Helpers,
    /// The tools of the helpers, by name.
    own_tools: Vec<(ToolName, Arc<dyn OwnTool>)>,
    hand_ins: Vec<HandIn>,
    redactor: Arc<Redactor>,
    cx: NodeCx,
    agent: AgentName,
    outlet: StopSignal,
    /// Shared by calls under way; what ends the conversation waits until it has it alone, so that no result is lost.
    quiet: tokio::sync::RwLock<()>,
    /// Kept, because the specs are large and every call asks.
    risks: RwLock<BTreeMap<ToolName, Risk>>,
    /// A program has tools of its own, which are not offered here.
    is_program: bool,
    /// Calls that are in the log and have not started.
    announced: Mutex<BTreeSet<CallId>>,
    /// What the calls under way have to ask first.
    asks: Mutex<BTreeMap<CallId, Vec<HumanRequest>>>,
    /// What a person has allowed was allowed once, and has been used.
    is_granted: AtomicBool,
    /// A person wants to see calls of these tools first.
    is_asked: bool,
    /// A program does not notice itself that it makes the same failing call again and again.
    failing: Option<Mutex<FailingCalls>>,
    /// Calls that it makes at once by itself, with their results: of its own tools, and of tools that do not exist.
    calls_of_program: Mutex<Vec<(ToolCall, Option<ToolResult>)>>,
    may_elicit: bool,
    sampling: Option<Arc<dyn SamplingSource>>,
    /// Where the conversation is.
    place: Mutex<TurnPlace>,
    /// What people said that the agent was given and has not taken into its conversation.
    given: Mutex<Vec<Intervention>>,
    /// What the texts and calls are checked against.
    guard: Option<AgentGuard>,
    /// What was found in an answer, until it is written.
    found: Mutex<Vec<EventKind>>,
    /// Answers that were checked.
    judged: AtomicUsize,
    /// Calls that were checked and are made.
    decided: Mutex<Vec<MadeCall>>,
}

impl Drop for JournaledTools {
    fn drop(&mut self) {
        self.cx.untold(std::mem::take(&mut *self.given.lock()));
    }
}

/// What a call is to us.
enum Own<'a> {
    Question,
    Tool(&'a dyn OwnTool),
    HandIn(&'a HandIn),
    /// One of the toolbox.
    No,
}

impl JournaledTools {
    /// The tools of `agent` in this visit, and how its conversation may end.
    pub(crate) fn new(own: &OwnTools<'_>, cx: &NodeCx, hand_ins: Vec<HandIn>, outlet: StopSignal) -> Self {
        let tools = Self {
            inner: Arc::clone(own.tools),
            helpers: own.helpers.clone(),
            own_tools: own.helpers.tools.iter().map(|tool| (tool.spec().name, Arc::clone(tool))).collect(),
            hand_ins,
            redactor: Arc::clone(own.redactor),
            cx: cx.clone(),
            agent: own.agent.clone(),
            outlet,
            quiet: tokio::sync::RwLock::new(()),
            risks: RwLock::default(),
            is_program: own.is_program,
            announced: Mutex::default(),
            asks: Mutex::default(),
            is_granted: AtomicBool::new(false),
            is_asked: own.helpers.permissions.asks != Asks::Never
                || cx.stops().iter().any(|rule| rule.is_gate),
            failing: own.is_program.then(Mutex::default),
            calls_of_program: Mutex::default(),
            may_elicit: own.may_elicit,
            sampling: own.sampling.clone(),
            place: Mutex::new(own.place.clone()),
            given: Mutex::default(),
            guard: own.helpers.guard.as_ref().map(|guard| guard.of(cx, own.agent, own.tape)),
            found: Mutex::default(),
            judged: AtomicUsize::new(0),
            decided: Mutex::default(),
        };
        *tools.risks.write() = risks_of(&tools.specs());
        tools
    }

    /// The calls of a turn that come next for certain, to be written together with it: all when all only read, else
    /// the first one. A later one is not written before it is its turn: after a crash it must not look as if it had
    /// been begun.
    pub(crate) fn announce(&self, turn: &Message) -> Vec<Draft> {
        if turn.role == Role::Assistant {
            let turns = self.place.lock().turns + 1;
            *self.place.lock() = TurnPlace { turns, ..TurnPlace::default() };
        }
        self.given.lock().retain(|words| !conversation::is_of(turn, words));
        let mut calls: Vec<&ToolCall> = turn
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::ToolCall(call) => Some(call),
                _ => None,
            })
            .collect();
        if !calls.iter().all(|call| self.risks.read().get(&call.tool) == Some(&Risk::Read)) {
            calls.truncate(1);
        }
        // One that is refused, or that a person is asked about, does not begin.
        let allowed = PermissionDecision::Permit(ToolPermission::Allow { args: None });
        calls.retain(|call| self.decide_own(call) == allowed);
        calls.retain(|call| self.held(call).is_none());
        // One that is checked is decided on when it is made.
        if self.checks_calls() {
            calls.clear();
        }
        let mut announced = self.announced.lock();
        announced.extend(calls.iter().map(|call| call.id.clone()));
        let called = |call: &ToolCall| EventKind::Agent(AgentEvent::Called(call.clone()));
        let kinds = self.violations().into_iter().chain(calls.into_iter().map(called));
        kinds.map(|kind| self.cx.draft(&self.agent, self.redactor.clean(kind))).collect()
    }

    /// The tools that are ours, not those of the toolbox.
    fn own_specs(&self) -> Vec<ToolSpec> {
        let question = self.helpers.person.then(asking::spec);
        let helpers = self.helpers.tools.iter().map(|tool| tool.spec());
        let hand_ins = self.hand_ins.iter().map(|hand_in| hand_in.spec().clone());
        question.into_iter().chain(helpers).chain(hand_ins).collect()
    }

    fn own(&self, call: &ToolCall) -> Own<'_> {
        let name = call.tool.name.as_str();
        let helper = self.own_tools.iter().find(|(name, _)| *name == call.tool);
        let hand_in = self.hand_ins.iter().find(|hand_in| name == hand_in.name());
        match (helper, hand_in) {
            _ if call.tool.server.is_some() => Own::No,
            _ if self.helpers.person && name == asking::NAME => Own::Question,
            (Some((_, tool)), _) => Own::Tool(&**tool),
            (_, Some(hand_in)) => Own::HandIn(hand_in),
            _ => Own::No,
        }
    }

    async fn run(&self, cx: &ToolCx, call: &ToolCall) -> Result<ToolResult, OwnStop> {
        if let Some(error) = call.unreadable() {
            return Ok(ToolResult { error: Some(error), ..ToolResult::interrupted(call) });
        }
        // A call that is read back from the log, or copied from there, is not the call that was meant. Only the model
        // knows whether the text itself was.
        if self.inner.is_real() && self.risk(call) != Risk::Read && has_gap(call) {
            return Ok(refused(call, &gap_message()));
        }
        match self.own(call) {
            Own::No => self.call_toolbox(cx, call).await,
            Own::HandIn(hand_in) => Ok(hand_in.take(call)),
            Own::Tool(tool) => tool.call(&self.cx, call).await,
            Own::Question => self.ask(call),
        }
    }

    /// The toolbox does not know our own tools, so what it says about an unknown one is not the whole truth.
    fn with_own_names(&self, mut result: ToolResult) -> ToolResult {
        let extras = self.own_specs();
        if let Some(error) = result
            .error
            .as_mut()
            .filter(|_| !extras.is_empty() && !self.risks.read().contains_key(&result.tool))
        {
            let names: Vec<String> = extras.iter().map(|spec| spec.name.to_string()).collect();
            error.push_str(&format!("; there are also: {}", names.join(", ")));
        }
        result
    }

    /// Leaves the conversation with what a call has to ask first; it continues with the answers. Calls that are under way
    /// beside it end first, or ask as well; people see what a sub-agent asks meanwhile. A replay must ask in the same order: it is that of the ids of the calls, not
    /// that of the moments. One question for each conversation: its others are asked when it has this answer.
    async fn leave<T>(&self, call: &ToolCall, requests: Vec<HumanRequest>) -> T {
        let of_sub_agents = requests.iter().filter(|request| request.session.is_some());
        let early: Vec<HumanRequest> =
            of_sub_agents.map(|request| self.redactor.clean(request.clone())).collect();
        self.asks.lock().insert(call.id.clone(), requests);
        if !early.is_empty() && self.quiet.try_write().is_err() {
            // Others are at work: a person need not wait for them.
            self.cx.ask_early(early).await;
        }
        let _quiet = self.quiet.write().await;
        let asks = std::mem::take(&mut *self.asks.lock());
        let mut seen = BTreeSet::new();
        let first = asks.into_values().flatten().filter(|request| seen.insert(request.session));
        let requests = first.map(|request| self.redactor.clean(request)).collect();
        self.outlet.end(StopCause::Asks(requests)).await
    }

    fn ask(&self, call: &ToolCall) -> Result<ToolResult, OwnStop> {
        if let Some(answer) = asking::answer(&self.cx, call) {
            return Ok(answer);
        }
        match asking::question(&self.cx, &self.agent, call) {
            Err(problem) => Ok(ToolResult { error: Some(problem), ..ToolResult::interrupted(call) }),
            Ok(request) => Err(OwnStop::Asks(vec![request])),
        }
    }

    /// With what a person said when they allowed the call.
    fn noted(&self, call: &ToolCall, changed: Option<&Object>, mut result: ToolResult) -> ToolResult {
        let is_its_answer = self.cx.answered().is_some_and(|given| permission::is_about_call(given, call));
        if let Some(note) = permission::note(&self.cx, changed).filter(|_| self.is_asked && is_its_answer) {
            result.output = format!("{note}\n\n{}", result.output);
        }
        result
    }

    /// Whether this conversation can change files.
    fn may_write(&self) -> bool {
        self.is_program || self.risks.read().values().any(|risk| *risk != Risk::Read)
    }

    /// An unknown tool is not run at all, so it may be "run" again. So may a question: one that was not
    /// written down was not asked.
    fn risk(&self, call: &ToolCall) -> Risk {
        match self.own(call) {
            Own::Question | Own::Tool(_) | Own::HandIn(_) => Risk::Read,
            Own::No => self.risks.read().get(&call.tool).copied().unwrap_or(Risk::Read),
        }
    }
}

#[async_trait]
impl ToolBox for JournaledTools {
    fn specs(&self) -> Vec<ToolSpec> {
        let mut specs = self.inner.specs();
        specs.extend(self.own_specs());
        specs
    }

    fn work_area(&self) -> Option<WorkArea> {
        self.inner.work_area()
    }

    /// Looking for changed files starts git: only where something could have changed them.
    async fn file_events(&self, moment: &str) -> Vec<EventKind> {
        match self.may_write() {
            true => self.inner.file_events(moment).await,
            false => Vec::new(),
        }
    }

    fn extras(&self) -> Vec<ToolSpec> {
        let mut specs = self.inner.extras();
        specs.extend(self.own_specs());
        specs
    }

    async fn refresh(&self, recorded: Option<&[ToolSpec]>) -> Option<Vec<ToolSpec>> {
        let mut specs = self.inner.refresh(recorded).await?;
        specs.extend(self.own_specs());
        *self.risks.write() = risks_of(&specs);
        Some(specs)
    }

    async fn before_turn(&self) {
        if self.cx.stops().is_empty() {
            return;
        }
        let recorded = match stopping::looks_at_events(&self.cx) {
            true => self.cx.recorded().await,
            false => Ok(Vec::new()),
        };
        let recorded = match recorded {
            Ok(recorded) => recorded,
            Err(error) => return self.outlet.end(StopCause::Broken(error.into())).await,
        };
        let place = self.place.lock().clone();
        if let Some(request) = stopping::before_turn(&self.cx, &self.agent, &place, &recorded) {
            self.outlet.end::<()>(StopCause::Asks(vec![self.redactor.clean(request)])).await;
        }
    }

    async fn judge(&self, parts: Vec<Part>) -> JudgedAnswer {
        self.checked_answer(parts)
    }

    async fn heard(&self) -> Message {
        let words = self.cx.told(&self.agent).await;
        let message = conversation::heard(&self.cx, &self.agent, &words);
        self.given.lock().push(words);
        message
    }

    async fn permit(&self, call: &ToolCall, risk: Risk) -> ToolPermission {
        if let Some(message) = self.refused_to_program(call, risk).await {
            return ToolPermission::Deny { message };
        }
        self.pass_stops(call).await;
        match self.decide(call, risk) {
            PermissionDecision::Permit(permit) => permit,
            // What is asked, and remembered, has no secrets in it.
            PermissionDecision::AskPerson => {
                let call = self.redactor.clean(call.clone());
                self.answered_or_asked(&call, risk, permission::answer(&self.cx, &call)).await
            }
        }
    }

    async fn call(&self, cx: &ToolCx, call: &ToolCall) -> ToolResult {
        let is_announced = self.announced.lock().remove(&call.id);
        let own = self.own(call);
        let found = match is_announced {
            true => Ok(Vec::new()),
            false => self.checked_call(call).await,
        };
        let found = match found {
            Ok(found) => found,
            Err(CheckStop::Blocked(result)) => {
                self.place.lock().has_failed = true;
                return self.unless_looping(call, result).await;
            }
            Err(CheckStop::Log(error)) => return self.outlet.end(StopCause::Broken(error)).await,
        };
        let permit = match is_announced {
            true => Ok(ToolPermission::Allow { args: None }),
            false => self.permit_own(call).await,
        };
        let (call, changed, refusal) = match permit {
            Ok(ToolPermission::Allow { args: None }) => (Cow::Borrowed(call), None, None),
            Ok(ToolPermission::Allow { args: Some(args) }) => {
                (Cow::Owned(ToolCall { args: args.clone(), ..call.clone() }), Some(args), None)
            }
            Ok(ToolPermission::Deny { message }) => (Cow::Borrowed(call), None, Some(message)),
            Err(error) => return self.outlet.end(StopCause::Broken(error)).await,
        };
        let call = &*call;
        let under_way = self.quiet.read().await;
        let asked = Mutex::new(None);
        let written = self.redactor.clean(call.clone());
        let is_announced = match is_announced {
            true => Ok(true),
            false => self.begins_again(&written).await,
        };
        let is_announced = match is_announced {
            Ok(is_announced) => is_announced,
            Err(error) => return self.outlet.end(StopCause::Broken(error)).await,
        };
        if let Err(error) = self.write_found(found).await {
            return self.outlet.end(StopCause::Broken(error)).await;
        }
        let work = ToolWork { agent: self.agent.clone(), call: written, risk: self.risk(call) };
        let (may_repeat, redactor) = (self.inner.may_repeat(&call.tool), Arc::clone(&self.redactor));
        let watched = Watched { work, is_announced, may_repeat, redactor };
        let done = journaled(&self.cx, &watched, |_| async {
            if let Some(message) = refusal {
                return Ok(refused(call, &message).into());
            }
            let result = match self.run(cx, call).await {
                Ok(result) => self.noted(call, changed.as_ref(), result),
                Err(OwnStop::Node(error)) => return Err(error),
                Err(OwnStop::Asks(requests)) => {
                    *asked.lock() = Some(requests);
                    return Err(NodeError::new("asks", "a person is asked first"));
                }
            };
            let (result, found) = self.checked_result(call, self.redactor.clean(result));
            let mut files = match watched.work.risk {
                Risk::Read => Vec::new(),
                Risk::Write | Risk::Execute | Risk::External => {
                    let moment = moment(&self.cx, &self.agent, call.id.as_str());
                    self.inner.file_events(&moment).await
                }
            };
            files.extend(found);
            Ok(CallResult { result, files })
        })
        .await
        .map(|done| done.result);
        drop(under_way);
        if let Some(requests) = asked.into_inner() {
            return self.leave(call, requests).await;
        }
        match (done, own) {
            (Ok(result), Own::HandIn(hand_in)) if result.is_success() => {
                let _quiet = self.quiet.write().await;
                let (tool, args) = (hand_in.name().to_owned(), self.redactor.clean(call.args.clone()));
                self.outlet.end(StopCause::HandedIn { tool, args }).await
            }
            (Ok(result), _) => {
                self.place.lock().has_failed |= !result.is_success();
                self.unless_looping(call, result).await
            }
            // The log cannot be written: the driver must not continue as if it could.
            (Err(error), _) => self.outlet.end(StopCause::Broken(error)).await,
        }
    }
}

fn risks_of(specs: &[ToolSpec]) -> BTreeMap<ToolName, Risk> {
    specs.iter().map(|spec| (spec.name.clone(), spec.risk)).collect()
}

#[cfg(test)]
#[path = "tools_tests.rs"]
mod tests;
