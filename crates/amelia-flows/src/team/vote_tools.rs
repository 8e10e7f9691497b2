//! The tools of a vote: `propose_decision`, `vote_on_proposal` and `finalize_consensus`.

use std::sync::Arc;

use amelia_agents::handing_in::HandIn;
use amelia_graph::node::{NodeCx, NodeError};
use schemars::JsonSchema;
use serde::Deserialize;

use super::consensus::ConsensusPlan;
use super::rules::TeamRules;
use super::shape::Shape;
use crate::chat::{CastingVote, ConsensusRun, Vote};

pub(super) const PROPOSE: &str = "propose_decision";
pub(super) const VOTE: &str = "vote_on_proposal";
pub(super) const FINALIZE: &str = "finalize_consensus";

/// Arguments of `propose_decision`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ProposeArgs {
    /// The whole decision, as it will hold
    pub(super) decision: String,
    /// Who votes on it; all others without it
    #[serde(default)]
    pub(super) stakeholders: Vec<String>,
}

/// Arguments of `vote_on_proposal`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct VoteArgs {
    pub(super) proposal_id: String,
    pub(super) vote: Vote,
    /// Why
    pub(super) reasoning: String,
}

/// Arguments of `finalize_consensus`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FinalizeArgs {
    pub(super) proposal_id: String,
    /// What is decided about a tie
    #[serde(default)]
    pub(super) decision: Option<CastingVote>,
    /// The result for the person who gave the task; the decision without it
    #[serde(default)]
    pub(super) result: Option<String>,
}

/// The rules of the vote that is the whole team.
pub(super) fn plan_of(rules: &TeamRules) -> Result<&ConsensusPlan, NodeError> {
    match &rules.shape {
        Shape::Consensus(plan) => Ok(plan),
        _ => Err(NodeError::new("shape", "the agents of this team do not vote")),
    }
}

pub(super) fn propose(rules: &Arc<TeamRules>) -> HandIn {
    let rules = Arc::clone(rules);
    let description = "Propose a decision. The others vote on it, and you get the result.";
    HandIn::of(PROPOSE, description, move |args: &ProposeArgs| {
        if args.decision.trim().is_empty() {
            return Err("`decision` must not be empty".to_owned());
        }
        let plan = plan_of(&rules).map_err(|error| error.to_string())?;
        let named = if args.stakeholders.is_empty() { &plan.voters } else { &args.stakeholders };
        plan.stakeholder_refusal(named).map_or(Ok(()), Err)
    })
}

pub(super) fn vote(rules: &Arc<TeamRules>, run: &ConsensusRun, agent: &str, cx: &NodeCx) -> HandIn {
    let (rules, run, agent, cx) = (Arc::clone(rules), run.clone(), agent.to_owned(), cx.clone());
    HandIn::of(VOTE, "Vote on the proposal, and say why.", move |args: &VoteArgs| {
        let plan = plan_of(&rules).map_err(|error| error.to_string())?;
        plan.vote_refusal(&run, &agent, &args.proposal_id, cx.now()).map_or(Ok(()), Err)
    })
}

pub(super) fn finalize(proposal: &str, decides: bool) -> HandIn {
    let expected = proposal.to_owned();
    let description = match decides {
        true => {
            "Decide on the proposal, because the votes are not decisive, and end the task with its result."
        }
        false => "End the task with the result of the vote.",
    };
    HandIn::of(FINALIZE, description, move |args: &FinalizeArgs| {
        finalize_refusal(args, &expected, decides).map_or(Ok(()), Err)
    })
}

fn finalize_refusal(args: &FinalizeArgs, expected: &str, decides: bool) -> Option<String> {
    if args.proposal_id != expected {
        return Some(format!("the proposal is `{expected}`, not `{}`", args.proposal_id));
    }
    match (decides, args.decision) {
        (true, None) => Some("the votes are tied: set `decision` to approve, reject or undecided".to_owned()),
        (false, Some(_)) => Some("the votes have decided: leave `decision` out".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_a_tie_is_decided_by_the_one_who_ends_it() {
        let refusal = |args, decides| {
            finalize_refusal(&serde_json::from_value(args).unwrap(), "board-1", decides).unwrap_or_default()
        };
        assert_eq!(refusal(json!({"proposal_id": "board-1"}), false), "");
        assert_eq!(refusal(json!({"proposal_id": "board-1", "decision": "approve"}), true), "");
        assert!(refusal(json!({"proposal_id": "board-2"}), false).contains("is `board-1`"));
        assert!(refusal(json!({"proposal_id": "board-1"}), true).contains("are tied"));
        assert!(
            refusal(json!({"proposal_id": "board-1", "decision": "reject"}), false).contains("have decided")
        );
    }
}
