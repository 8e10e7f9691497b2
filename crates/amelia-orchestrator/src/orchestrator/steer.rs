//! Where runs stop, and how they go on from there: one step, or as far as they can. A run at work is told by its engine; one
//! at rest is taken up with an answer, or has it written into its log.

use std::collections::BTreeSet;

use amelia_core::event::run::Steering;
use amelia_core::event::{EventKind, HumanEvent, RunEvent};
use amelia_core::human::{HumanKind, HumanReply, HumanRequest};
use amelia_core::id::{NodeId, RequestId, RunId};
use amelia_core::run::RunStatus;
use jiff::Timestamp;

use super::{CommandError, Orchestrator};

impl Orchestrator {
    /// Lets a run go on for one node; then it stops. One at work stops before its next node. Durable when it returns `Ok`.
    pub async fn step(&self, run: RunId) -> Result<(), CommandError> {
        self.pace(run, Steering::Step, HumanReply::one_step).await
    }

    /// Lets a run go on as far as it can. Durable when it returns `Ok`.
    pub async fn go_on(&self, run: RunId) -> Result<(), CommandError> {
        self.pace(run, Steering::Continue, HumanReply::go_on).await
    }

    /// Sets the nodes before which a run stops, at work or not. Durable when it returns `Ok`.
    pub async fn set_breakpoints(&self, run: RunId, nodes: BTreeSet<NodeId>) -> Result<(), CommandError> {
        let steering = Steering::Breakpoints(nodes);
        if self.has_steered(run, &steering).await {
            return Ok(());
        }
        let row = self.row(run).await?;
        match row.view.status {
            RunStatus::Completed | RunStatus::Cancelled => Err(CommandError::Ended(run)),
            RunStatus::Pending | RunStatus::Running | RunStatus::Waiting(_) | RunStatus::Failed => {
                Ok(self.0.runs.record(&row, EventKind::Run(RunEvent::Steered(steering))).await?)
            }
        }
    }

    async fn pace(
        &self,
        run: RunId,
        steering: Steering,
        reply: fn(RequestId, Timestamp) -> HumanReply,
    ) -> Result<(), CommandError> {
        if self.has_steered(run, &steering).await {
            return Ok(());
        }
        let row = self.row(run).await?;
        let stops: Vec<HumanReply> = match row.view.status {
            RunStatus::Completed | RunStatus::Cancelled => return Err(CommandError::Ended(run)),
            RunStatus::Waiting(_) => {
                let stops = row.view.pending.iter().filter(|request| is_stop(request));
                stops.map(|request| reply(request.id, self.0.runs.now())).collect()
            }
            RunStatus::Pending | RunStatus::Running | RunStatus::Failed => Vec::new(),
        };
        match stops.is_empty() {
            true => Err(CommandError::NotStopped(run)),
            false => self.take_up(run, stops).await,
        }
    }

    /// Whether somebody is at it and was told.
    async fn has_steered(&self, run: RunId, steering: &Steering) -> bool {
        let Some(control) = self.control(run) else { return false };
        let told = control.steer(steering.clone()).await.is_ok();
        if !told {
            // It came to rest in this moment.
            self.wait_for_rest(run).await;
        }
        told
    }

    /// Takes up a run at rest with these answers, all at once. Durable when it returns `Ok`.
    pub(super) async fn take_up(&self, run: RunId, replies: Vec<HumanReply>) -> Result<(), CommandError> {
        let row = self.row(run).await?;
        if row.view.status.is_final() {
            return Err(CommandError::Ended(run));
        }
        let requests: Vec<RequestId> = replies.iter().map(|reply| reply.request).collect();
        if !requests.iter().all(|request| row.view.pending.iter().any(|pending| pending.id == *request)) {
            return Err(CommandError::NotWaiting(run));
        }
        let mut log = self.watch(run, row.view.seq);
        let mut rested = self.move_with(run, replies)?;
        // Where the log ends, once the run has come to rest.
        let mut end = None;
        while end.is_none_or(|end| log.seen() < end) {
            let event = tokio::select! {
                biased;
                event = log.next() => event?,
                () = async { drop(rested.wait_for(|rested| *rested).await) }, if end.is_none() => {
                    end = Some(self.row(run).await?.view.seq);
                    continue;
                }
            };
            match &event.draft.kind {
                // They are one commit.
                EventKind::Human(HumanEvent::Replied(reply)) if requests.contains(&reply.request) => {
                    return Ok(());
                }
                EventKind::Run(RunEvent::Failed { failure }) => {
                    return Err(CommandError::Refused(failure.clone()));
                }
                _ => {}
            }
        }
        // It was answered by somebody else in the meantime.
        Err(CommandError::NotWaiting(run))
    }
}

/// Where the engine itself has stopped, or a person has stopped it.
fn is_stop(request: &HumanRequest) -> bool {
    match request.kind {
        HumanKind::Breakpoint | HumanKind::Step | HumanKind::Pause | HumanKind::StepLimit => true,
        HumanKind::Approval
        | HumanKind::Question
        | HumanKind::Escalation
        | HumanKind::Budget
        | HumanKind::Quota
        | HumanKind::Rounds => false,
    }
}
