//! What a person looks at: a pure fold of the log. Small and bounded, because the store writes it again
//! with every commit; timelines and traces are folds of their own, made when asked for.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::budget::{Budget, Spend};
use crate::check::CheckCommand;
use crate::delivery::{MergedChange, OpenedPullRequest};
use crate::driver::Usage;
use crate::event::human::{Intervention, InterventionKind};
use crate::event::run::{MISSING_KEY, ResumeReason, RunFailure, Steering};
use crate::event::task::TaskRef;
use crate::event::{
    AgentEvent, DeliveryEvent, Event, EventKind, HumanEvent, NodeEvent, ReviewEvent, RunEvent, TaskEvent,
};
use crate::human::{HumanRequest, WaitMode};
use crate::id::{AgentName, NodeId, Seq};
use crate::message::Role;
use crate::object::Object;
use crate::permission::PermissionGrant;
use crate::run::{Run, RunStatus};
use crate::stop_rule::StopRule;

/// In the metadata of a message: the words of a person that it is, by their id.
pub const HEARD: &str = "heard";

/// A run as it stands: identity and fold together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct RunRow {
    pub run: Run,
    pub view: RunView,
}

/// Where a run stands after the event `seq`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct RunView {
    pub seq: Seq,
    pub status: RunStatus,
    /// When it was last queued, to start or to resume. A run that was only created has not been queued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued_at: Option<Timestamp>,
    /// Why a queued run resumes; `None` when it starts from the beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<ResumeReason>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// How long it was at work: neither waiting, nor interrupted.
    #[serde(default)]
    pub active_ms: u64,
    /// Every node that was entered, for drawing: how often, and whether it is active now.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub nodes: BTreeMap<NodeId, NodeView>,
    /// Questions without an answer, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<HumanRequest>,
    /// What people have said to it and none of its agents has heard, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unheard: Vec<Intervention>,
    #[serde(default)]
    pub spend: Spend,
    /// In the place of the limits that it was created with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// In the place of the checks of the profile that it was created with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<Vec<CheckCommand>>,
    /// In the place of the agents of the profile that it was created with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, unknown> | null"))]
    pub agents: Option<Object>,
    /// What a person has put in the place of parts of what a team was started with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, unknown> | null"))]
    pub team: Option<Object>,
    /// What is different in the definition that a fork follows from the one of its run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition_changes: Option<Vec<String>>,
    /// Rules by which calls of its agents need no approval, in addition to those of the profile that it was created with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub granted: Vec<PermissionGrant>,
    /// In the place of the breakpoints that it was created with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breakpoints: Option<BTreeSet<NodeId>>,
    /// Where it stops inside the work of its agents.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub stops: BTreeSet<StopRule>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub spend_by_agent: BTreeMap<AgentName, Spend>,
    /// By the name that the provider gave; empty when it gave none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub spend_by_model: BTreeMap<String, Spend>,
    /// What was done last, in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activity: Option<Activity>,
    /// A model that does not answer and is asked again, until it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<Activity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskRef>,
    #[serde(default)]
    pub review_round: u32,
    /// Sub-agents that it has had.
    #[serde(default)]
    pub sub_agents: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<RunFailure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Where its change was merged, the last time that it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<MergedChange>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<OpenedPullRequest>,
    /// Hidden from lists, until it is resumed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_archived: bool,
}

impl RunRow {
    /// What the run may use in all.
    #[must_use]
    pub fn budget(&self) -> Budget {
        self.view.budget.unwrap_or(self.run.spec.budget)
    }

    /// Nodes before which the run stops and asks.
    #[must_use]
    pub fn breakpoints(&self) -> &BTreeSet<NodeId> {
        self.view.breakpoints.as_ref().unwrap_or(&self.run.spec.breakpoints)
    }
}

/// The last action of an agent in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct Activity {
    pub agent: AgentName,
    pub at: Timestamp,
    pub text: String,
}

/// A node as it was visited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct NodeView {
    pub visits: u32,
    pub active: u32,
}

impl RunView {
    /// The view after one more event. Events must come in order of their sequence.
    pub fn apply(&mut self, event: &Event) {
        self.seq = event.seq;
        let at = event.draft.at;
        self.count_time(event);
        self.updated_at = Some(at);
        self.note_activity(event);
        self.note_retry(event);
        let is_child = event.draft.session.is_some();
        match &event.draft.kind {
            EventKind::Run(RunEvent::Created { .. }) if is_child => self.sub_agents += 1,
            // A child run lives on this log; its own life and path are not the root's.
            EventKind::Run(_) | EventKind::Node(_) if is_child => {}
            EventKind::Run(run) => self.apply_run(run, at),
            EventKind::Node(node) => self.apply_node(node),
            EventKind::Human(human) => self.apply_human(human),
            EventKind::Task(task) => self.apply_task(task),
            EventKind::Review(review) => self.apply_review(review),
            EventKind::Agent(AgentEvent::Said(said)) => {
                let heard = said.metadata.get(HEARD).and_then(Value::as_str);
                self.unheard.retain(|words| Some(words.id.as_str()) != heard);
            }
            EventKind::Agent(AgentEvent::Used(usage)) => self.apply_usage(&event.draft.agent, usage),
            EventKind::Delivery(DeliveryEvent::Merged(merged)) => self.merged = Some(merged.clone()),
            EventKind::Delivery(DeliveryEvent::PullRequestOpened(opened)) => {
                self.pull_request = Some(opened.clone());
            }
            EventKind::Agent(
                AgentEvent::Started { .. }
                | AgentEvent::Thought(_)
                | AgentEvent::Called(_)
                | AgentEvent::Returned(_)
                | AgentEvent::Finished { .. },
            )
            | EventKind::Plan(_)
            | EventKind::Team(_)
            | EventKind::Artifact(_)
            | EventKind::Memory(_)
            | EventKind::Guardrail(_)
            | EventKind::Ingest(_)
            | EventKind::System(_)
            | EventKind::Effect(_) => {}
        }
    }

    /// Whether a worker is to move the run: it was queued, or was moving when the process ended.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        match self.status {
            RunStatus::Running => true,
            RunStatus::Pending => self.queued_at.is_some(),
            RunStatus::Waiting(_) | RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled => false,
        }
    }

    /// What a run that waits asks.
    #[must_use]
    pub fn asked(&self) -> Option<&HumanRequest> {
        let RunStatus::Waiting(kind) = self.status else { return None };
        let is_awaited = |request: &&HumanRequest| request.mode != Some(WaitMode::Advisory);
        self.pending.iter().filter(is_awaited).find(|request| request.kind == kind)
    }

    /// Whether it has stopped because its key is not set where it was to continue.
    #[must_use]
    pub fn lacks_key(&self) -> bool {
        let is_over = matches!(self.status, RunStatus::Completed | RunStatus::Cancelled);
        !is_over && self.failure.as_ref().is_some_and(|failure| failure.code == MISSING_KEY)
    }

    /// The status for people: a run that waits says for what.
    #[must_use]
    pub fn status_words(&self) -> String {
        match self.asked() {
            Some(request) => format!("waiting ({})", request.topic()),
            None if self.lacks_key() => "waiting (key)".to_owned(),
            None => self.status.to_string(),
        }
    }

    /// How long it was at work until now, for people: with the time since its last event, which the log counts only with the
    /// next one.
    #[must_use]
    pub fn active_ms_at(&self, now: Timestamp) -> u64 {
        let last = self.updated_at.filter(|_| self.status == RunStatus::Running);
        let since = last.and_then(|last| u64::try_from(now.duration_since(last).as_millis()).ok());
        self.active_ms.saturating_add(since.unwrap_or(0))
    }

    /// Nodes that are at work or wait, in name order.
    pub fn active_nodes(&self) -> impl Iterator<Item = &NodeId> {
        self.nodes.iter().filter(|(_, node)| node.active > 0).map(|(id, _)| id)
    }

    fn note_activity(&mut self, event: &Event) {
        let Some(text) = activity_of(&event.draft.kind) else { return };
        self.activity = Some(Activity { agent: event.draft.agent.clone(), at: event.draft.at, text });
    }

    /// A retry is over when its agent does anything, and when the run stops.
    fn note_retry(&mut self, event: &Event) {
        let agent = &event.draft.agent;
        match &event.draft.kind {
            EventKind::System(system) => {
                let Some(text) = system.as_retry() else { return };
                let (agent, text) = (agent.clone(), text.to_owned());
                self.retry = Some(Activity { agent, at: event.draft.at, text });
            }
            EventKind::Agent(_) if self.retry.as_ref().is_some_and(|retry| retry.agent == *agent) => {
                self.retry = None;
            }
            EventKind::Run(_) if event.draft.session.is_none() => self.retry = None,
            _ => {}
        }
    }

    /// The time since the last event was work, unless no one was working then.
    fn count_time(&mut self, event: &Event) {
        let goes_on = matches!(event.draft.kind, EventKind::Run(RunEvent::Resumed { .. } | RunEvent::Queued));
        if self.status != RunStatus::Running || goes_on {
            return;
        }
        let taken = self.updated_at.map(|last| event.draft.at.duration_since(last).as_millis());
        let taken = taken.and_then(|taken| u64::try_from(taken).ok()).unwrap_or(0);
        self.active_ms = self.active_ms.saturating_add(taken);
    }

    fn apply_run(&mut self, event: &RunEvent, at: Timestamp) {
        match event {
            RunEvent::Created { spec } => {
                self.status = RunStatus::Pending;
                self.stops.clone_from(&spec.stops);
            }
            RunEvent::Queued => self.queue(at),
            RunEvent::Started => {
                self.status = RunStatus::Running;
                self.started_at = Some(at);
                self.resume = None;
            }
            RunEvent::Limited { budget } => self.budget = Some(*budget),
            RunEvent::ChecksReplaced { checks } => self.checks = Some(checks.clone()),
            RunEvent::AgentsReplaced { agents } => self.agents = Some(agents.clone()),
            RunEvent::DefinitionReplaced { changes, .. } => self.definition_changes = Some(changes.clone()),
            RunEvent::TeamReplaced { input, .. } => self.team = Some(input.clone()),
            RunEvent::Archived { is_archived } => self.is_archived = *is_archived,
            RunEvent::PermissionGranted(grant) => self.grant(grant),
            RunEvent::Steered(Steering::Breakpoints(nodes)) => self.breakpoints = Some(nodes.clone()),
            RunEvent::Steered(Steering::Stops(rules)) => self.stops.clone_from(rules),
            RunEvent::Steered(Steering::RemoveRule { agent, rule }) => {
                self.granted.retain(|grant| !grant.is(agent, rule));
            }
            // The checkpoint has the state.
            RunEvent::StateEdited { .. } => {}
            // A position knows it.
            RunEvent::Steered(Steering::Step | Steering::Continue) => {}
            RunEvent::Paused { reason } => self.status = RunStatus::Waiting(*reason),
            RunEvent::Resumed { .. } => {
                self.status = RunStatus::Running;
                // A fork begins in the middle.
                self.started_at.get_or_insert(at);
                self.resume = None;
                self.failure = None;
                self.is_archived = false;
                self.ended_at = None;
            }
            RunEvent::Completed { summary } => {
                self.summary.clone_from(summary);
                self.end(RunStatus::Completed, at);
            }
            RunEvent::Failed { failure } => {
                self.failure = Some(failure.clone());
                self.end(RunStatus::Failed, at);
            }
            RunEvent::Cancelled { .. } => self.end(RunStatus::Cancelled, at),
        }
    }

    /// The run is to move as soon as a worker is free. Its failure is over, and its open questions stand.
    fn queue(&mut self, at: Timestamp) {
        self.resume = match self.status {
            RunStatus::Failed => Some(ResumeReason::Retried),
            RunStatus::Waiting(_) => Some(ResumeReason::Replied),
            RunStatus::Running => Some(ResumeReason::Recovered),
            RunStatus::Pending | RunStatus::Completed | RunStatus::Cancelled => self.resume,
        };
        self.status = RunStatus::Pending;
        self.queued_at = Some(at);
        self.is_archived = false;
        self.failure = None;
        self.ended_at = None;
    }

    /// The same rule for the same agent is one; the last word on how long it holds counts.
    fn grant(&mut self, grant: &PermissionGrant) {
        self.granted.retain(|other| !other.is(&grant.agent, &grant.rule));
        self.granted.push(grant.clone());
    }

    fn end(&mut self, status: RunStatus, at: Timestamp) {
        self.status = status;
        self.resume = None;
        self.ended_at = Some(at);
        match status {
            // A failed run may be retried: its nodes and questions stand.
            RunStatus::Failed => {}
            RunStatus::Pending
            | RunStatus::Running
            | RunStatus::Waiting(_)
            | RunStatus::Completed
            | RunStatus::Cancelled => {
                self.pending.clear();
                self.nodes.values_mut().for_each(|node| node.active = 0);
            }
        }
    }

    fn apply_node(&mut self, event: &NodeEvent) {
        match event {
            NodeEvent::Entered { node, .. } => match self.nodes.get_mut(node) {
                Some(view) => {
                    view.visits = view.visits.saturating_add(1);
                    view.active = view.active.saturating_add(1);
                }
                None => {
                    self.nodes.insert(node.clone(), NodeView { visits: 1, active: 1 });
                }
            },
            NodeEvent::Left { node, .. } => {
                if let Some(view) = self.nodes.get_mut(node) {
                    view.active = view.active.saturating_sub(1);
                }
            }
        }
    }

    fn apply_human(&mut self, event: &HumanEvent) {
        match event {
            HumanEvent::Requested(request) => {
                if let Some(rule) = StopRule::used_up_by(request) {
                    self.stops.remove(&rule);
                }
                self.pending.push(request.clone());
            }
            HumanEvent::Replied(reply) => self.pending.retain(|request| request.id != reply.request),
            HumanEvent::Intervened(words) => match words.kind {
                InterventionKind::Instruction => self.unheard.push(words.clone()),
                InterventionKind::PlanUpdate
                | InterventionKind::AgentOverride
                | InterventionKind::TeamModification => {}
            },
        }
    }

    fn apply_task(&mut self, event: &TaskEvent) {
        match event {
            TaskEvent::Started(task) => {
                self.task = Some(task.clone());
                self.review_round = 0;
            }
            TaskEvent::Checked { .. }
            | TaskEvent::Committed { .. }
            | TaskEvent::Completed(_)
            | TaskEvent::Failed { .. } => {}
        }
    }

    fn apply_review(&mut self, event: &ReviewEvent) {
        match event {
            ReviewEvent::Requested { round, .. } => self.review_round = *round,
            ReviewEvent::Completed { .. }
            | ReviewEvent::Evaluated { .. }
            | ReviewEvent::RevisionRequested { .. } => {}
        }
    }

    fn apply_usage(&mut self, agent: &AgentName, usage: &Usage) {
        let spend = Spend::of(usage);
        self.spend = self.spend.plus(spend);
        let by_agent = self.spend_by_agent.entry(agent.clone()).or_default();
        *by_agent = by_agent.plus(spend);
        let by_model = self.spend_by_model.entry(usage.model.clone().unwrap_or_default()).or_default();
        *by_model = by_model.plus(spend);
    }
}

/// What a person who glances at a run wants to read of an event; `None` for what is of no interest then.
fn activity_of(kind: &EventKind) -> Option<String> {
    match kind {
        EventKind::Agent(AgentEvent::Said(said)) if said.role != Role::Assistant => None,
        EventKind::Agent(AgentEvent::Called(call)) => Some(call.brief()),
        EventKind::Agent(AgentEvent::Said(_) | AgentEvent::Finished { .. })
        | EventKind::Human(_)
        | EventKind::Plan(_)
        | EventKind::Task(_)
        | EventKind::Review(_)
        | EventKind::Delivery(_) => Some(kind.summary()).filter(|text| !text.is_empty()),
        EventKind::Agent(
            AgentEvent::Started { .. }
            | AgentEvent::Thought(_)
            | AgentEvent::Returned(_)
            | AgentEvent::Used(_),
        )
        | EventKind::Run(_)
        | EventKind::Node(_)
        | EventKind::Team(_)
        | EventKind::Artifact(_)
        | EventKind::Memory(_)
        | EventKind::Guardrail(_)
        | EventKind::Ingest(_)
        | EventKind::System(_)
        | EventKind::Effect(_) => None,
    }
}

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;
