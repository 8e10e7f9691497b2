//! All agents that work at the same time are done: their answers become one result.

use std::sync::Arc;

use amelia_agents::agent::{AgentAnswer, AgentStop};
use amelia_agents::pipeline::limits;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;

use super::parallel::ParallelPlan;
use super::parallel_rules::{plan_of, stopped};
use super::rules::TeamRules;
use super::turn::{Turn, TurnWords, unreadable};
use super::{TeamParts, parts_of, prompt};
use crate::chat::{Chat, ChatUpdate, TeamUpdate, TurnEnd, TurnOutcome};
use crate::hearing::people_since;

/// Without a coordinator: the answers one after the other.
pub(super) struct JoinNode {
    pub(super) rules: Arc<TeamRules>,
}

#[async_trait]
impl Node<Chat> for JoinNode {
    async fn run(&self, _: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        let plan = plan_of(&self.rules)?;
        let end = ended_early(&self.rules, plan, state).unwrap_or_else(|| {
            let text = plan.result(&self.rules.run(state).parallel);
            end_of(plan, &plan.name, text)
        });
        Ok(Outcome::Done(vec![self.rules.update(TeamUpdate::TurnEnded(end))]))
    }
}

/// The coordinator makes one result of the answers.
pub(super) struct MergeNode {
    pub(super) agent: String,
    pub(super) rules: Arc<TeamRules>,
    pub(super) parts: Option<Arc<TeamParts>>,
}

#[async_trait]
impl Node<Chat> for MergeNode {
    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        limits::check_answer(cx)?;
        let plan = plan_of(&self.rules)?;
        let has_merged = self.rules.run(state).turn.is_some();
        if let (false, Some(end)) = (has_merged, ended_early(&self.rules, plan, state)) {
            return Ok(Outcome::Done(vec![self.rules.update(TeamUpdate::TurnEnded(end))]));
        }
        let parts = parts_of(self.parts.as_ref())?;
        let turn = Turn { rules: &self.rules, parts, agent: &self.agent, cx, state };
        match self.take(&turn, plan, has_merged).await {
            Ok(updates) => Ok(Outcome::Done(updates)),
            Err(stop) => limits::stopped(cx, stop),
        }
    }
}

impl MergeNode {
    async fn take(
        &self,
        turn: &Turn<'_>,
        plan: &ParallelPlan,
        has_merged: bool,
    ) -> Result<Vec<ChatUpdate>, AgentStop> {
        let place = prompt::place(&self.rules, &self.agent);
        let heard = people_since(turn.state, &self.rules.full(&self.agent), &self.rules.path);
        let word = match has_merged {
            true => heard,
            false => {
                let answers = plan.answers(&self.rules.run(turn.state).parallel);
                format!("{heard}\n\nThe agents have done their parts:\n\n{answers}")
            }
        };
        let words = TurnWords {
            manners: &format!(
                "{place}\nCombine the answers of the others into one result. Your answer is the result."
            ),
            word,
            number: 1,
            hand_ins: &[],
            tools: Vec::new(),
        };
        let taken = turn.take(words).await?;
        let AgentAnswer::Text(text) = taken.answer else {
            return Err(unreadable("a result was submitted, but none was expected".to_owned()));
        };
        let failed = turn.look_for_failure().await?;
        let end = TurnEnd { failed, ..end_of(plan, &self.agent, text) };
        turn.ended(end, turn.used(&taken.events)).await
    }
}

/// An agent has stopped the team with its words.
fn ended_early(rules: &TeamRules, plan: &ParallelPlan, state: &Chat) -> Option<TurnEnd> {
    let end = stopped(rules, plan, state)?;
    Some(end_of(plan, &end.agent, end.text.clone()))
}

fn end_of(plan: &ParallelPlan, agent: &str, text: String) -> TurnEnd {
    TurnEnd { node: Some(plan.last_node()), ..TurnEnd::new(agent, text, TurnOutcome::Said) }
}
