//! Agents work for the one that had the turn, by rules of the types `hierarchical` and `parallel`: each in a conversation of its
//! own. What they have come to is said in public, and the agent continues.

use std::collections::BTreeMap;
use std::sync::Arc;

use amelia_agents::agent::{Agent, AgentStop};
use amelia_agents::delegating::{AssignedTask, SubAgent, SubAgents, TaskOutcome};
use amelia_agents::own_tool::OwnStop;
use amelia_agents::pipeline::limits;
use amelia_core::config::sub_agents::SubAgentLimits;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use futures_util::future::join_all;
use serde_json::Value;

use super::after::{AfterTurn, LentTurn, helpers_of};
use super::deciding::{after_turn, steps_left};
use super::rules::TeamRules;
use super::turn::Turn;
use super::{TeamParts, parts_of, prompt};
use crate::chat::{Chat, ChatMessage, ChatUpdate, TeamUpdate, Used};

pub(super) struct HelpersNode {
    /// For whom they work.
    pub(super) agent: String,
    pub(super) rules: Arc<TeamRules>,
    pub(super) parts: Option<Arc<TeamParts>>,
}

#[async_trait]
impl Node<Chat> for HelpersNode {
    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        limits::check_answer(cx)?;
        let parts = parts_of(self.parts.as_ref())?;
        let turn = Turn { rules: &self.rules, parts, agent: &self.agent, cx, state };
        match self.work(&turn).await {
            Ok(updates) => Ok(Outcome::Done(updates)),
            Err(stop) => limits::stopped(cx, stop),
        }
    }
}

impl HelpersNode {
    async fn work(&self, turn: &Turn<'_>) -> Result<Vec<ChatUpdate>, AgentStop> {
        let returned = self.rules.update(TeamUpdate::Returned);
        let last = self.rules.run(turn.state).turn.as_ref();
        let after = last.map(|last| after_turn(&self.rules, turn.state, last));
        let Some(Ok(AfterTurn::Lend(lent))) = after else { return Ok(vec![returned]) };
        let answers = self.answers(turn, &lent).await?;
        let count = u64::try_from(answers.len()).unwrap_or(u64::MAX);
        let (node, at) = (self.rules.full(&helpers_of(&self.agent)), turn.cx.now());
        let said = lent.to.iter().zip(answers).map(|(agent, answer)| {
            let text = answer.unwrap_or_else(|problem| problem);
            ChatUpdate::Said(ChatMessage::of_agent(&self.rules.full(agent), &node, text, at))
        });
        let said: Vec<ChatUpdate> = said.collect();
        let used = Used { turns: count, ..turn.used(&turn.cx.recorded().await?) };
        Ok(said.into_iter().chain([ChatUpdate::Used(used), returned]).collect())
    }

    /// All work at the same time. When some ask a person, the others end first.
    async fn answers(&self, turn: &Turn<'_>, lent: &LentTurn) -> Result<Vec<TaskOutcome>, AgentStop> {
        let at_once = u32::try_from(lent.to.len()).unwrap_or(u32::MAX);
        let limits = SubAgentLimits { depth: 1, per_run: u32::MAX, at_once };
        let sub_agents = SubAgents::new(self.sub_agents(turn, lent)?, limits, 0);
        let by = &turn.flow_agent()?.agent.name;
        let context = context(turn, lent);
        let task = match lent.task.trim() {
            "" => turn.parts.prompt.as_str(),
            task => task,
        };
        let given = lent.to.iter().map(|agent| {
            let task = AssignedTask { agent, task, context: Some(&context) };
            let (sub_agents, by) = (&sub_agents, Some((by.clone(), lent.kind)));
            async move {
                // In one visit, each agent gets one task.
                let child = turn.cx.sub_agent(&format!("task-{agent}"));
                sub_agents.give(&child, by, task).await
            }
        });
        answered(join_all(given).await)
    }

    fn sub_agents(&self, turn: &Turn<'_>, lent: &LentTurn) -> Result<BTreeMap<String, SubAgent>, NodeError> {
        let steps = u32::try_from(steps_left(&self.rules, turn.state).max(1)).unwrap_or(u32::MAX);
        let mut all = BTreeMap::new();
        for agent in &lent.to {
            let own = Turn { agent, ..*turn };
            let flow_agent = own.flow_agent()?;
            let place = prompt::place(&self.rules, agent);
            let manners =
                format!("{place}\n`{}` gives you tasks, and continues with your answer.", self.agent);
            let max_turns = flow_agent.agent.max_turns.min(steps);
            let sub_agent = SubAgent {
                agent: Agent { max_turns, ..flow_agent.agent.clone() },
                role: String::new(),
                system: prompt::system(&own, flow_agent, &manners, None)?,
                tools: Arc::clone(&flow_agent.tools),
                sub_agents: Vec::new(),
            };
            all.insert(agent.clone(), sub_agent);
        }
        Ok(all)
    }
}

/// The answers of all; or what some of them ask a person, when the others have ended.
pub(super) fn answered(given: Vec<Result<TaskOutcome, OwnStop>>) -> Result<Vec<TaskOutcome>, AgentStop> {
    let (mut answers, mut asked) = (Vec::new(), Vec::new());
    for given in given {
        match given {
            Ok(answer) => answers.push(answer),
            Err(OwnStop::Asks(requests)) => asked.extend(requests),
            Err(OwnStop::Node(error)) => return Err(AgentStop::Node(error)),
        }
    }
    if asked.is_empty() { Ok(answers) } else { Err(AgentStop::Asks(asked)) }
}

/// What they have to know besides their task.
fn context(turn: &Turn<'_>, lent: &LentTurn) -> String {
    let prompt = format!("The task of the whole team:\n{}", turn.parts.prompt);
    match lent.context.is_empty() {
        true => prompt,
        false => format!("{prompt}\n\n{}", Value::Object(lent.context.clone())),
    }
}
