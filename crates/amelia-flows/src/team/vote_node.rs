//! An agent votes on the proposal, in the time that there is for it.

use std::sync::Arc;
use std::time::Duration;

use amelia_agents::agent::{AgentAnswer, AgentStop};
use amelia_agents::handing_in::read;
use amelia_agents::pipeline::limits;
use amelia_core::event::EventKind;
use amelia_core::event::team::TeamEvent;
use amelia_core::id::AgentName;
use amelia_core::tag::{UNTRUSTED, tagged};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;

use super::rules::TeamRules;
use super::turn::{Turn, TurnWords, unreadable};
use super::vote_tools::{self, VOTE, VoteArgs, plan_of};
use super::{TeamParts, parts_of, prompt};
use crate::chat::{CastVote, Chat, ChatUpdate, ConsensusUpdate, Proposal, TeamUpdate, Used, Vote};
use crate::hearing::people_since;

/// How often it is asked for its vote.
const TRIES: u32 = 3;

pub(super) struct VoteNode {
    pub(super) agent: String,
    pub(super) rules: Arc<TeamRules>,
    pub(super) parts: Option<Arc<TeamParts>>,
}

#[async_trait]
impl Node<Chat> for VoteNode {
    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        limits::check_answer(cx)?;
        let (parts, plan) = (parts_of(self.parts.as_ref())?, plan_of(&self.rules)?);
        let open = self.rules.run(state).consensus.proposals.last();
        let Some(open) = open.filter(|open| open.stakeholders.contains(&self.agent)) else {
            return Ok(Outcome::Done(Vec::new()));
        };
        let turn = Turn { rules: &self.rules, parts, agent: &self.agent, cx, state };
        let left = plan.deadline(open).duration_since(cx.now());
        let left = Duration::try_from(left).unwrap_or(Duration::ZERO);
        match tokio::time::timeout(left, self.take(&turn, open)).await {
            Ok(Ok((vote, updates))) => Ok(Outcome::Done(self.voted(&turn, open, vote, updates))),
            Ok(Err(stop)) => limits::stopped(cx, stop),
            Err(_) => {
                let (agent, reasoning) = (self.agent.clone(), "no vote arrived in time".to_owned());
                let vote = CastVote { agent, vote: Vote::Abstain, reasoning, is_absent: true };
                let used = Used { turns: 1, at: Some(cx.now()), ..Used::default() };
                Ok(Outcome::Done(self.voted(&turn, open, vote, vec![ChatUpdate::Used(used)])))
            }
        }
    }
}

impl VoteNode {
    async fn take(&self, turn: &Turn<'_>, open: &Proposal) -> Result<(CastVote, Vec<ChatUpdate>), AgentStop> {
        let run = &self.rules.run(turn.state).consensus;
        let hand_ins = [vote_tools::vote(&self.rules, run, &self.agent, turn.cx)];
        let place = prompt::place(&self.rules, &self.agent);
        let manners = format!("{place}\nYou vote on proposals. End your turn with `{VOTE}`.");
        let mut word = self.word(turn, open);
        for number in 1.. {
            let tools = Vec::new();
            let words = TurnWords { manners: &manners, word, number, hand_ins: &hand_ins, tools };
            let taken = turn.take(words).await?;
            let agent = self.agent.clone();
            let vote = match taken.answer {
                AgentAnswer::HandedIn { args, .. } => {
                    let args: VoteArgs = read(&args).map_err(unreadable)?;
                    CastVote { agent, vote: args.vote, reasoning: args.reasoning, is_absent: false }
                }
                AgentAnswer::Text(_) if number < TRIES => {
                    word = format!("You have not voted. Call `{VOTE}` with the proposal `{}`.", open.id);
                    continue;
                }
                // However often it was asked: it does not vote, and says why.
                AgentAnswer::Text(reasoning) => {
                    CastVote { agent, vote: Vote::Abstain, reasoning, is_absent: false }
                }
            };
            return Ok((vote, turn.heard(None, turn.used(&taken.events))));
        }
        Err(unreadable("the agent gave no answer".to_owned()))
    }

    fn word(&self, turn: &Turn<'_>, open: &Proposal) -> String {
        let heard = people_since(turn.state, &self.rules.full(&self.agent), &self.rules.path);
        let decision = tagged(UNTRUSTED, &open.decision, &open.by);
        format!("{heard}\n\n`{}` proposes a decision, `{}`:\n\n{decision}", open.by, open.id)
            .trim()
            .to_owned()
    }

    /// The vote, as it is kept, heard and told.
    fn voted(
        &self,
        turn: &Turn<'_>,
        open: &Proposal,
        vote: CastVote,
        mut updates: Vec<ChatUpdate>,
    ) -> Vec<ChatUpdate> {
        if let Ok(by) = AgentName::new(self.rules.full(&self.agent)) {
            let (proposal, word) = (open.id.clone(), vote.vote.as_str().to_owned());
            let reasoning = vote.reasoning.clone();
            let event = TeamEvent::Voted { proposal, by: by.clone(), vote: word, reasoning };
            turn.cx.note(vec![turn.cx.draft(&by, EventKind::Team(event))]);
        }
        let text = format!("{}: {}", vote.vote.as_str(), vote.reasoning);
        updates.extend(turn.said(&text).filter(|_| !vote.is_absent).map(ChatUpdate::Said));
        updates.push(self.rules.update(TeamUpdate::Consensus(ConsensusUpdate::Voted(vote))));
        updates
    }
}
