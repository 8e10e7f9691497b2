//! The nodes of a vote: the proposer, the stakeholders at the same time, and the count.

use std::sync::Arc;

use amelia_graph::build::Builder;
use amelia_graph::graph::RouteError;
use amelia_graph::node::pure;

use super::PERSON;
use super::chair_node::ChairNode;
use super::consensus::ConsensusPlan;
use super::deciding::check_failure;
use super::level::{Level, Target};
use super::parallel_nodes::joined;
use super::rules::TeamRules;
use super::vote_node::VoteNode;
use super::vote_tools::plan_of;
use crate::chat::{Chat, ChatUpdate, ConsensusUpdate, TeamUpdate, TurnEnd, TurnOutcome};

impl Level {
    pub(super) fn add_vote(&self, graph: Builder<Chat>, plan: &ConsensusPlan) -> Builder<Chat> {
        let full = |name: &String| self.rules.full(name);
        let (rules, parts) = (Arc::clone(&self.rules), self.parts.clone());
        let label = |text: &str| Some(text.to_owned());
        let chair = full(&plan.proposer);
        let targets = [(full(&plan.vote_node()), label("proposed")), (chair.clone(), label("not done"))];
        let targets: Vec<Target> = targets.into_iter().chain(self.ends()).collect();
        let mut graph = graph
            .node(&chair, ChairNode { rules, parts })
            .kind("agent")
            .try_route(self.route(), targets)
            .node(&full(&plan.vote_node()), pure(|_: &Chat| Vec::new()))
            .kind("parallel")
            .fork(plan.voters.iter().map(full));
        let count = full(&plan.count_node());
        for voter in &plan.voters {
            let (rules, parts) = (Arc::clone(&self.rules), self.parts.clone());
            let node = VoteNode { agent: voter.clone(), rules, parts };
            let (rules, agent, target) = (Arc::clone(&self.rules), voter.clone(), count.clone());
            let route = move |state: &Chat| check_vote(&rules, state, &agent).map(|()| target.clone().into());
            graph = graph.node(&full(voter), node).kind("agent").try_route(route, [(count.clone(), None)]);
        }
        let targets = [(chair, label("counted")), (full(&PERSON.to_owned()), label("tie"))];
        let rules = Arc::clone(&self.rules);
        let graph = graph.node(&count, pure(move |state: &Chat| counted(&rules, state))).kind("join");
        joined(graph, plan.voters.iter().map(full).collect()).try_route(self.route(), targets)
    }
}

/// What the votes say.
fn counted(rules: &TeamRules, state: &Chat) -> Vec<ChatUpdate> {
    let Ok(plan) = plan_of(rules) else { return Vec::new() };
    let last = rules.run(state).consensus.proposals.last();
    let count = last.map(|last| ConsensusUpdate::Counted(plan.count(last)));
    count.into_iter().map(|count| rules.update(TeamUpdate::Consensus(count))).collect()
}

/// Fails the route when a failure criterion holds after a vote.
fn check_vote(rules: &TeamRules, state: &Chat, agent: &str) -> Result<(), RouteError> {
    let last = rules.run(state).consensus.proposals.last();
    let vote = last.and_then(|last| last.votes.iter().find(|vote| vote.agent == agent));
    let Some(vote) = vote else { return Ok(()) };
    check_failure(rules, state, &TurnEnd::new(agent, vote.reasoning.clone(), TurnOutcome::Said))
}
