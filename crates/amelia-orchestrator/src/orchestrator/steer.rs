//! Where runs stop, and how they continue from there: one step, or as far as they can. The engine of a run at work
//! applies it; one at rest is resumed with an answer, or has it written into its log.

use std::collections::BTreeSet;

use amelia_core::event::run::Steering;
use amelia_core::event::{EventKind, RunEvent};
use amelia_core::human::HumanReply;
use amelia_core::id::{AgentName, NodeId, RequestId, RunId};
use amelia_core::run::RunStatus;
use amelia_core::stop_rule::{StopPlace, StopRule};
use jiff::Timestamp;

use super::command::Reach;
use super::{CommandError, Orchestrator};
use crate::runs::AtRest;

/// The rule of a run in step mode.
fn step_mode() -> StopRule {
    StopRule::at(StopPlace::Step)
}

impl Orchestrator {
    /// Lets a run continue for one node; then it stops. One at work stops before its next node. Durable when it returns `Ok`.
    pub async fn step(&self, run: RunId) -> Result<(), CommandError> {
        // In step mode it stops by itself after one answer of an agent.
        let is_in_step_mode = self.row(run).await?.view.stops.contains(&step_mode());
        let reply = if is_in_step_mode { HumanReply::go_on } else { HumanReply::one_step };
        self.pace(run, Steering::Step, reply).await
    }

    /// Lets a run continue as far as it can. Durable when it returns `Ok`.
    pub async fn go_on(&self, run: RunId) -> Result<(), CommandError> {
        let mut stops = self.row(run).await?.view.stops;
        if stops.remove(&step_mode()) {
            self.set_stops(run, stops).await?;
        }
        self.pace(run, Steering::Continue, HumanReply::go_on).await
    }

    /// Sets the nodes before which a run stops, at work or not. Durable when it returns `Ok`.
    pub async fn set_breakpoints(&self, run: RunId, nodes: BTreeSet<NodeId>) -> Result<(), CommandError> {
        self.change_steering(run, Steering::Breakpoints(nodes)).await
    }

    /// Sets where a run stops inside the work of its agents, at work or not. Durable when it returns `Ok`.
    pub async fn set_stops(&self, run: RunId, rules: BTreeSet<StopRule>) -> Result<(), CommandError> {
        self.change_steering(run, Steering::Stops(rules)).await
    }

    /// Takes back a rule that an agent of the run was granted, at work or not. Durable when it returns `Ok`.
    pub async fn remove_rule(&self, run: RunId, agent: AgentName, rule: String) -> Result<(), CommandError> {
        self.change_steering(run, Steering::RemoveRule { agent, rule }).await
    }

    async fn change_steering(&self, run: RunId, steering: Steering) -> Result<(), CommandError> {
        let Some(at_rest) = self.steer(run, &steering).await? else { return Ok(()) };
        match at_rest.row.view.status {
            RunStatus::Completed | RunStatus::Cancelled => Err(CommandError::Ended(run)),
            RunStatus::Pending | RunStatus::Running | RunStatus::Waiting(_) | RunStatus::Failed => {
                self.write(&at_rest, vec![EventKind::Run(RunEvent::Steered(steering))]).await
            }
        }
    }

    async fn pace(
        &self,
        run: RunId,
        steering: Steering,
        reply: fn(RequestId, Timestamp) -> HumanReply,
    ) -> Result<(), CommandError> {
        let Some(at_rest) = self.steer(run, &steering).await? else { return Ok(()) };
        let view = &at_rest.row.view;
        let stops: Vec<HumanReply> = match view.status {
            RunStatus::Completed | RunStatus::Cancelled => return Err(CommandError::Ended(run)),
            RunStatus::Waiting(_) => {
                let stops = view.pending.iter().filter(|request| request.kind.is_stop());
                stops.map(|request| reply(request.id, self.0.runs.now())).collect()
            }
            RunStatus::Pending | RunStatus::Running | RunStatus::Failed => Vec::new(),
        };
        match stops.is_empty() {
            true => Err(CommandError::NotStopped(run)),
            false => self.answer(at_rest, stops).await,
        }
    }

    /// Tells the engine that moves the run; otherwise the run is at rest, and here it is.
    async fn steer(&self, run: RunId, steering: &Steering) -> Result<Option<Box<AtRest>>, CommandError> {
        loop {
            match self.reach(run).await? {
                Reach::AtRest(at_rest) => return Ok(Some(at_rest)),
                Reach::Moving(control) => match control.steer(steering.clone()).await {
                    Ok(()) => return Ok(None),
                    // It came to rest in this moment.
                    Err(_) => self.wait_for_rest(run).await,
                },
            }
        }
    }
}
