//! The tool `delegate`: another agent does a task in a conversation of its own, and only its summary returns.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use amelia_core::config::sub_agents::SubAgentLimits;
use amelia_core::event::run::RunFailure;
use amelia_core::event::team::HandoffKind;
use amelia_core::event::{Event, EventKind, RunEvent, TeamEvent};
use amelia_core::human::HumanRequest;
use amelia_core::id::{AgentName, GraphName};
use amelia_core::object::Object;
use amelia_core::problem::Problem;
use amelia_core::run::RunSpec;
use amelia_core::tool::{Risk, ToolBox, ToolCall, ToolResult, ToolSpec};
use amelia_graph::node::{NodeCx, NodeError};
use async_trait::async_trait;
use futures_util::future::{Either, select};
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::agent::{Agent, AgentAnswer, AgentStop, Question};
use crate::conversation;
use crate::own_tool::{OwnStop, OwnTool};
use crate::pipeline::limits;
use crate::prompt::fence;

/// The tool's name.
pub const NAME: &str = "delegate";
/// An answer of more characters is summarised.
const LONGEST: usize = 4_000;
/// Why an agent hands off to the one who has delegated to it.
const RETURNED: &str = "returned";
const SUMMARISE: &str = "Your answer is too long to be passed on. Summarise it in at most 2,000 characters: what you \
                         did, what you found, and what is open.";

/// An agent that tasks can be delegated to.
#[derive(Clone)]
pub struct SubAgent {
    pub agent: Agent,
    /// What it is for, as the one who delegates reads it.
    pub role: String,
    pub system: String,
    pub tools: Arc<dyn ToolBox>,
    /// Whom it may delegate to in turn.
    pub sub_agents: Vec<String>,
}

/// Everyone in a run that tasks can be delegated to.
pub struct SubAgents {
    agents: BTreeMap<String, SubAgent>,
    limits: SubAgentLimits,
    begun: AtomicU32,
    slots: Arc<Semaphore>,
}

impl SubAgents {
    /// Of a run that has had `begun` sub-agents so far.
    #[must_use]
    pub fn new(agents: BTreeMap<String, SubAgent>, limits: SubAgentLimits, begun: u32) -> Arc<Self> {
        let slots = Arc::new(Semaphore::new(limits.at_once as usize));
        Arc::new(Self { agents, limits, begun: AtomicU32::new(begun), slots })
    }

    /// The tool of an agent that may delegate to these.
    #[must_use]
    pub fn tool(self: &Arc<Self>, names: &[String]) -> Option<Arc<dyn OwnTool>> {
        self.tool_at(names, 1, None, None)
    }

    /// The tool of the agent `by` of a team: the log tells each delegation as a handoff there and back.
    #[must_use]
    pub fn team_tool(self: &Arc<Self>, names: &[String], by: &AgentName) -> Option<Arc<dyn OwnTool>> {
        self.tool_at(names, 1, None, Some((by.clone(), HandoffKind::Hierarchical)))
    }

    /// Gives a task to a sub-agent without a tool; in a team, for the agent `by`. `child` is the conversation in which it works.
    pub async fn give(
        self: &Arc<Self>,
        child: &NodeCx,
        by: Option<(AgentName, HandoffKind)>,
        task: AssignedTask<'_>,
    ) -> Result<TaskOutcome, OwnStop> {
        let sub_agent = self
            .agents
            .get(task.agent)
            .ok_or_else(|| NodeError::new("no_agent", format!("there is no agent `{}`", task.agent)))?;
        let names = vec![task.agent.to_owned()];
        let delegate = Delegate { all: Arc::clone(self), names, depth: 1, lent: None, by };
        delegate.outcome(child, sub_agent, &task).await
    }

    fn tool_at(
        self: &Arc<Self>,
        names: &[String],
        depth: u32,
        lent: Option<Arc<Semaphore>>,
        by: Option<(AgentName, HandoffKind)>,
    ) -> Option<Arc<dyn OwnTool>> {
        let names: Vec<String> =
            names.iter().filter(|name| self.agents.contains_key(*name)).cloned().collect();
        let is_offered = !names.is_empty() && depth <= self.limits.depth;
        is_offered
            .then(|| Arc::new(Delegate { all: Arc::clone(self), names, depth, lent, by }) as Arc<dyn OwnTool>)
    }

    /// Whether the run may have one more.
    fn admits(&self) -> bool {
        let more = |begun: u32| (begun < self.limits.per_run).then_some(begun + 1);
        self.begun.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }
}

/// The tool of one agent.
struct Delegate {
    all: Arc<SubAgents>,
    names: Vec<String>,
    depth: u32,
    /// The place of a sub-agent that delegates: it waits meanwhile, so that another may work in it.
    lent: Option<Arc<Semaphore>>,
    /// Who delegates, where that is shown as a handoff, and of which kind.
    by: Option<(AgentName, HandoffKind)>,
}

/// What an agent is to do for another one.
#[derive(Debug, Clone, Copy)]
pub struct AssignedTask<'a> {
    pub agent: &'a str,
    pub task: &'a str,
    pub context: Option<&'a str>,
}

/// A summary of what was done, or why the task is not done.
pub type TaskOutcome = Result<String, String>;

#[async_trait]
impl OwnTool for Delegate {
    fn spec(&self) -> ToolSpec {
        let roles = self.names.iter().filter_map(|name| Some((name, self.all.agents.get(name)?)));
        let roles: Vec<String> = roles.map(|(name, one)| format!("`{name}` ({})", one.role.trim())).collect();
        let description = format!(
            "Give a task to another agent and wait for its result. It sees only what you write here, not your \
             conversation, and returns a summary. Several calls in one answer run at the same time. Agents: {}.",
            roles.join(", ")
        );
        let schema = json!({
            "type": "object",
            "properties": {
                "agent": {"type": "string", "enum": self.names},
                "task": {"type": "string", "minLength": 1, "description": "What the agent should do, and what it should return"},
                "context": {"type": "string", "description": "What the agent needs to know to do it"}
            },
            "required": ["agent", "task"],
            "additionalProperties": false
        });
        // Read: what it changes is in a journal of its own, and calls of one answer run at the same time.
        ToolSpec { timeout_seconds: u64::MAX, ..ToolSpec::builtin(NAME, &description, Risk::Read, schema) }
    }

    async fn call(&self, cx: &NodeCx, call: &ToolCall) -> Result<ToolResult, OwnStop> {
        let result = self.result(cx, call).await?;
        Ok(ToolResult { duration_ms: duration(&cx.sub_agent(call.id.as_str())).await?, ..result })
    }
}

impl Delegate {
    async fn result(&self, cx: &NodeCx, call: &ToolCall) -> Result<ToolResult, OwnStop> {
        let (assignment, sub_agent) = match self.read(call) {
            Ok(read) => read,
            Err(problem) => return Ok(failed(call, problem)),
        };
        let outcome = self.outcome(&cx.sub_agent(call.id.as_str()), sub_agent, &assignment).await?;
        Ok(match outcome {
            Ok(summary) => returned(call, &assignment, &summary),
            Err(problem) => failed(call, problem),
        })
    }

    async fn outcome(
        &self,
        child: &NodeCx,
        sub_agent: &SubAgent,
        assignment: &AssignedTask<'_>,
    ) -> Result<TaskOutcome, OwnStop> {
        let past = child.past().await?;
        // Killed between its end and the result of the call.
        if let Some(outcome) = past.iter().rev().find_map(|event| ended(event, assignment)) {
            return Ok(outcome);
        }
        let _slot = self.slot().await;
        if past.is_empty() {
            if !self.all.admits() {
                let most = self.all.limits.per_run;
                return Ok(Err(format!("this run has reached its limit of sub-agents ({most})")));
            }
            let spec = RunSpec::new(graph_name()?, assignment.task);
            let created = RunEvent::Created { spec: Box::new(spec) };
            let there = self.handed_over(sub_agent, assignment.task, true);
            record(child, sub_agent, vec![created, RunEvent::Started], there).await?;
        }
        let done = match limits::check_answer(child) {
            Ok(()) => self.work(child, sub_agent, assignment).await,
            Err(error) => Err(AgentStop::Node(error)),
        };
        match done {
            Ok(summary) => {
                let completed = RunEvent::Completed { summary: Some(summary.clone()) };
                let back = self.handed_over(sub_agent, RETURNED, false);
                record(child, sub_agent, vec![completed], back).await?;
                Ok(Ok(summary))
            }
            Err(AgentStop::Asks(requests)) => Err(OwnStop::Asks(requests)),
            Err(AgentStop::Node(error)) if error.code != limits::STOPPED => Err(OwnStop::Node(error)),
            Err(AgentStop::Node(error)) => self.give_up(child, sub_agent, assignment, error.problem).await,
            Err(AgentStop::Driver(error)) => match limits::question(child, &error) {
                Some(request) => {
                    Err(OwnStop::Asks(vec![HumanRequest { by: sub_agent.agent.name.clone(), ..request }]))
                }
                None => self.give_up(child, sub_agent, assignment, error.into()).await,
            },
        }
    }
}

impl Delegate {
    /// The sub-agent has failed; the one who delegated decides what to do about it.
    async fn give_up(
        &self,
        child: &NodeCx,
        sub_agent: &SubAgent,
        assignment: &AssignedTask<'_>,
        problem: Problem,
    ) -> Result<TaskOutcome, OwnStop> {
        let failure = RunFailure::new("sub_agent", problem);
        let outcome = Err(not_done(assignment, &failure));
        let back = self.handed_over(sub_agent, RETURNED, false);
        record(child, sub_agent, vec![RunEvent::Failed { failure }], back).await?;
        Ok(outcome)
    }

    /// The delegation as a handoff: there, or back.
    fn handed_over(&self, sub_agent: &SubAgent, reason: &str, is_there: bool) -> Option<TeamEvent> {
        let ((by, kind), sub_agent) = (self.by.clone()?, sub_agent.agent.name.clone());
        let (from, to) = if is_there { (by, sub_agent) } else { (sub_agent, by) };
        let (reason, context) = (reason.to_owned(), Object::new());
        Some(TeamEvent::HandedOff { from, to, reason, context, kind })
    }

    fn read<'a>(&'a self, call: &'a ToolCall) -> Result<(AssignedTask<'a>, &'a SubAgent), String> {
        let text = |key: &str| {
            call.args.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
        };
        let example = "call again with {\"agent\": \"…\", \"task\": \"…\"}";
        let name = text("agent").ok_or_else(|| format!("`agent` is missing: {example}"))?;
        let task = text("task").ok_or_else(|| format!("`task` is missing: {example}"))?;
        let known = self.names.iter().any(|known| known == name);
        let sub_agent = self.all.agents.get(name).filter(|_| known);
        let sub_agent = sub_agent.ok_or_else(|| {
            format!("there is no agent `{name}` to delegate to: use {}", self.names.join(", "))
        })?;
        Ok((AssignedTask { agent: name, task, context: text("context") }, sub_agent))
    }

    /// Waits until one more may work.
    async fn slot(&self) -> Option<OwnedSemaphorePermit> {
        let any = pin!(Arc::clone(&self.all.slots).acquire_owned());
        let permit = match &self.lent {
            None => any.await,
            Some(lent) => match select(pin!(Arc::clone(lent).acquire_owned()), any).await {
                Either::Left((permit, _)) | Either::Right((permit, _)) => permit,
            },
        };
        permit.ok()
    }

    /// Asks the sub-agent, and for a summary if its answer is long.
    async fn work(
        &self,
        child: &NodeCx,
        sub_agent: &SubAgent,
        assignment: &AssignedTask<'_>,
    ) -> Result<String, AgentStop> {
        let lent = Some(Arc::new(Semaphore::new(1)));
        let by = self.by.as_ref().map(|_| (sub_agent.agent.name.clone(), HandoffKind::Hierarchical));
        let mut agent = sub_agent.agent.clone();
        agent.helpers.tools.extend(self.all.tool_at(&sub_agent.sub_agents, self.depth + 1, lent, by));
        let answer = ask(child, &agent, sub_agent, 1, opening(assignment)).await?;
        if answer.chars().count() <= LONGEST {
            return Ok(answer);
        }
        let summary = ask(&child.up_to_date(), &agent, sub_agent, 2, SUMMARISE.to_owned()).await?;
        Ok(cut(summary))
    }
}

async fn ask(
    child: &NodeCx,
    agent: &Agent,
    sub_agent: &SubAgent,
    number: u32,
    text: String,
) -> Result<String, AgentStop> {
    let opening = conversation::word(child, &agent.name, number, text);
    let (system, tools) = (sub_agent.system.clone(), Arc::clone(&sub_agent.tools));
    let question = Question { system, opening, tools, hand_ins: &[], shape: None };
    // Boxed: it is asked from inside a question to another agent.
    match Box::pin(agent.ask(child, &question)).await? {
        AgentAnswer::Text(text) => Ok(text),
        AgentAnswer::HandedIn { .. } => {
            Err(NodeError::new("handed_in", "a result was submitted, but none was expected").into())
        }
    }
}

fn graph_name() -> Result<GraphName, NodeError> {
    GraphName::new(NAME).map_err(|error| NodeError::new("graph", error.to_string()))
}

fn opening(assignment: &AssignedTask<'_>) -> String {
    let task = fence::untrusted(assignment.task, "task");
    let context = assignment
        .context
        .map(|text| format!("\n\nWhat you have to know:\n\n{}", fence::untrusted(text, "context")));
    format!(
        "Another agent of this run gives you a task:\n\n{task}{}\n\nDo it. Your answer is all that the other agent gets: \
         say what you did and what you found, in at most 2,000 characters.",
        context.unwrap_or_default()
    )
}

/// How long a sub-agent took, by its own log: the same after a crash, and in a replay.
async fn duration(child: &NodeCx) -> Result<Option<u64>, NodeError> {
    let child = child.up_to_date();
    let past = child.past().await?;
    let (Some(first), Some(last)) = (past.first(), past.last()) else { return Ok(None) };
    let taken = last.draft.at.duration_since(first.draft.at).as_millis();
    Ok(Some(u64::try_from(taken).unwrap_or(0)))
}

/// How an earlier try of the call ended, if this event says so.
fn ended(event: &Event, assignment: &AssignedTask<'_>) -> Option<TaskOutcome> {
    match &event.draft.kind {
        EventKind::Run(RunEvent::Completed { summary }) => Some(Ok(summary.clone().unwrap_or_default())),
        EventKind::Run(RunEvent::Failed { failure }) => Some(Err(not_done(assignment, failure))),
        _ => None,
    }
}

async fn record(
    child: &NodeCx,
    sub_agent: &SubAgent,
    events: Vec<RunEvent>,
    handoff: Option<TeamEvent>,
) -> Result<(), OwnStop> {
    let Agent { name, redactor, .. } = &sub_agent.agent;
    let kinds = events.into_iter().map(EventKind::Run).chain(handoff.map(EventKind::Team));
    let drafts = kinds.map(|kind| child.draft(name, redactor.clean(kind)));
    Ok(child.record(drafts.collect()).await?)
}

fn returned(call: &ToolCall, assignment: &AssignedTask<'_>, summary: &str) -> ToolResult {
    let output = fence::untrusted(summary, assignment.agent);
    ToolResult { output, error: None, ..ToolResult::interrupted(call) }
}

fn failed(call: &ToolCall, problem: String) -> ToolResult {
    ToolResult { error: Some(problem), ..ToolResult::interrupted(call) }
}

fn not_done(assignment: &AssignedTask<'_>, failure: &RunFailure) -> String {
    format!("`{}` did not finish the task: {}", assignment.agent, failure.message)
}

/// A summary that is no summary.
fn cut(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
#[path = "delegating_tests.rs"]
mod tests;
