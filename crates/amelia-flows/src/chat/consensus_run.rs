//! How far a vote is: what was proposed, who has voted how, and what came of it. Pure.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A vote under way.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ConsensusRun {
    /// One for each round.
    pub proposals: Vec<Proposal>,
    /// It got the outcome of the last one.
    pub is_final: bool,
}

/// A decision that agents vote on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    pub id: String,
    pub by: String,
    pub decision: String,
    /// Who votes.
    pub stakeholders: Vec<String>,
    pub at: Timestamp,
    #[serde(default)]
    pub votes: Vec<CastVote>,
    /// What came of the votes.
    #[serde(default)]
    pub count: Option<VoteCount>,
    /// What was decided where the votes did not.
    #[serde(default)]
    pub casting: Option<CastingVote>,
}

/// The vote of one agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CastVote {
    pub agent: String,
    pub vote: Vote,
    pub reasoning: String,
    /// It did not come in time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_absent: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Vote {
    Approve,
    Reject,
    Abstain,
}

/// What the votes say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VoteCount {
    Accepted,
    Rejected,
    /// As many for it as against it, or too few votes.
    Tied,
}

/// What a person or the coordinator decides about a tie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CastingVote {
    Approve,
    Reject,
    Undecided,
}

/// What has happened to a vote.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsensusUpdate {
    Proposed(Proposal),
    Voted(CastVote),
    Counted(VoteCount),
    Decided(CastingVote),
    /// The result was reported.
    Finalized,
}

impl Vote {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Abstain => "abstain",
        }
    }
}

impl ConsensusRun {
    pub(super) fn is_new(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn apply(&mut self, update: ConsensusUpdate) {
        match update {
            ConsensusUpdate::Proposed(proposal) => self.proposals.push(proposal),
            ConsensusUpdate::Finalized => self.is_final = true,
            ConsensusUpdate::Voted(vote) => {
                if let Some(proposal) = self.proposals.last_mut() {
                    proposal.votes.push(vote);
                }
            }
            ConsensusUpdate::Counted(count) => {
                if let Some(proposal) = self.proposals.last_mut() {
                    proposal.count = Some(count);
                }
            }
            ConsensusUpdate::Decided(casting) => {
                if let Some(proposal) = self.proposals.last_mut() {
                    proposal.casting = Some(casting);
                }
            }
        }
    }
}
