//! The nodes of agents that work at the same time: all begin together, meet at the points, and meet again at the end.

use std::sync::Arc;

use amelia_core::event::EventKind;
use amelia_core::event::team::TeamEvent;
use amelia_core::id::AgentName;
use amelia_graph::build::Builder;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome, pure};
use async_trait::async_trait;

use super::level::{Level, Target};
use super::member_node::{MemberNode, OthersFailed};
use super::merge_node::{JoinNode, MergeNode};
use super::parallel::ParallelPlan;
use super::parallel_rules::{check_part, plan_of};
use super::rules::TeamRules;
use crate::chat::{Chat, ChatUpdate, ParallelUpdate, TeamUpdate};

impl Level {
    pub(super) fn add_parallel(&self, graph: Builder<Chat>, plan: &ParallelPlan) -> Builder<Chat> {
        let start = StartNode { rules: Arc::clone(&self.rules) };
        let full = |name: &String| self.rules.full(name);
        let mut graph =
            graph.node(&full(&plan.name), start).kind("parallel").fork(plan.agents.iter().map(full));
        let others = Arc::new(OthersFailed::default());
        for part in 0..plan.parts() {
            for agent in &plan.agents {
                graph = self.add_part(graph, plan, agent, part, &others);
            }
            if plan.point(part).is_some() {
                let arrivals = plan.agents.iter().map(|agent| full(&ParallelPlan::arrival_node(agent, part)));
                let next = part.saturating_add(1);
                let parts = plan.agents.iter().map(|agent| full(&ParallelPlan::part_node(agent, next)));
                let name = full(&plan.sync_node(part));
                graph = graph.node(&name, pure(|_: &Chat| Vec::new())).kind("join").fork(parts);
                graph = joined(graph, arrivals.collect());
            }
        }
        self.add_end(graph, plan)
    }

    /// A part of the work of an agent, and that it has arrived at its end.
    fn add_part(
        &self,
        graph: Builder<Chat>,
        plan: &ParallelPlan,
        agent: &str,
        part: usize,
        others: &Arc<OthersFailed>,
    ) -> Builder<Chat> {
        let (rules, parts) = (Arc::clone(&self.rules), self.parts.clone());
        let name = self.rules.full(&ParallelPlan::part_node(agent, part));
        let next = match plan.point(part) {
            Some(_) => self.rules.full(&ParallelPlan::arrival_node(agent, part)),
            None => self.rules.full(&plan.join_node()),
        };
        let member = MemberNode { agent: agent.to_owned(), part, rules, parts, others: Arc::clone(others) };
        let (rules, agent_name, target) = (Arc::clone(&self.rules), agent.to_owned(), next.clone());
        let route =
            move |state: &Chat| check_part(&rules, state, &agent_name).map(|()| target.clone().into());
        let graph = graph.node(&name, member).kind("agent").try_route(route, [(next.clone(), None)]);
        match plan.point(part) {
            None => graph,
            Some(_) => {
                let rules = Arc::clone(&self.rules);
                let arrival = ArrivalNode { agent: agent.to_owned(), part, rules };
                let sync = self.rules.full(&plan.sync_node(part));
                graph.node(&next, arrival).kind("join").edge(&sync)
            }
        }
    }

    /// All are done: their answers are the result, or the coordinator makes one of them.
    fn add_end(&self, graph: Builder<Chat>, plan: &ParallelPlan) -> Builder<Chat> {
        let last = plan.parts().saturating_sub(1);
        let sources = plan.agents.iter().map(|agent| self.rules.full(&ParallelPlan::part_node(agent, last)));
        let (join, sources) = (self.rules.full(&plan.join_node()), sources.collect());
        let again: Target = (self.rules.full(&plan.last_node()), Some("not done".to_owned()));
        let targets = || self.ends().into_iter().chain([again.clone()]);
        match &plan.coordinator {
            None => {
                let node = JoinNode { rules: Arc::clone(&self.rules) };
                let graph = graph.node(&join, node).kind("join").try_route(self.route(), targets());
                joined(graph, sources)
            }
            Some(coordinator) => {
                let merge = self.rules.full(&plan.merge_node());
                let graph = graph.node(&join, pure(|_: &Chat| Vec::new())).kind("join").edge(&merge);
                let (rules, parts) = (Arc::clone(&self.rules), self.parts.clone());
                let node = MergeNode { agent: coordinator.clone(), rules, parts };
                joined(graph, sources).node(&merge, node).kind("agent").try_route(self.route(), targets())
            }
        }
    }
}

/// The last node waits for all of these. One alone needs no waiting.
pub(super) fn joined(graph: Builder<Chat>, sources: Vec<String>) -> Builder<Chat> {
    if sources.len() > 1 { graph.join(sources) } else { graph }
}

/// All agents begin.
struct StartNode {
    rules: Arc<TeamRules>,
}

#[async_trait]
impl Node<Chat> for StartNode {
    async fn run(&self, cx: &NodeCx, _: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        let plan = plan_of(&self.rules)?;
        let agents = self.rules.agent_names(plan.agents.iter().map(String::as_str));
        let coordinator = self.rules.agent_names(plan.coordinator.as_deref()).pop();
        let event = TeamEvent::Forked { agents, coordinator, sync_points: plan.settings.sync_points.clone() };
        cx.note(vec![cx.draft(&AgentName::system(), EventKind::Team(event))]);
        Ok(Outcome::Done(vec![self.rules.update(TeamUpdate::Parallel(ParallelUpdate::Began))]))
    }
}

/// An agent has arrived at a point. A node of its own: only after the visit of the agent is it known who was there before.
struct ArrivalNode {
    agent: String,
    part: usize,
    rules: Arc<TeamRules>,
}

#[async_trait]
impl Node<Chat> for ArrivalNode {
    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        let plan = plan_of(&self.rules)?;
        let arrived = self.rules.run(state).parallel.arrived_with(self.part, &self.agent);
        if let (Some(arrived), Some(point)) = (arrived, plan.point(self.part)) {
            let waiting = plan.agents.iter().map(String::as_str).filter(|agent| !arrived.contains(agent));
            let event = TeamEvent::Joined {
                sync_point: point.to_owned(),
                waiting: self.rules.agent_names(waiting),
                completed: self.rules.agent_names(arrived.iter().copied()),
            };
            let by = AgentName::new(self.rules.full(&self.agent)).unwrap_or_else(|_| AgentName::system());
            cx.note(vec![cx.draft(&by, EventKind::Team(event))]);
        }
        Ok(Outcome::Done(Vec::new()))
    }
}
