//! A part of the work of an agent that works at the same time as others: until the next point, or to its answer.

use std::pin::pin;
use std::sync::{Arc, OnceLock};

use amelia_agents::agent::{AgentAnswer, AgentStop};
use amelia_agents::handing_in::read;
use amelia_agents::pipeline::limits;
use amelia_core::config::team::pattern::settings::MemberFailure;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use futures_util::future::{Either, select};
use tokio::sync::Notify;

use super::parallel::{self, ParallelPlan, SYNC, SyncArgs};
use super::parallel_rules::{plan_of, stopped};
use super::rules::TeamRules;
use super::turn::{Turn, TurnWords, unreadable};
use super::{TeamParts, parts_of, prompt};
use crate::chat::{Chat, ChatUpdate, ParallelUpdate, TeamUpdate, TurnEnd, TurnOutcome};
use crate::hearing::people_since;

/// How often an agent is asked to arrive at its point.
const TRIES: u32 = 3;

/// What the agents of a pattern know of each other's failures, where one failure stops all.
#[derive(Default)]
pub(super) struct OthersFailed {
    first: OnceLock<NodeError>,
    told: Notify,
}

impl OthersFailed {
    fn tell(&self, error: &NodeError) {
        if self.first.set(error.clone()).is_ok() {
            self.told.notify_waiters();
        }
    }

    /// Returns when an agent has failed.
    async fn wait(&self) -> NodeError {
        loop {
            let told = self.told.notified();
            if let Some(error) = self.first.get() {
                return error.clone();
            }
            told.await;
        }
    }
}

pub(super) struct MemberNode {
    pub(super) agent: String,
    /// The number of the part, from 0.
    pub(super) part: usize,
    pub(super) rules: Arc<TeamRules>,
    pub(super) parts: Option<Arc<TeamParts>>,
    pub(super) others: Arc<OthersFailed>,
}

#[async_trait]
impl Node<Chat> for MemberNode {
    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        let plan = plan_of(&self.rules)?;
        if stopped(&self.rules, plan, state).is_some() {
            return Ok(Outcome::Done(Vec::new()));
        }
        if plan.settings.on_failure == MemberFailure::Wait {
            return self.work(cx, state, plan).await;
        }
        // The failure of another stops this one; it continues from its log when the run does.
        match select(pin!(self.work(cx, state, plan)), pin!(self.others.wait())).await {
            Either::Left((worked, _)) => worked.inspect_err(|error| self.others.tell(error)),
            Either::Right((error, _)) => Err(error),
        }
    }
}

impl MemberNode {
    async fn work(
        &self,
        cx: &NodeCx,
        state: &Chat,
        plan: &ParallelPlan,
    ) -> Result<Outcome<ChatUpdate>, NodeError> {
        limits::check_answer(cx)?;
        let parts = parts_of(self.parts.as_ref())?;
        let turn = Turn { rules: &self.rules, parts, agent: &self.agent, cx, state };
        match self.take(&turn, plan).await {
            Ok(updates) => Ok(Outcome::Done(updates)),
            Err(stop) => limits::stopped(cx, stop),
        }
    }

    async fn take(&self, turn: &Turn<'_>, plan: &ParallelPlan) -> Result<Vec<ChatUpdate>, AgentStop> {
        let point = plan.point(self.part);
        let hand_ins: Vec<_> = point.map(parallel::hand_in).into_iter().collect();
        let manners = self.manners(plan);
        let mut word = self.word(turn, plan)?;
        for number in 1.. {
            let tools = Vec::new();
            let words = TurnWords { manners: &manners, word, number, hand_ins: &hand_ins, tools };
            let taken = turn.take(words).await?;
            let text = match (taken.answer, point) {
                (AgentAnswer::HandedIn { args, .. }, _) => {
                    read::<SyncArgs>(&args).map_err(unreadable)?.summary
                }
                (AgentAnswer::Text(_), Some(point)) if number < TRIES => {
                    word = format!(
                        "The others wait at the point `{point}`. Call `{SYNC}` with it and a summary of what you have \
                         done so far."
                    );
                    continue;
                }
                // However often it was asked: its words are its summary.
                (AgentAnswer::Text(text), _) => text,
            };
            let failed = turn.look_for_failure().await?;
            let mut updates = turn.heard(turn.said(&text), turn.used(&taken.events));
            let end = TurnEnd { failed, ..TurnEnd::new(&self.agent, text, TurnOutcome::Said) };
            let point = point.map(|_| self.part);
            let ended = TeamUpdate::Parallel(ParallelUpdate::PartEnded { point, end: Box::new(end) });
            updates.push(self.rules.update(ended));
            return Ok(updates);
        }
        Err(unreadable("the agent gave no answer".to_owned()))
    }

    /// What the agent reads: its task, or what the others have done until the last point.
    fn word(&self, turn: &Turn<'_>, plan: &ParallelPlan) -> Result<String, AgentStop> {
        let run = self.rules.run(turn.state);
        if let Some(last) = self.part.checked_sub(1) {
            let point = plan.point(last).unwrap_or_default();
            let summaries = plan.summaries(&run.parallel, last, &self.agent);
            return Ok(format!(
                "All agents have arrived at the point `{point}`. What the others say:\n\n{summaries}"
            ));
        }
        let name = self.rules.full(&self.agent);
        let heard = people_since(turn.state, &name, &self.rules.path);
        let Some(task) = plan.settings.tasks.get(&self.agent) else { return Ok(heard) };
        let task = prompt::task(turn, task, "task")?;
        // The task takes the place of the prompt, but not of what was said later.
        let has_worked = turn.state.visits.contains_key(&name);
        Ok(if has_worked { format!("{heard}\n\n{task}") } else { task })
    }

    fn manners(&self, plan: &ParallelPlan) -> String {
        let others: Vec<&String> = plan.agents.iter().filter(|agent| **agent != self.agent).collect();
        let mut lines = vec![prompt::place(&self.rules, &self.agent)];
        if !others.is_empty() {
            let list: Vec<String> = others.iter().map(|other| prompt::role(&self.rules, other)).collect();
            lines.push(format!("You work at the same time as:\n{}", list.join("\n")));
        }
        let rest = plan.settings.sync_points.iter().skip(self.part);
        let rest: Vec<String> = rest.map(|point| format!("`{point}`")).collect();
        if !rest.is_empty() {
            lines.push(format!(
                "You wait for each other at: {}. Call `{SYNC}` when you get to the next point.",
                rest.join(", ")
            ));
        }
        lines.push(
            "Your final answer is your part of the result: nothing else of your work is passed on."
                .to_owned(),
        );
        lines.join("\n")
    }
}
