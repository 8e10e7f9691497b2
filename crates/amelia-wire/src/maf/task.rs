//! Tasks, and the sessions of sub-agents they start.

use amelia_core::event::{AgentEvent, Event, EventKind, RunEvent};
use amelia_core::id::RunId;
use amelia_core::view::RunRow;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::message::Message;
use crate::status::Status;

/// A unit of work to be executed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Task {
    pub id: String,
    pub description: String,
    pub status: Status,
    pub assigned_agent: String,
    pub result: Option<String>,
    pub error: Option<String>,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    /// Days to keep the task after its end; `null` when it is never removed.
    pub retention_days: Option<u32>,
    pub parent_task_id: Option<String>,
}

impl Task {
    /// A run that names no agent is its graph's.
    #[must_use]
    pub fn new(row: &RunRow, retention_days: Option<u32>) -> Self {
        let (spec, view) = (&row.run.spec, &row.view);
        let input = |name: &str| spec.input.get(name).and_then(Value::as_str).map(str::to_owned);
        Self {
            id: row.run.id.to_string(),
            description: input("prompt").unwrap_or_else(|| spec.title.clone()),
            status: view.status.into(),
            assigned_agent: input("agent")
                .or_else(|| lone_agent(&spec.input))
                .unwrap_or_else(|| spec.graph.to_string()),
            result: view.summary.clone(),
            error: view.failure.as_ref().map(|failure| failure.message.clone()),
            created_at: row.run.created_at,
            started_at: view.started_at,
            completed_at: view.ended_at,
            retention_days,
            parent_task_id: spec.parent.map(|parent| parent.to_string()),
        }
    }
}

/// The agent of a workflow that has no other.
fn lone_agent(input: &Value) -> Option<String> {
    let nodes = input.pointer("/workflow/nodes")?.as_object()?;
    let node = nodes.values().next().filter(|_| nodes.len() == 1)?;
    node.pointer("/kind/agent/agent")?.as_str().map(str::to_owned)
}

/// A sub-agent's conversation, apart from its parent's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SubAgentSession {
    pub session_id: String,
    pub parent_task_id: String,
    pub agent_name: String,
    pub task_description: String,
    pub message_history: Vec<Message>,
    pub summary: Option<String>,
    pub status: SessionStatus,
    pub created_at: Timestamp,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    #[default]
    Running,
    Completed,
    Failed,
}

impl SessionStatus {
    /// The status after one more event of the session.
    #[must_use]
    pub(crate) fn after(self, kind: &EventKind) -> Self {
        let EventKind::Run(event) = kind else { return self };
        match event {
            RunEvent::Completed { .. } => Self::Completed,
            RunEvent::Failed { .. } | RunEvent::Cancelled { .. } => Self::Failed,
            RunEvent::Created { .. }
            | RunEvent::Queued
            | RunEvent::Limited { .. }
            | RunEvent::ChecksReplaced { .. }
            | RunEvent::AgentsReplaced { .. }
            | RunEvent::DefinitionReplaced { .. }
            | RunEvent::StateEdited { .. }
            | RunEvent::TeamReplaced { .. }
            | RunEvent::Archived { .. }
            | RunEvent::PermissionGranted(_)
            | RunEvent::Steered(_)
            | RunEvent::Started
            | RunEvent::Paused { .. }
            | RunEvent::Resumed { .. } => Self::Running,
        }
    }
}

impl SessionStatus {
    /// The status after one more event of the run itself: nothing continues in a run that was cancelled.
    #[must_use]
    pub(crate) fn after_run(self, kind: &EventKind) -> Self {
        match (self, kind) {
            (Self::Running, EventKind::Run(RunEvent::Cancelled { .. })) => Self::Failed,
            (Self::Running | Self::Completed | Self::Failed, _) => self,
        }
    }
}

/// The session `session` of a log; `None` when no sub-agent of it has that one.
#[must_use]
pub fn sub_agent_session(session: RunId, events: &[Event]) -> Option<SubAgentSession> {
    let own = events.iter().filter(|event| event.draft.session == Some(session));
    let is_created = |event: &&Event| matches!(event.draft.kind, EventKind::Run(RunEvent::Created { .. }));
    let mut own = own.skip_while(|event| !is_created(event)).peekable();
    let first = *own.peek()?;
    let mut folded = SubAgentSession {
        session_id: session.to_string(),
        parent_task_id: first.run.to_string(),
        agent_name: first.draft.agent.to_string(),
        task_description: String::new(),
        message_history: Vec::new(),
        summary: None,
        status: SessionStatus::Running,
        created_at: first.draft.at,
    };
    own.for_each(|event| folded.apply(event));
    let of_run = events.iter().filter(|event| event.draft.session.is_none());
    folded.status = of_run.fold(folded.status, |status, event| status.after_run(&event.draft.kind));
    Some(folded)
}

/// All sub-agents of a log, oldest first.
#[must_use]
pub fn sub_agent_sessions(events: &[Event]) -> Vec<SubAgentSession> {
    let created = events.iter().filter_map(|event| match &event.draft.kind {
        EventKind::Run(RunEvent::Created { .. }) => event.draft.session,
        _ => None,
    });
    created.filter_map(|session| sub_agent_session(session, events)).collect()
}

impl SubAgentSession {
    fn apply(&mut self, event: &Event) {
        let kind = &event.draft.kind;
        self.status = self.status.after(kind);
        if let EventKind::Run(RunEvent::Created { spec }) = kind {
            self.task_description.clone_from(&spec.title);
            if let Some(parent) = spec.parent {
                self.parent_task_id = parent.to_string();
            }
        }
        if let EventKind::Run(RunEvent::Completed { summary }) = kind {
            self.summary.clone_from(summary);
        }
        if let EventKind::Agent(AgentEvent::Said(message)) = kind {
            self.agent_name = event.draft.agent.to_string();
            self.message_history.push((&**message).into());
        }
    }
}
