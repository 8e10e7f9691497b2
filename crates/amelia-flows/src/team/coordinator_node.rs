//! The turn of a coordinator: the others work as its sub-agents when it delegates.

use std::collections::BTreeMap;
use std::sync::Arc;

use amelia_agents::agent::{Agent, AgentAnswer, AgentStop};
use amelia_agents::delegating::{NAME as DELEGATE, SubAgent, SubAgents};
use amelia_agents::pipeline::limits;
use amelia_core::config::sub_agents::SubAgentLimits;
use amelia_core::config::team::pattern::settings::HierarchySettings;
use amelia_core::event::{Event, EventKind, RunEvent};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;

use super::after::AfterTurn;
use super::deciding::{after_turn, steps_left};
use super::hierarchy::HierarchyPlan;
use super::rules::TeamRules;
use super::shape::Shape;
use super::turn::{Turn, TurnWords, unreadable};
use super::{TeamParts, parts_of, prompt};
use crate::chat::{Chat, ChatUpdate, TurnEnd, TurnOutcome};

pub(super) struct CoordinatorNode {
    pub(super) rules: Arc<TeamRules>,
    pub(super) parts: Option<Arc<TeamParts>>,
}

#[async_trait]
impl Node<Chat> for CoordinatorNode {
    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        limits::check_answer(cx)?;
        let parts = parts_of(self.parts.as_ref())?;
        let Shape::Hierarchy(plan) = &self.rules.shape else {
            return Err(NodeError::new("shape", "this team has no coordinator"));
        };
        let turn = Turn { rules: &self.rules, parts, agent: &plan.coordinator, cx, state };
        match self.take(&turn, plan).await {
            Ok(updates) => Ok(Outcome::Done(updates)),
            Err(stop) => limits::stopped(cx, stop),
        }
    }
}

impl CoordinatorNode {
    async fn take(&self, turn: &Turn<'_>, plan: &HierarchyPlan) -> Result<Vec<ChatUpdate>, AgentStop> {
        let last = self.rules.run(turn.state).turn.as_ref();
        let before = last.map_or(0, |last| last.delegations);
        let begun = before.saturating_add(delegations_in(&turn.cx.recorded().await?));
        let HierarchySettings { max_parallel: at_once, max_delegations: per_run, max_depth: depth, .. } =
            plan.settings;
        let limits = SubAgentLimits { depth, per_run, at_once };
        let sub_agents = SubAgents::new(self.sub_agents(turn, plan)?, limits, begun);
        let coordinator = &turn.flow_agent()?.agent.name;
        let is_again = last
            .is_some_and(|last| matches!(after_turn(&self.rules, turn.state, last), Ok(AfterTurn::Again(_))));
        let heard = prompt::word(&self.rules, &plan.coordinator, turn.state, false);
        let word = match is_again {
            true => format!(
                "{heard}\n\nYou have answered without delegating anything. Give tasks with `{DELEGATE}` first."
            ),
            false => heard,
        };
        let words = TurnWords {
            manners: &self.manners(plan),
            word,
            number: 1,
            hand_ins: &[],
            tools: sub_agents.team_tool(&plan.members, coordinator).into_iter().collect(),
        };
        let taken = turn.take(words).await?;
        let AgentAnswer::Text(text) = taken.answer else {
            return Err(unreadable("a result was submitted, but none was expected".to_owned()));
        };
        let failed = turn.look_for_failure().await?;
        // What the sub-agents did in this visit counts, too.
        let all = turn.cx.recorded().await?;
        let delegations = before.saturating_add(delegations_in(&all));
        let said = TurnEnd::new(&plan.coordinator, text, TurnOutcome::Said);
        let end = TurnEnd { failed, delegations, ..said };
        turn.ended(end, turn.used(&all)).await
    }

    fn sub_agents(
        &self,
        turn: &Turn<'_>,
        plan: &HierarchyPlan,
    ) -> Result<BTreeMap<String, SubAgent>, NodeError> {
        let steps = u32::try_from(steps_left(&self.rules, turn.state).max(1)).unwrap_or(u32::MAX);
        let mut all = BTreeMap::new();
        for name in &plan.members {
            let own = Turn { agent: name, ..*turn };
            let flow_agent = own.flow_agent()?;
            let place = prompt::place(&self.rules, name);
            let manners = format!("{place}\n`{}` leads the team and gives you tasks.", plan.coordinator);
            let max_turns = flow_agent.agent.max_turns.min(steps);
            let member = self.rules.team.agents.iter().find(|member| member.name == *name);
            let sub_agent = SubAgent {
                agent: Agent { max_turns, ..flow_agent.agent.clone() },
                role: member.map(|member| member.role.clone()).unwrap_or_default(),
                system: prompt::system(&own, flow_agent, &manners, None)?,
                tools: Arc::clone(&flow_agent.tools),
                sub_agents: plan.others(name),
            };
            all.insert(name.clone(), sub_agent);
        }
        Ok(all)
    }

    fn manners(&self, plan: &HierarchyPlan) -> String {
        let roles: Vec<String> = plan.members.iter().map(|name| prompt::role(&self.rules, name)).collect();
        let must = match plan.settings.must_delegate {
            true => " Do not answer before you have delegated something.",
            false => "",
        };
        format!(
            "{}\nYou lead these agents:\n{}\nGive them tasks with `{DELEGATE}`; tasks in one answer run at the same \
             time.{must} Your answer is the result of the team.",
            prompt::place(&self.rules, &plan.coordinator),
            roles.join("\n")
        )
    }
}

/// How many tasks were given.
fn delegations_in(events: &[Event]) -> u32 {
    let is_task = |event: &&Event| matches!(event.draft.kind, EventKind::Run(RunEvent::Created { .. }));
    u32::try_from(events.iter().filter(is_task).count()).unwrap_or(u32::MAX)
}
