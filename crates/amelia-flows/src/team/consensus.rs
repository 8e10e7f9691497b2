//! Decisions by vote: one agent proposes, others vote, and rules say what came of it. Pure.

use amelia_core::config::team::pattern::CollaborationPattern;
use amelia_core::config::team::pattern::settings::{ConsensusSettings, TieRule, VotingRule};
use jiff::{SignedDuration, Timestamp};

use crate::chat::{CastingVote, ConsensusRun, Proposal, Vote, VoteCount};

/// The rules of a vote.
pub(super) struct ConsensusPlan {
    /// Of the pattern.
    pub(super) name: String,
    pub(super) proposer: String,
    /// All who may vote, in the order of the pattern.
    pub(super) voters: Vec<String>,
    pub(super) settings: ConsensusSettings,
}

/// What comes next in a vote.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The proposer makes a proposal. After a rejected one it may also give up.
    Propose,
    /// The stakeholders vote.
    Vote,
    /// A person decides.
    AskPerson,
    /// The proposer tells the result; after a tie it decides as well.
    Finalize {
        decides: bool,
    },
    Over,
}

impl ConsensusPlan {
    pub(super) fn new(pattern: &CollaborationPattern, settings: ConsensusSettings) -> Self {
        let proposer = pattern.coordination_agent.as_ref().or(pattern.agents.first());
        let proposer = proposer.cloned().unwrap_or_default();
        let voters = pattern.agents.iter().filter(|agent| **agent != proposer).cloned().collect();
        Self { name: pattern.name.clone(), proposer, voters, settings }
    }

    /// The node at which the stakeholders begin to vote.
    pub(super) fn vote_node(&self) -> String {
        format!("{}.vote", self.name)
    }

    /// The node in which the votes are counted.
    pub(super) fn count_node(&self) -> String {
        format!("{}.count", self.name)
    }

    pub(super) fn stage(&self, run: &ConsensusRun) -> Stage {
        let Some(last) = run.proposals.last() else { return Stage::Propose };
        if run.is_final {
            return Stage::Over;
        }
        let rounds = u32::try_from(run.proposals.len()).unwrap_or(u32::MAX);
        match (last.count, last.casting) {
            (None, _) => Stage::Vote,
            (Some(VoteCount::Tied), None) => match self.settings.tie {
                TieRule::Human => Stage::AskPerson,
                TieRule::Coordinator => Stage::Finalize { decides: true },
                TieRule::Reject => self.after_rejection(rounds),
            },
            (Some(VoteCount::Rejected), _) | (_, Some(CastingVote::Reject)) => self.after_rejection(rounds),
            (Some(VoteCount::Accepted | VoteCount::Tied), _) => Stage::Finalize { decides: false },
        }
    }

    fn after_rejection(&self, rounds: u32) -> Stage {
        if rounds < self.settings.max_rounds { Stage::Propose } else { Stage::Finalize { decides: false } }
    }

    /// What came of a proposal, as it is reported: the decision, `rejected` or `undecided`.
    pub(super) fn verdict<'a>(&self, proposal: &'a Proposal) -> &'a str {
        match (proposal.count, proposal.casting) {
            (_, Some(CastingVote::Approve)) | (Some(VoteCount::Accepted), None) => &proposal.decision,
            (_, Some(CastingVote::Reject)) | (Some(VoteCount::Rejected), None) => "rejected",
            (Some(VoteCount::Tied), None) if self.settings.tie == TieRule::Reject => "rejected",
            (_, Some(CastingVote::Undecided)) | (Some(VoteCount::Tied) | None, None) => "undecided",
        }
    }

    /// Votes that must come in, of so many stakeholders.
    pub(super) fn quorum(&self, stakeholders: usize) -> usize {
        let share = |part: f64| (1..=stakeholders).find(|votes| *votes as f64 >= part * stakeholders as f64);
        match self.settings.quorum {
            None => stakeholders,
            Some(part) if part < 1.0 => share(part).unwrap_or(stakeholders),
            Some(votes) => (1..=stakeholders).find(|count| *count as f64 >= votes).unwrap_or(usize::MAX),
        }
    }

    /// What the votes say. Absent votes count neither way, and not for the quorum.
    pub(super) fn count(&self, proposal: &Proposal) -> VoteCount {
        let cast: Vec<_> = proposal.votes.iter().filter(|vote| !vote.is_absent).collect();
        let number = |wanted: Vote| cast.iter().filter(|vote| vote.vote == wanted).count();
        let quorum = self.quorum(proposal.stakeholders.len());
        let weight = |wanted: Vote| -> f64 {
            let those = cast.iter().filter(|vote| vote.vote == wanted);
            those.map(|vote| self.settings.weights.get(&vote.agent).copied().unwrap_or(1.0)).sum()
        };
        let compared = |approved: f64, rejected: f64| match approved.total_cmp(&rejected) {
            std::cmp::Ordering::Greater => VoteCount::Accepted,
            std::cmp::Ordering::Less => VoteCount::Rejected,
            std::cmp::Ordering::Equal => VoteCount::Tied,
        };
        match self.settings.rule {
            _ if cast.len() < quorum => VoteCount::Tied,
            VotingRule::Majority => compared(number(Vote::Approve) as f64, number(Vote::Reject) as f64),
            VotingRule::Weighted => compared(weight(Vote::Approve), weight(Vote::Reject)),
            VotingRule::Unanimous if number(Vote::Reject) > 0 => VoteCount::Rejected,
            VotingRule::Unanimous if number(Vote::Approve) >= quorum => VoteCount::Accepted,
            VotingRule::Unanimous => VoteCount::Tied,
        }
    }

    /// When the time to vote is over.
    pub(super) fn deadline(&self, proposal: &Proposal) -> Timestamp {
        let time = SignedDuration::from_secs(i64::try_from(self.settings.timeout).unwrap_or(i64::MAX));
        proposal.at.checked_add(time).unwrap_or(Timestamp::MAX)
    }

    /// Why these cannot be the stakeholders of a proposal.
    pub(super) fn stakeholder_refusal(&self, named: &[String]) -> Option<String> {
        let choices = || format!("those who can vote are: {}", self.voters.join(", "));
        if let Some(unknown) = named.iter().find(|name| !self.voters.contains(name)) {
            return Some(format!("`{unknown}` cannot vote: {}", choices()));
        }
        let twice =
            named.iter().enumerate().find(|(place, name)| named.iter().take(*place).any(|one| one == *name));
        if let Some((_, twice)) = twice {
            return Some(format!("`{twice}` is named twice"));
        }
        let quorum = self.settings.quorum.filter(|quorum| *quorum >= 1.0 && *quorum > named.len() as f64);
        quorum.map(|quorum| format!("{quorum} votes are needed: name at least as many; {}", choices()))
    }

    /// Why an agent cannot vote like this, at this time.
    pub(super) fn vote_refusal(
        &self,
        run: &ConsensusRun,
        agent: &str,
        proposal: &str,
        now: Timestamp,
    ) -> Option<String> {
        let Some(open) = run.proposals.last() else {
            return Some("there is no proposal to vote on".to_owned());
        };
        let is_older = run.proposals.iter().any(|one| one.id == proposal) && open.id != proposal;
        if is_older {
            return Some(format!("`{proposal}` is no longer open; the open proposal is `{}`", open.id));
        }
        if open.id != proposal {
            return Some(format!("there is no proposal `{proposal}`; the open proposal is `{}`", open.id));
        }
        if !open.stakeholders.iter().any(|one| one == agent) {
            return Some(format!("`{agent}` cannot vote on `{proposal}`"));
        }
        if open.votes.iter().any(|vote| vote.agent == agent) {
            return Some(format!("`{agent}` has already voted on `{proposal}`"));
        }
        let is_late = open.count.is_some() || now > self.deadline(open);
        is_late.then(|| format!("the time to vote on `{proposal}` is over"))
    }
}

#[cfg(test)]
#[path = "consensus_tests.rs"]
mod tests;
