//! What a dialect wants to say with an event and the event alone does not know: how long, how many, who asked.
//! A fold of the log, bounded by what a run makes (requests, artifacts, agents), not by how long it lasts.

use std::collections::BTreeMap;

use amelia_core::event::{AgentEvent, ArtifactEvent, Draft, Event, EventKind, HumanEvent, RunEvent};
use amelia_core::human::{HumanAction, HumanReply, HumanRequest, OnTimeout};
use amelia_core::id::{AgentName, CallId, EventId, RequestId, SessionId};
use amelia_core::run::RunSpec;
use jiff::Timestamp;

/// Facts about a run up to some event. Apply an event before translating it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    pub spec: Option<RunSpec>,
    pub started_at: Option<Timestamp>,
    /// Messages said so far.
    pub steps: u64,
    /// Addresses of the artifacts that were created, in order.
    pub artifacts: Vec<String>,
    pub requests: BTreeMap<RequestId, HumanRequest>,
    /// The model that last answered each agent.
    pub models: BTreeMap<AgentName, String>,
    /// The vendor's conversation with each agent.
    pub sessions: BTreeMap<AgentName, SessionId>,
    /// Calls that have not returned, and the events that made them.
    calls: BTreeMap<CallId, EventId>,
    /// The events that asked.
    asked: BTreeMap<RequestId, EventId>,
    /// The last event that had a cause, and the cause.
    caused: Option<(EventId, EventId)>,
    /// Agents whose model did not answer and is asked again, with the event that says so.
    retrying: BTreeMap<AgentName, EventId>,
    /// The last event with which a model answered again, and the event that it had not answered.
    recovered: Option<(EventId, EventId)>,
}

impl Facts {
    /// Folds a whole log.
    #[must_use]
    pub fn of(events: &[Event]) -> Self {
        let mut facts = Self::default();
        events.iter().for_each(|event| facts.apply(event));
        facts
    }

    /// The person said yes, or silence means yes. When the request is not known, silence is a no.
    #[must_use]
    pub fn is_granted(&self, reply: &HumanReply) -> bool {
        match reply.action {
            HumanAction::Approve | HumanAction::Modify => true,
            HumanAction::Reject => false,
            HumanAction::TimedOut => self
                .requests
                .get(&reply.request)
                .is_some_and(|request| request.on_timeout == OnTimeout::Approve),
        }
    }

    /// The event that this one follows from: a result from its call, an answer from its question. Known of the event
    /// that was applied last.
    #[must_use]
    pub fn parent(&self, draft: &Draft) -> Option<EventId> {
        let known = self.caused.filter(|(event, _)| *event == draft.id);
        draft.cause.or(known.map(|(_, cause)| cause))
    }

    /// The failed try of a model after which this event says that it has answered. Known of the event that was applied last.
    #[must_use]
    pub fn recovered_from(&self, draft: &Draft) -> Option<EventId> {
        self.recovered.filter(|(event, _)| *event == draft.id).map(|(_, failed)| failed)
    }

    fn apply_retry(&mut self, draft: &Draft) {
        match &draft.kind {
            EventKind::System(system) if system.as_retry().is_some() => {
                self.retrying.insert(draft.agent.clone(), draft.id);
            }
            EventKind::Agent(AgentEvent::Used(_)) => {
                let failed = self.retrying.remove(&draft.agent);
                self.recovered = failed.map(|failed| (draft.id, failed)).or(self.recovered);
            }
            _ => {}
        }
    }

    fn apply_cause(&mut self, draft: &Draft) {
        let cause = match &draft.kind {
            EventKind::Agent(AgentEvent::Called(call)) => {
                self.calls.insert(call.id.clone(), draft.id);
                return;
            }
            EventKind::Human(HumanEvent::Requested(request)) => {
                self.asked.insert(request.id, draft.id);
                return;
            }
            EventKind::Agent(AgentEvent::Returned(result)) => self.calls.remove(&result.call),
            EventKind::Human(HumanEvent::Replied(reply)) => self.asked.get(&reply.request).copied(),
            _ => return,
        };
        self.caused = cause.map(|cause| (draft.id, cause));
    }

    /// The facts after one more event.
    pub fn apply(&mut self, event: &Event) {
        let draft = &event.draft;
        self.apply_cause(draft);
        self.apply_retry(draft);
        match &draft.kind {
            // A child run's life is not the root's.
            EventKind::Run(RunEvent::Created { spec }) if draft.session.is_none() => {
                self.spec = Some((**spec).clone());
            }
            EventKind::Run(RunEvent::Started) if draft.session.is_none() => self.started_at = Some(draft.at),
            EventKind::Human(HumanEvent::Requested(request)) => {
                self.requests.insert(request.id, request.clone());
            }
            EventKind::Agent(AgentEvent::Said(_)) => self.steps = self.steps.saturating_add(1),
            EventKind::Agent(AgentEvent::Used(usage)) => {
                if let Some(model) = &usage.model {
                    self.models.insert(draft.agent.clone(), model.clone());
                }
            }
            EventKind::Agent(AgentEvent::Started { session, .. } | AgentEvent::Finished { session, .. }) => {
                if let Some(session) = session {
                    self.sessions.insert(draft.agent.clone(), session.clone());
                }
            }
            EventKind::Artifact(ArtifactEvent::Created(artifact)) => {
                self.artifacts.push(artifact.uri.clone());
            }
            EventKind::Run(
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
                | RunEvent::Resumed { .. }
                | RunEvent::Completed { .. }
                | RunEvent::Failed { .. }
                | RunEvent::Cancelled { .. },
            )
            | EventKind::Human(HumanEvent::Replied(_) | HumanEvent::Intervened(_))
            | EventKind::Agent(AgentEvent::Thought(_) | AgentEvent::Called(_) | AgentEvent::Returned(_))
            | EventKind::Artifact(
                ArtifactEvent::Modified { .. }
                | ArtifactEvent::Deleted { .. }
                | ArtifactEvent::Versioned { .. },
            )
            | EventKind::Node(_)
            | EventKind::Plan(_)
            | EventKind::Task(_)
            | EventKind::Review(_)
            | EventKind::Team(_)
            | EventKind::Memory(_)
            | EventKind::Guardrail(_)
            | EventKind::Ingest(_)
            | EventKind::System(_)
            | EventKind::Effect(_)
            | EventKind::Delivery(_) => {}
        }
    }
}

/// Milliseconds from `start` to `end`; 0 when the clock went back.
#[must_use]
pub fn milliseconds(start: Timestamp, end: Timestamp) -> u64 {
    u64::try_from(end.duration_since(start).as_millis()).unwrap_or(0)
}
