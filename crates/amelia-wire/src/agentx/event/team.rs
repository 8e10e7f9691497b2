//! Agents of a team hand over, work side by side, and vote.

use amelia_core::event::TeamEvent;
use amelia_core::id::AgentName;
use jiff::Timestamp;

use super::shape::ExecutionEvent;

pub(super) fn event(kind: &TeamEvent, timestamp: Timestamp) -> ExecutionEvent {
    match kind {
        TeamEvent::HandedOff { from, to, reason, context, kind } => ExecutionEvent::AgentHandoff {
            from_agent: from.to_string(),
            to_agent: to.to_string(),
            reason: reason.clone(),
            timestamp,
            context: context.clone(),
            handoff_type: *kind,
        },
        TeamEvent::Forked { agents, coordinator, sync_points } => ExecutionEvent::ParallelStart {
            agents: names(agents),
            coordination_agent: coordinator.as_ref().map(ToString::to_string),
            timestamp,
            sync_points: sync_points.clone(),
        },
        TeamEvent::Joined { sync_point, completed, waiting } => ExecutionEvent::ParallelSync {
            sync_point: sync_point.clone(),
            completed_agents: names(completed),
            waiting_agents: names(waiting),
            timestamp,
        },
        TeamEvent::Proposed { proposal, by, decision, stakeholders } => ExecutionEvent::ConsensusProposal {
            proposal_id: proposal.clone(),
            proposer_agent: by.to_string(),
            decision: decision.clone(),
            stakeholders: names(stakeholders),
            timestamp,
        },
        TeamEvent::Voted { proposal, by, vote, reasoning } => ExecutionEvent::ConsensusVote {
            proposal_id: proposal.clone(),
            voter_agent: by.to_string(),
            vote: vote.clone(),
            reasoning: reasoning.clone(),
            timestamp,
        },
        TeamEvent::Agreed { proposal, decision, votes } => ExecutionEvent::ConsensusReached {
            proposal_id: proposal.clone(),
            final_decision: decision.clone(),
            votes: votes.iter().map(|(agent, vote)| (agent.to_string(), vote.clone())).collect(),
            timestamp,
        },
    }
}

fn names(agents: &[AgentName]) -> Vec<String> {
    agents.iter().map(ToString::to_string).collect()
}
