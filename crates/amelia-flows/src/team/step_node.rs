//! A step of a team's own that an agent does, and ends with an outcome.

use std::sync::Arc;

use amelia_agents::agent::{AgentAnswer, AgentStop};
use amelia_agents::handing_in::read;
use amelia_agents::pipeline::limits;
use amelia_core::config::team::pattern::settings::CustomStep;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;

use super::after::AfterTurn;
use super::custom::{self, REPORT, ReportArgs};
use super::deciding::after_turn;
use super::rules::TeamRules;
use super::turn::{Turn, TurnWords, last_text, unreadable};
use super::{TeamParts, parts_of, prompt};
use crate::chat::{Chat, ChatUpdate, TurnEnd, TurnOutcome};
use crate::hearing::team_messages_since;

pub(super) struct StepNode {
    /// By its name in the team.
    pub(super) agent: String,
    pub(super) step: CustomStep,
    pub(super) rules: Arc<TeamRules>,
    pub(super) parts: Option<Arc<TeamParts>>,
}

#[async_trait]
impl Node<Chat> for StepNode {
    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        limits::check_answer(cx)?;
        let parts = parts_of(self.parts.as_ref())?;
        let turn = Turn { rules: &self.rules, parts, agent: &self.agent, cx, state };
        match self.take(&turn).await {
            Ok(updates) => Ok(Outcome::Done(updates)),
            Err(stop) => limits::stopped(cx, stop),
        }
    }
}

impl StepNode {
    async fn take(&self, turn: &Turn<'_>) -> Result<Vec<ChatUpdate>, AgentStop> {
        let hand_ins: Vec<_> = custom::hand_in(&self.step).into_iter().collect();
        let (place, manners) = (prompt::place(&self.rules, &self.agent), custom::manners(&self.step));
        let words = TurnWords {
            manners: &format!("{place}\n{manners}"),
            word: self.word(turn)?,
            number: 1,
            hand_ins: &hand_ins,
            tools: Vec::new(),
        };
        let taken = turn.take(words).await?;
        let (text, outcome) = match taken.answer {
            AgentAnswer::Text(text) => (text, TurnOutcome::Said),
            AgentAnswer::HandedIn { args, .. } => {
                let args: ReportArgs = read(&args).map_err(unreadable)?;
                let texts = [Some(last_text(&taken.events)), args.summary];
                let texts = texts.into_iter().flatten().filter(|text| !text.trim().is_empty());
                let text = texts.collect::<Vec<_>>().join("\n\n");
                (text, TurnOutcome::Reported { outcome: args.outcome })
            }
        };
        let failed = turn.look_for_failure().await?;
        let node = Some(self.step.step.clone());
        let end = TurnEnd { failed, node, ..TurnEnd::new(&self.agent, text, outcome) };
        turn.ended(end, turn.used(&taken.events)).await
    }

    /// What was said since, and the task of the step.
    fn word(&self, turn: &Turn<'_>) -> Result<String, AgentStop> {
        let last = self.rules.run(turn.state).turn.as_ref().filter(|last| last.node() == self.step.step);
        let after = last.map(|last| after_turn(&self.rules, turn.state, last));
        if let Some(Ok(AfterTurn::Again(_))) = after {
            let heard = team_messages_since(turn.state, &self.rules.full(&self.agent), &self.rules.path);
            let outcomes: Vec<&str> = custom::outcomes(&self.step).iter().map(|(name, _)| *name).collect();
            let asked = format!(
                "You have ended the step `{}` without its outcome. Call `{REPORT}` with one of: {}.",
                self.step.step,
                outcomes.join(", ")
            );
            return Ok(if heard.is_empty() { asked } else { format!("{heard}\n\n{asked}") });
        }
        let heard = prompt::word(&self.rules, &self.agent, turn.state, false);
        Ok(match &self.step.task {
            None => heard,
            Some(task) => format!("{heard}\n\n{}", prompt::task(turn, task, "task")?),
        })
    }
}
