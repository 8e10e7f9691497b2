//! The 49 names, and which fact has which.

use amelia_core::event::{
    AgentEvent, ArtifactEvent, Draft, EffectEvent, EventKind, GuardrailEvent, HumanEvent, NodeEvent,
    PlanEvent, ReviewEvent, RunEvent, SystemEvent, TaskEvent,
};
use amelia_core::human::HumanKind;
use amelia_core::run::Domain;
use serde::{Deserialize, Serialize};

use crate::facts::Facts;

macro_rules! event_types {
    ($($variant:ident $word:literal,)*) => {
        /// What kind of event. Written in lower case, like every other word of the dialect.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum EventType {
            $(#[serde(rename = $word)] $variant,)*
        }

        impl EventType {
            /// Every name, in the order of the document.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }
    };
}

event_types! {
    WorkflowCreated "workflow_created",
    WorkflowStarted "workflow_started",
    WorkflowCompleted "workflow_completed",
    WorkflowFailed "workflow_failed",
    WorkflowCancelled "workflow_cancelled",
    StageStarted "stage_started",
    StageCompleted "stage_completed",
    ApprovalRequired "approval_required",
    ApprovalGranted "approval_granted",
    ApprovalRejected "approval_rejected",
    FileCreated "file_created",
    FileModified "file_modified",
    FileDeleted "file_deleted",
    ReviewRequested "review_requested",
    ReviewCompleted "review_completed",
    RevisionRequested "revision_requested",
    AgentMessage "agent_message",
    TaskStarted "task_started",
    TaskCompleted "task_completed",
    TaskFailed "task_failed",
    SystemError "system_error",
    SystemWarning "system_warning",
    Stream "stream",
    ClaudeThinking "claude_thinking",
    ClaudeToolCall "claude_tool_call",
    ClaudeToolResult "claude_tool_result",
    AgentOutput "agent_output",
    BrainstormSessionCreated "brainstorm_session_created",
    BrainstormReasoning "brainstorm_reasoning",
    BrainstormToolCall "brainstorm_tool_call",
    BrainstormToolResult "brainstorm_tool_result",
    BrainstormText "brainstorm_text",
    BrainstormAskUser "brainstorm_ask_user",
    BrainstormMessageComplete "brainstorm_message_complete",
    BrainstormArtifactCreated "brainstorm_artifact_created",
    BrainstormSessionCompleted "brainstorm_session_completed",
    BrainstormMessageFailed "brainstorm_message_failed",
    OracleConsultationStarted "oracle_consultation_started",
    OracleConsultationThinking "oracle_consultation_thinking",
    OracleToolCall "oracle_tool_call",
    OracleToolResult "oracle_tool_result",
    OracleConsultationCompleted "oracle_consultation_completed",
    OracleConsultationFailed "oracle_consultation_failed",
    DocumentIngestionStarted "document_ingestion_started",
    DocumentIngestionProgress "document_ingestion_progress",
    DocumentIngestionCompleted "document_ingestion_completed",
    DocumentIngestionFailed "document_ingestion_failed",
    PlanValidated "plan_validated",
    PlanValidationFailed "plan_validation_failed",
}

impl EventType {
    /// Reads a name in either case: the document prints them in capitals.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|name| name.as_str().eq_ignore_ascii_case(word))
    }

    /// Shows how an agent works, not what it did: sent with sequence 0.
    #[must_use]
    pub fn is_trace(self) -> bool {
        matches!(
            self,
            Self::Stream
                | Self::ClaudeThinking
                | Self::ClaudeToolCall
                | Self::ClaudeToolResult
                | Self::AgentOutput
                | Self::BrainstormReasoning
                | Self::BrainstormToolCall
                | Self::BrainstormToolResult
                | Self::OracleConsultationThinking
                | Self::OracleToolCall
                | Self::OracleToolResult
        )
    }
}

/// The name of a fact; `None` when Amelia has none for it.
#[must_use]
pub fn event_type(draft: &Draft, facts: &Facts) -> Option<EventType> {
    let domain = draft.domain;
    match &draft.kind {
        EventKind::Run(event) => of_run(event, domain).filter(|name| !is_of_child(*name, draft)),
        EventKind::Node(NodeEvent::Entered { .. }) => Some(EventType::StageStarted),
        EventKind::Node(NodeEvent::Left { .. }) => Some(EventType::StageCompleted),
        EventKind::Human(event) => of_human(event, domain, facts),
        EventKind::Plan(PlanEvent::Validated { .. }) => Some(EventType::PlanValidated),
        EventKind::Plan(PlanEvent::Refused { .. }) => Some(EventType::PlanValidationFailed),
        EventKind::Task(TaskEvent::Started(_)) => Some(EventType::TaskStarted),
        EventKind::Task(TaskEvent::Completed(_)) => Some(EventType::TaskCompleted),
        EventKind::Task(TaskEvent::Failed { .. }) => Some(EventType::TaskFailed),
        EventKind::Task(TaskEvent::Checked { .. } | TaskEvent::Committed { .. }) => None,
        EventKind::Review(ReviewEvent::Requested { .. }) => Some(EventType::ReviewRequested),
        EventKind::Review(ReviewEvent::Completed { .. }) => Some(EventType::ReviewCompleted),
        // The list has no word for a decision that changes nothing: the Evaluator says it.
        EventKind::Review(ReviewEvent::Evaluated { .. }) => Some(EventType::AgentMessage),
        EventKind::Review(ReviewEvent::RevisionRequested { .. }) => Some(EventType::RevisionRequested),
        EventKind::Agent(event) => of_agent(event, domain),
        EventKind::Artifact(event) => of_artifact(event, domain),
        EventKind::Guardrail(GuardrailEvent::Violated { .. }) => Some(EventType::SystemWarning),
        EventKind::Ingest(_) => Some(EventType::DocumentIngestionProgress),
        EventKind::System(SystemEvent::Failed(_)) => Some(EventType::SystemError),
        EventKind::System(SystemEvent::Warned { .. }) => Some(EventType::SystemWarning),
        // An effect in doubt needs eyes; the ledger's other entries are our own business.
        EventKind::Effect(EffectEvent::Doubted { .. }) => Some(EventType::SystemWarning),
        EventKind::Team(_)
        | EventKind::Memory(_)
        | EventKind::Delivery(_)
        | EventKind::Guardrail(GuardrailEvent::PolicyChanged { .. })
        | EventKind::System(
            SystemEvent::Recovered { .. } | SystemEvent::Checked { .. } | SystemEvent::Measured { .. },
        )
        | EventKind::Effect(EffectEvent::Intended(_) | EffectEvent::Done { .. }) => None,
    }
}

/// A sub-agent's life is not the workflow's: said in its words, the whole workflow would seem to end.
fn is_of_child(name: EventType, draft: &Draft) -> bool {
    let is_workflow = matches!(
        name,
        EventType::WorkflowCreated
            | EventType::WorkflowStarted
            | EventType::WorkflowCompleted
            | EventType::WorkflowFailed
            | EventType::WorkflowCancelled
    );
    is_workflow && draft.session.is_some()
}

/// A failure or a cancellation without a word of its domain has the workflow's: an end never goes unsaid.
fn of_run(event: &RunEvent, domain: Domain) -> Option<EventType> {
    match event {
        RunEvent::Created { .. } => match domain {
            Domain::Workflow => Some(EventType::WorkflowCreated),
            Domain::Brainstorm => Some(EventType::BrainstormSessionCreated),
            Domain::Oracle | Domain::Knowledge => None,
        },
        RunEvent::Started => match domain {
            Domain::Workflow => Some(EventType::WorkflowStarted),
            Domain::Oracle => Some(EventType::OracleConsultationStarted),
            Domain::Knowledge => Some(EventType::DocumentIngestionStarted),
            Domain::Brainstorm => None,
        },
        RunEvent::Completed { .. } => Some(match domain {
            Domain::Workflow => EventType::WorkflowCompleted,
            Domain::Brainstorm => EventType::BrainstormSessionCompleted,
            Domain::Oracle => EventType::OracleConsultationCompleted,
            Domain::Knowledge => EventType::DocumentIngestionCompleted,
        }),
        RunEvent::Failed { .. } => Some(match domain {
            Domain::Workflow | Domain::Brainstorm => EventType::WorkflowFailed,
            Domain::Oracle => EventType::OracleConsultationFailed,
            Domain::Knowledge => EventType::DocumentIngestionFailed,
        }),
        RunEvent::Cancelled { .. } => Some(EventType::WorkflowCancelled),
        RunEvent::Queued
        | RunEvent::Limited { .. }
        | RunEvent::ChecksReplaced { .. }
        | RunEvent::AgentsReplaced { .. }
        | RunEvent::DefinitionReplaced { .. }
        | RunEvent::StateEdited { .. }
        | RunEvent::TeamReplaced { .. }
        | RunEvent::Archived { .. }
        | RunEvent::PermissionGranted(_)
        | RunEvent::Steered(_)
        | RunEvent::Paused { .. }
        | RunEvent::Resumed { .. } => None,
    }
}

fn of_human(event: &HumanEvent, domain: Domain, facts: &Facts) -> Option<EventType> {
    match event {
        HumanEvent::Requested(request) if is_own_stop(request.kind) => None,
        HumanEvent::Requested(_) => Some(match domain {
            Domain::Brainstorm => EventType::BrainstormAskUser,
            Domain::Workflow | Domain::Oracle | Domain::Knowledge => EventType::ApprovalRequired,
        }),
        HumanEvent::Replied(reply)
            if facts.requests.get(&reply.request).is_some_and(|request| is_own_stop(request.kind)) =>
        {
            None
        }
        HumanEvent::Replied(reply) if facts.is_granted(reply) => Some(EventType::ApprovalGranted),
        HumanEvent::Replied(_) => Some(EventType::ApprovalRejected),
        HumanEvent::Intervened(_) => None,
    }
}

/// A stop that a person wanted: resuming after it approves nothing.
fn is_own_stop(kind: HumanKind) -> bool {
    match kind {
        HumanKind::Breakpoint | HumanKind::Step | HumanKind::Pause => true,
        HumanKind::Approval
        | HumanKind::Question
        | HumanKind::Escalation
        | HumanKind::StepLimit
        | HumanKind::Budget
        | HumanKind::Quota
        | HumanKind::Rounds => false,
    }
}

fn of_agent(event: &AgentEvent, domain: Domain) -> Option<EventType> {
    let by_domain = |usual, brainstorm, oracle| match domain {
        Domain::Workflow | Domain::Knowledge => Some(usual),
        Domain::Brainstorm => Some(brainstorm),
        Domain::Oracle => Some(oracle),
    };
    match event {
        AgentEvent::Thought(_) => by_domain(
            EventType::ClaudeThinking,
            EventType::BrainstormReasoning,
            EventType::OracleConsultationThinking,
        ),
        AgentEvent::Called(_) => {
            by_domain(EventType::ClaudeToolCall, EventType::BrainstormToolCall, EventType::OracleToolCall)
        }
        AgentEvent::Returned(_) => by_domain(
            EventType::ClaudeToolResult,
            EventType::BrainstormToolResult,
            EventType::OracleToolResult,
        ),
        AgentEvent::Said(_) => {
            by_domain(EventType::AgentMessage, EventType::BrainstormText, EventType::AgentMessage)
        }
        AgentEvent::Finished { is_error: false, .. } => {
            by_domain(EventType::AgentOutput, EventType::BrainstormMessageComplete, EventType::AgentOutput)
        }
        AgentEvent::Finished { is_error: true, .. } => {
            by_domain(EventType::AgentOutput, EventType::BrainstormMessageFailed, EventType::AgentOutput)
        }
        AgentEvent::Started { .. } | AgentEvent::Used(_) => None,
    }
}

fn of_artifact(event: &ArtifactEvent, domain: Domain) -> Option<EventType> {
    match event {
        ArtifactEvent::Created(_) => Some(match domain {
            Domain::Brainstorm => EventType::BrainstormArtifactCreated,
            Domain::Workflow | Domain::Oracle | Domain::Knowledge => EventType::FileCreated,
        }),
        ArtifactEvent::Modified { .. } => Some(EventType::FileModified),
        ArtifactEvent::Deleted { .. } => Some(EventType::FileDeleted),
        ArtifactEvent::Versioned { .. } => None,
    }
}
