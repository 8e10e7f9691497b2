//! The trace: a fold of the log. An agent's turn is one step with its calls in it, a node's visit is one step
//! with its duration, every other event is a step of its own.

use std::collections::{BTreeMap, BTreeSet};

use amelia_core::event::{AgentEvent, Draft, Event, EventKind, EventLevel, HumanEvent, NodeEvent, RunEvent};
use amelia_core::human::HumanKind;
use amelia_core::id::{AgentName, CallId, RequestId, RunId, Step};
use amelia_core::message::{Object, Role};
use amelia_core::tool;
use amelia_core::view::RunView;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::message::{BUILTIN, server_and_tool};
use super::task::SessionStatus;

/// What happened in a task, for debugging.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceLog {
    pub task_id: String,
    pub steps: Vec<StepRecord>,
    pub sub_agent_sessions: BTreeMap<String, SubAgentSessionInfo>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepRecord {
    pub step_name: String,
    pub message: String,
    pub timestamp: Timestamp,
    pub status: StepStatus,
    pub agent: String,
    pub tool_calls: Vec<ToolCallRecord>,
    pub duration_ms: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    Info,
    Warning,
    Error,
}

impl From<EventLevel> for StepStatus {
    fn from(level: EventLevel) -> Self {
        match level {
            EventLevel::Debug | EventLevel::Info => Self::Info,
            EventLevel::Warning => Self::Warning,
            EventLevel::Error => Self::Error,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCallRecord {
    pub server: String,
    pub tool: String,
    pub arguments: Object,
    pub result: Option<Object>,
    pub error: Option<String>,
    pub duration_ms: Option<u64>,
}

impl ToolCallRecord {
    /// The tool as people write it: `server:tool`, or `tool` alone when it is one of ours.
    #[must_use]
    pub fn name(&self) -> String {
        match self.server.as_str() {
            BUILTIN => self.tool.clone(),
            server => format!("{server}:{}", self.tool),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SubAgentSessionInfo {
    pub session_id: String,
    pub agent: String,
    pub message_count: u64,
    pub status: SessionStatus,
}

/// The trace of a log; `None` when the log is empty.
#[must_use]
pub fn trace_log(events: &[Event]) -> Option<TraceLog> {
    let (first, last) = (events.first()?, events.last()?);
    let mut fold = Fold::default();
    events.iter().for_each(|event| fold.apply(event));
    Some(TraceLog {
        task_id: first.run.to_string(),
        steps: fold.steps,
        sub_agent_sessions: fold.sessions,
        created_at: first.draft.at,
        updated_at: last.draft.at,
    })
}

/// Indices point into `steps`.
#[derive(Default)]
struct Fold {
    steps: Vec<StepRecord>,
    sessions: BTreeMap<String, SubAgentSessionInfo>,
    /// The turn that each agent of each session is in.
    turns: BTreeMap<(Option<RunId>, AgentName), usize>,
    /// With how long the run had been at work when each began.
    visits: BTreeMap<Step, (usize, u64)>,
    view: RunView,
    /// How long it had been at work when it was last resumed, after a question or a pause.
    before_resume_ms: u64,
    questions: BTreeSet<RequestId>,
    /// Calls without a result: their step and their place in it. Models repeat ids between sessions.
    calls: BTreeMap<(Option<RunId>, CallId), (usize, usize)>,
}

impl Fold {
    fn apply(&mut self, event: &Event) {
        self.view.apply(event);
        let draft = &event.draft;
        if let (None, EventKind::Run(RunEvent::Resumed { .. })) = (draft.session, &draft.kind) {
            self.before_resume_ms = self.view.active_ms;
        }
        match draft.session {
            Some(session) => self.apply_session(session, draft),
            None => {
                for info in self.sessions.values_mut() {
                    info.status = info.status.after_run(&draft.kind);
                }
            }
        }
        match &draft.kind {
            EventKind::Agent(event) => self.apply_agent(event, draft),
            EventKind::Node(NodeEvent::Entered { step, .. }) => {
                let index = self.open(draft);
                self.visits.insert(*step, (index, self.view.active_ms));
            }
            EventKind::Node(NodeEvent::Left { step, duration_ms, .. }) => match self.visits.remove(step) {
                Some((index, before)) => {
                    // The event counts only from when the run was last resumed.
                    let earlier = self.before_resume_ms.saturating_sub(before);
                    if let Some(visit) = self.steps.get_mut(index) {
                        visit.duration_ms = Some(duration_ms.saturating_add(earlier));
                    }
                }
                None => self.push(draft),
            },
            EventKind::Human(HumanEvent::Requested(request)) => {
                if request.kind == HumanKind::Question {
                    self.questions.insert(request.id);
                }
                self.push(draft);
            }
            EventKind::Human(HumanEvent::Replied(reply)) => {
                let is_question = self.questions.contains(&reply.request);
                let index = self.open(draft);
                if let Some(step) = self.steps.get_mut(index) {
                    step.message = reply.summary(is_question);
                }
            }
            EventKind::Run(_)
            | EventKind::Human(HumanEvent::Intervened(_))
            | EventKind::Plan(_)
            | EventKind::Task(_)
            | EventKind::Review(_)
            | EventKind::Team(_)
            | EventKind::Artifact(_)
            | EventKind::Memory(_)
            | EventKind::Guardrail(_)
            | EventKind::Ingest(_)
            | EventKind::System(_)
            | EventKind::Effect(_)
            | EventKind::Delivery(_) => self.push(draft),
        }
    }

    fn apply_agent(&mut self, event: &AgentEvent, draft: &Draft) {
        let turn = (draft.session, draft.agent.clone());
        match event {
            AgentEvent::Started { .. } => {
                let index = self.open(draft);
                self.turns.insert(turn, index);
            }
            AgentEvent::Called(call) => {
                let index = match self.turns.get(&turn) {
                    Some(index) => *index,
                    None => self.open(draft),
                };
                self.call(index, call, draft.session);
            }
            AgentEvent::Returned(result) => self.result(result, draft),
            AgentEvent::Finished { duration_ms, .. } => match self.turns.remove(&turn) {
                Some(index) => {
                    if let Some(step) = self.steps.get_mut(index) {
                        step.message = draft.kind.summary();
                        step.status = step.status.max(draft.kind.level().into());
                        step.duration_ms = *duration_ms;
                    }
                }
                None => self.push(draft),
            },
            // Its calls are events of their own.
            AgentEvent::Said(message) if message.text().trim().is_empty() => {}
            // The prompt of an agent is not its doing.
            AgentEvent::Said(message) if message.role != Role::Assistant => {
                self.push_of(&AgentName::system(), draft);
            }
            AgentEvent::Thought(_) | AgentEvent::Said(_) | AgentEvent::Used(_) => self.push(draft),
        }
    }

    fn apply_session(&mut self, session: RunId, draft: &Draft) {
        let id = session.to_string();
        if let EventKind::Run(RunEvent::Created { .. }) = &draft.kind {
            let (session_id, agent) = (id.clone(), draft.agent.to_string());
            let status = SessionStatus::Running;
            self.sessions
                .insert(id.clone(), SubAgentSessionInfo { session_id, agent, message_count: 0, status });
        }
        // Other conversations are those of the agents of a run.
        let Some(info) = self.sessions.get_mut(&id) else { return };
        info.status = info.status.after(&draft.kind);
        if let EventKind::Agent(AgentEvent::Said(_)) = &draft.kind {
            info.agent = draft.agent.to_string();
            info.message_count = info.message_count.saturating_add(1);
        }
    }

    /// A step that more will be said about.
    fn open(&mut self, draft: &Draft) -> usize {
        self.push(draft);
        self.steps.len().saturating_sub(1)
    }

    fn push(&mut self, draft: &Draft) {
        self.push_of(&draft.agent, draft);
    }

    fn push_of(&mut self, agent: &AgentName, draft: &Draft) {
        self.steps.push(StepRecord {
            step_name: draft.kind.name().to_owned(),
            message: draft.kind.summary(),
            timestamp: draft.at,
            status: draft.kind.level().into(),
            agent: agent.to_string(),
            tool_calls: Vec::new(),
            duration_ms: None,
        });
    }

    fn call(&mut self, index: usize, call: &tool::ToolCall, session: Option<RunId>) {
        let Some(step) = self.steps.get_mut(index) else { return };
        let (server, tool) = server_and_tool(&call.tool);
        self.calls.insert((session, call.id.clone()), (index, step.tool_calls.len()));
        step.tool_calls.push(ToolCallRecord {
            server,
            tool,
            arguments: call.args.clone(),
            result: None,
            error: None,
            duration_ms: None,
        });
    }

    /// The result goes into its call's record; one without a call is a step of its own.
    fn result(&mut self, result: &tool::ToolResult, draft: &Draft) {
        let place = self.calls.remove(&(draft.session, result.call.clone()));
        let step = place.and_then(|(index, at)| self.steps.get_mut(index).map(|step| (step, at)));
        let Some((step, at)) = step else {
            self.push(draft);
            return;
        };
        if let Some(record) = step.tool_calls.get_mut(at) {
            record.result = result.is_success().then(|| result_object(&result.output));
            record.error.clone_from(&result.error);
            record.duration_ms = result.duration_ms;
        }
        if !result.is_success() {
            step.status = step.status.max(StepStatus::Warning);
        }
    }
}

/// A result is an object here; text that is none is wrapped.
fn result_object(output: &str) -> Object {
    match serde_json::from_str(output) {
        Ok(Value::Object(object)) => object,
        Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) | Err(_) => {
            Object::from_iter([("output".to_owned(), output.into())])
        }
    }
}
