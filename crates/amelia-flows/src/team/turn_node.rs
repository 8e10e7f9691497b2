//! An agent takes its turn: it reads what was said since its last one, and ends with words, a handoff or the result.

use std::sync::Arc;

use amelia_agents::agent::{AgentAnswer, AgentStop};
use amelia_agents::handing_in::read;
use amelia_agents::pipeline::limits;
use amelia_core::event::Event;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;

use super::after::AfterTurn;
use super::deciding::after_turn;
use super::hand_ins::{self, FINISH, FinishArgs, HANDOFF, HandoffArgs};
use super::rules::TeamRules;
use super::turn::{Turn, TurnWords, last_text, unreadable};
use super::{TeamParts, parts_of, prompt};
use crate::chat::{Chat, ChatUpdate, TurnEnd, TurnOutcome};

pub(super) struct TurnNode {
    /// The agent, by its name in the team.
    pub(super) name: String,
    pub(super) rules: Arc<TeamRules>,
    pub(super) parts: Option<Arc<TeamParts>>,
}

#[async_trait]
impl Node<Chat> for TurnNode {
    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        limits::check_answer(cx)?;
        let parts = parts_of(self.parts.as_ref())?;
        let turn = Turn { rules: &self.rules, parts, agent: &self.name, cx, state };
        match self.take(&turn).await {
            Ok(updates) => Ok(Outcome::Done(updates)),
            Err(stop) => limits::stopped(cx, stop),
        }
    }
}

impl TurnNode {
    async fn take(&self, turn: &Turn<'_>) -> Result<Vec<ChatUpdate>, AgentStop> {
        let is_asked = self.is_asked(turn.state);
        let hand_ins = hand_ins::of_agent(&self.rules, &self.name);
        let words = TurnWords {
            manners: &prompt::manners(&self.rules, &self.name),
            word: prompt::word(&self.rules, &self.name, turn.state, is_asked),
            number: 1,
            hand_ins: &hand_ins,
            tools: turn.plan_tools(),
        };
        let taken = turn.take(words).await?;
        let (text, outcome) = ended(taken.answer, &taken.events)?;
        let failed = turn.look_for_failure().await?;
        let run = self.rules.run(turn.state);
        let is_back = run.has_returned || (is_asked && run.turn.as_ref().is_some_and(|last| last.is_back));
        let end = TurnEnd { was_asked: is_asked, failed, is_back, ..TurnEnd::new(&self.name, text, outcome) };
        turn.ended(end, turn.used(&taken.events)).await
    }

    /// Whether it had the last turn, and did not say who continues.
    fn is_asked(&self, state: &Chat) -> bool {
        let run = self.rules.run(state);
        // After others have worked for it, it hears their answers first.
        let turn = run.turn.as_ref().filter(|turn| turn.agent == self.name && !run.has_returned);
        turn.is_some_and(|turn| matches!(after_turn(&self.rules, state, turn), Ok(AfterTurn::Ask)))
    }
}

/// What an agent said in public, and how its turn ended.
fn ended(answer: AgentAnswer, events: &[Event]) -> Result<(String, TurnOutcome), AgentStop> {
    match answer {
        AgentAnswer::Text(text) => Ok((text, TurnOutcome::Said)),
        AgentAnswer::HandedIn { tool, args } if tool == FINISH => {
            let args: FinishArgs = read(&args).map_err(unreadable)?;
            Ok((args.result, TurnOutcome::Finished))
        }
        AgentAnswer::HandedIn { tool, args } if tool == HANDOFF => {
            let HandoffArgs { destination_agent: to, reason, context } = read(&args).map_err(unreadable)?;
            Ok((last_text(events), TurnOutcome::HandedOff { to, reason, context }))
        }
        AgentAnswer::HandedIn { tool, .. } => Err(unreadable(format!("`{tool}` does not end a turn"))),
    }
}
