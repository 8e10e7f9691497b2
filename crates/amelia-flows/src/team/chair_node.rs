//! The agent that proposes: it makes a proposal, hears what came of the votes, and tells the result.

use std::sync::Arc;

use amelia_agents::agent::{AgentAnswer, AgentStop};
use amelia_agents::handing_in::{HandIn, read};
use amelia_agents::pipeline::limits;
use amelia_core::event::EventKind;
use amelia_core::event::team::TeamEvent;
use amelia_core::id::AgentName;
use amelia_core::tag::{UNTRUSTED, tagged};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;

use super::consensus::{ConsensusPlan, Stage};
use super::rules::TeamRules;
use super::turn::{Turn, TurnWords, unreadable};
use super::vote_tools::{self, FINALIZE, FinalizeArgs, PROPOSE, ProposeArgs, plan_of};
use super::{TeamParts, parts_of, prompt};
use crate::chat::{
    CastingVote, Chat, ChatUpdate, ConsensusUpdate, Proposal, TeamUpdate, TurnEnd, TurnOutcome,
};
use crate::hearing::people_since;

/// How often it is asked for what it must do.
const TRIES: u32 = 3;

pub(super) struct ChairNode {
    pub(super) rules: Arc<TeamRules>,
    pub(super) parts: Option<Arc<TeamParts>>,
}

/// What the turn of the proposer has come to.
enum Chaired {
    Proposed { decision: String, stakeholders: Vec<String> },
    Finalized { casting: Option<CastingVote>, result: Option<String> },
    Said(String),
}

#[async_trait]
impl Node<Chat> for ChairNode {
    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        limits::check_answer(cx)?;
        let (parts, plan) = (parts_of(self.parts.as_ref())?, plan_of(&self.rules)?);
        let turn = Turn { rules: &self.rules, parts, agent: &plan.proposer, cx, state };
        match self.take(&turn, plan).await {
            Ok(updates) => Ok(Outcome::Done(updates)),
            Err(stop) => limits::stopped(cx, stop),
        }
    }
}

impl ChairNode {
    async fn take(&self, turn: &Turn<'_>, plan: &ConsensusPlan) -> Result<Vec<ChatUpdate>, AgentStop> {
        let run = &self.rules.run(turn.state).consensus;
        let (stage, last) = (plan.stage(run), run.proposals.last());
        let hand_ins = self.hand_ins(&stage, last);
        let manners = self.manners(plan, &hand_ins);
        let mut word = self.word(turn, plan, last);
        for number in 1.. {
            let tools = Vec::new();
            let words = TurnWords { manners: &manners, word, number, hand_ins: &hand_ins, tools };
            let taken = turn.take(words).await?;
            let chaired = match taken.answer {
                AgentAnswer::Text(_) if number < TRIES && !hand_ins.is_empty() => {
                    word = format!("End your turn with {}.", tools_in(&hand_ins));
                    continue;
                }
                answer => self.chaired(answer, &stage, plan)?,
            };
            return self.ended(turn, plan, chaired, turn.used(&taken.events)).await;
        }
        Err(unreadable("the agent gave no answer".to_owned()))
    }

    fn hand_ins(&self, stage: &Stage, last: Option<&Proposal>) -> Vec<HandIn> {
        let finalize = |decides| last.map(|last| vote_tools::finalize(&last.id, decides));
        match stage {
            Stage::Propose => [vote_tools::propose(&self.rules)].into_iter().chain(finalize(false)).collect(),
            Stage::Finalize { decides } => finalize(*decides).into_iter().collect(),
            Stage::Vote | Stage::AskPerson | Stage::Over => Vec::new(),
        }
    }

    fn manners(&self, plan: &ConsensusPlan, hand_ins: &[HandIn]) -> String {
        let roles: Vec<String> = plan.voters.iter().map(|voter| prompt::role(&self.rules, voter)).collect();
        let place = prompt::place(&self.rules, &plan.proposer);
        let vote = format!("You propose a decision, and these agents vote on it:\n{}", roles.join("\n"));
        match hand_ins.is_empty() {
            true => format!("{place}\n{vote}\nThe vote is over. Your answer is the result of the team."),
            false => format!("{place}\n{vote}\nEnd your turn with {}.", tools_in(hand_ins)),
        }
    }

    /// What people said since, and what came of the last proposal.
    fn word(&self, turn: &Turn<'_>, plan: &ConsensusPlan, last: Option<&Proposal>) -> String {
        let heard = people_since(turn.state, &self.rules.full(&plan.proposer), &self.rules.path);
        let Some(last) = last else { return heard };
        let votes = last.votes.iter().map(|vote| {
            let absent = if vote.is_absent { " (not in time)" } else { "" };
            let said = tagged(UNTRUSTED, &vote.reasoning, &vote.agent);
            format!("{} votes {}{absent}:\n{said}", vote.agent, vote.vote.as_str())
        });
        let votes: Vec<String> = votes.collect();
        let verdict = match plan.verdict(last) {
            "rejected" => "It is rejected.",
            "undecided" => "The votes are not decisive.",
            _ => "It is accepted.",
        };
        let told =
            format!("The votes on your proposal `{}`:\n\n{}\n\n{verdict}", last.id, votes.join("\n\n"));
        if heard.is_empty() { told } else { format!("{heard}\n\n{told}") }
    }

    /// What an answer means. One who does not use the tools, however often it is reminded, has proposed or told with its words.
    fn chaired(
        &self,
        answer: AgentAnswer,
        stage: &Stage,
        plan: &ConsensusPlan,
    ) -> Result<Chaired, AgentStop> {
        Ok(match answer {
            AgentAnswer::HandedIn { tool, args } if tool == PROPOSE => {
                let args: ProposeArgs = read(&args).map_err(unreadable)?;
                let named = !args.stakeholders.is_empty();
                let stakeholders = if named { args.stakeholders } else { plan.voters.clone() };
                Chaired::Proposed { decision: args.decision, stakeholders }
            }
            AgentAnswer::HandedIn { args, .. } => {
                let args: FinalizeArgs = read(&args).map_err(unreadable)?;
                Chaired::Finalized { casting: args.decision, result: args.result }
            }
            AgentAnswer::Text(decision) if *stage == Stage::Propose => {
                Chaired::Proposed { decision, stakeholders: plan.voters.clone() }
            }
            AgentAnswer::Text(text) => match stage {
                Stage::Finalize { decides } => Chaired::Finalized {
                    casting: decides.then_some(CastingVote::Undecided),
                    result: Some(text),
                },
                _ => Chaired::Said(text),
            },
        })
    }

    async fn ended(
        &self,
        turn: &Turn<'_>,
        plan: &ConsensusPlan,
        chaired: Chaired,
        used: crate::chat::Used,
    ) -> Result<Vec<ChatUpdate>, AgentStop> {
        let run = &self.rules.run(turn.state).consensus;
        let mut updates = Vec::new();
        let note = |event: TeamEvent| {
            let by = AgentName::new(self.rules.full(&plan.proposer)).unwrap_or_else(|_| AgentName::system());
            turn.cx.note(vec![turn.cx.draft(&by, EventKind::Team(event))]);
        };
        let text = match (chaired, run.proposals.last()) {
            (Chaired::Said(text), _) => text,
            (Chaired::Proposed { decision, stakeholders }, _) => {
                let round = run.proposals.len().saturating_add(1);
                let proposal = Proposal {
                    id: format!("{}-{round}", self.rules.full(&plan.name)),
                    by: plan.proposer.clone(),
                    decision: decision.clone(),
                    stakeholders,
                    at: turn.cx.now(),
                    votes: Vec::new(),
                    count: None,
                    casting: None,
                };
                note(proposed(&self.rules, &proposal)?);
                updates.push(ConsensusUpdate::Proposed(proposal));
                decision
            }
            (Chaired::Finalized { result, .. }, None) => result.unwrap_or_default(),
            (Chaired::Finalized { casting, result }, Some(last)) => {
                let decided = Proposal { casting: casting.or(last.casting), ..last.clone() };
                let verdict = plan.verdict(&decided).to_owned();
                note(agreed(&self.rules, &decided, &verdict));
                updates.extend(casting.map(ConsensusUpdate::Decided));
                updates.push(ConsensusUpdate::Finalized);
                result.filter(|text| !text.trim().is_empty()).unwrap_or(verdict)
            }
        };
        let failed = turn.look_for_failure().await?;
        let end = TurnEnd { failed, ..TurnEnd::new(&plan.proposer, text, TurnOutcome::Said) };
        let updates = updates.into_iter().map(|update| self.rules.update(TeamUpdate::Consensus(update)));
        let mut all: Vec<ChatUpdate> = updates.collect();
        all.extend(turn.ended(end, used).await?);
        Ok(all)
    }
}

fn tools_in(hand_ins: &[HandIn]) -> String {
    let names: Vec<String> = hand_ins.iter().map(|tool| format!("`{}`", tool.name())).collect();
    match names.len() {
        2 => format!("`{PROPOSE}`, to try again, or with `{FINALIZE}`"),
        _ => names.join(", "),
    }
}

fn proposed(rules: &TeamRules, proposal: &Proposal) -> Result<TeamEvent, AgentStop> {
    let by = AgentName::new(rules.full(&proposal.by)).map_err(|error| unreadable(error.to_string()))?;
    Ok(TeamEvent::Proposed {
        proposal: proposal.id.clone(),
        by,
        decision: proposal.decision.clone(),
        stakeholders: rules.agent_names(proposal.stakeholders.iter().map(String::as_str)),
    })
}

fn agreed(rules: &TeamRules, proposal: &Proposal, verdict: &str) -> TeamEvent {
    let votes = proposal.votes.iter().filter_map(|vote| {
        let agent = AgentName::new(rules.full(&vote.agent)).ok()?;
        Some((agent, vote.vote.as_str().to_owned()))
    });
    let (proposal, decision) = (proposal.id.clone(), verdict.to_owned());
    TeamEvent::Agreed { proposal, decision, votes: votes.collect() }
}
