//! The log in Amelia's words. Level and message are derived; events for which Amelia has no word are not sent.

pub mod data;
pub mod name;
pub mod stream;

use amelia_core::event::{AgentEvent, Draft, Event, EventKind, EventLevel, HumanEvent, ReviewEvent};
use amelia_core::human::HumanKind;
use amelia_core::message::Object;
use amelia_core::run::Domain;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::facts::Facts;
use crate::live::Live;
pub use name::EventType;

/// One event of a workflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkflowEvent {
    pub id: Uuid,
    #[serde(default)]
    pub domain: Domain,
    pub workflow_id: Uuid,
    /// 0 for trace-only events; their real place is in our own log.
    pub sequence: u64,
    pub timestamp: Timestamp,
    pub agent: String,
    pub event_type: EventType,
    pub level: Option<EventLevel>,
    pub message: String,
    pub data: Option<Object>,
    pub session_id: Option<Uuid>,
    pub correlation_id: Option<Uuid>,
    pub tool_name: Option<String>,
    pub tool_input: Option<Object>,
    #[serde(default)]
    pub is_error: bool,
    pub model: Option<String>,
    pub trace_id: Option<Uuid>,
    pub parent_id: Option<Uuid>,
}

/// The event in Amelia's words; `None` when it has no word for it.
#[must_use]
pub fn workflow_event(event: &Event, facts: &Facts) -> Option<WorkflowEvent> {
    let draft = &event.draft;
    let event_type = name::event_type(draft, facts)?;
    let trace = Trace::of(&draft.kind);
    Some(WorkflowEvent {
        id: draft.id.0,
        domain: draft.domain,
        workflow_id: event.run.0,
        sequence: if event_type.is_trace() { 0 } else { event.seq.0 },
        timestamp: draft.at,
        agent: agent(draft),
        event_type,
        level: Some(draft.kind.level()),
        message: message(&draft.kind, facts),
        data: data::data(&draft.kind, facts),
        session_id: draft.session.map(|session| session.0),
        correlation_id: correlation(&draft.kind),
        tool_name: trace.tool_name,
        tool_input: trace.tool_input,
        is_error: trace.is_error,
        model: facts.models.get(&draft.agent).filter(|_| event_type.is_trace()).cloned(),
        trace_id: Some(event.trace.0),
        parent_id: facts.parent(draft).map(|cause| cause.0),
    })
}

/// What happened, in a sentence. Who answers a question has approved nothing.
fn message(kind: &EventKind, facts: &Facts) -> String {
    let EventKind::Human(HumanEvent::Replied(reply)) = kind else { return kind.summary() };
    let asked = facts.requests.get(&reply.request);
    reply.summary(asked.is_some_and(|request| request.kind == HumanKind::Question))
}

/// Who caused an event. The log keeps who wrote it down, which for questions, answers and reviews is the run itself.
fn agent(draft: &Draft) -> String {
    match &draft.kind {
        EventKind::Human(HumanEvent::Requested(request)) => request.by.to_string(),
        EventKind::Human(HumanEvent::Replied(reply)) => {
            reply.by.clone().unwrap_or_else(|| "human".to_owned())
        }
        EventKind::Human(HumanEvent::Intervened(said)) => {
            said.by.clone().unwrap_or_else(|| "human".to_owned())
        }
        EventKind::Review(ReviewEvent::Completed { review, .. }) if review.persona.is_empty() => {
            "reviewer".to_owned()
        }
        EventKind::Review(ReviewEvent::Completed { review, .. }) => format!("reviewer ({})", review.persona),
        EventKind::Review(ReviewEvent::Evaluated { .. } | ReviewEvent::RevisionRequested { .. }) => {
            "evaluator".to_owned()
        }
        EventKind::Review(ReviewEvent::Requested { .. })
        | EventKind::Run(_)
        | EventKind::Node(_)
        | EventKind::Plan(_)
        | EventKind::Task(_)
        | EventKind::Agent(_)
        | EventKind::Team(_)
        | EventKind::Artifact(_)
        | EventKind::Memory(_)
        | EventKind::Guardrail(_)
        | EventKind::Ingest(_)
        | EventKind::System(_)
        | EventKind::Effect(_)
        | EventKind::Delivery(_) => draft.agent.to_string(),
    }
}

/// A piece of an answer on its way.
#[must_use]
pub fn stream(live: &Live) -> WorkflowEvent {
    WorkflowEvent {
        id: live.id.0,
        domain: live.domain,
        workflow_id: live.run.0,
        sequence: 0,
        timestamp: live.at,
        agent: live.agent.to_string(),
        event_type: EventType::Stream,
        level: Some(EventLevel::Debug),
        message: live.text.clone(),
        data: None,
        session_id: live.session.map(|session| session.0),
        correlation_id: None,
        tool_name: None,
        tool_input: None,
        is_error: false,
        model: live.model.clone(),
        trace_id: Some(amelia_core::store::trace_of(live.run).0),
        parent_id: Some(live.turn.0),
    }
}

/// A request and its reply have the request's id.
fn correlation(kind: &EventKind) -> Option<Uuid> {
    match kind {
        EventKind::Human(HumanEvent::Requested(request)) => Some(request.id.0),
        EventKind::Human(HumanEvent::Replied(reply)) => Some(reply.request.0),
        EventKind::Human(HumanEvent::Intervened(_))
        | EventKind::Run(_)
        | EventKind::Node(_)
        | EventKind::Plan(_)
        | EventKind::Task(_)
        | EventKind::Review(_)
        | EventKind::Agent(_)
        | EventKind::Team(_)
        | EventKind::Artifact(_)
        | EventKind::Memory(_)
        | EventKind::Guardrail(_)
        | EventKind::Ingest(_)
        | EventKind::System(_)
        | EventKind::Effect(_)
        | EventKind::Delivery(_) => None,
    }
}

/// The fields that only trace events have.
#[derive(Default)]
struct Trace {
    tool_name: Option<String>,
    tool_input: Option<Object>,
    is_error: bool,
}

impl Trace {
    fn of(kind: &EventKind) -> Self {
        let EventKind::Agent(event) = kind else { return Self::default() };
        match event {
            AgentEvent::Called(call) => Self {
                tool_name: Some(call.tool.to_string()),
                tool_input: Some(call.args.clone()),
                is_error: false,
            },
            AgentEvent::Returned(result) => Self {
                tool_name: Some(result.tool.to_string()),
                tool_input: None,
                is_error: !result.is_success(),
            },
            AgentEvent::Finished { is_error, .. } => Self { is_error: *is_error, ..Self::default() },
            AgentEvent::Started { .. }
            | AgentEvent::Thought(_)
            | AgentEvent::Said(_)
            | AgentEvent::Used(_) => Self::default(),
        }
    }
}
