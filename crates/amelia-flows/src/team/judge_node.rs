//! Looks at the success criteria when the team says that it is done. What does not hold is reported to the agent that said so.

use std::sync::Arc;

use amelia_agents::agent::AgentStop;
use amelia_agents::pipeline::limits;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;

use super::deciding::FAILURE_CRITERION;
use super::judge::{JUDGE, Judge};
use super::rules::TeamRules;
use super::seat::Turn;
use super::{CHECK, TeamParts, deciding, parts_of};
use crate::chat::{Chat, ChatMessage, ChatRole, ChatUpdate, TeamUpdate};

pub(super) struct JudgeNode {
    pub(super) rules: Arc<TeamRules>,
    pub(super) parts: Option<Arc<TeamParts>>,
}

#[async_trait]
impl Node<Chat> for JudgeNode {
    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        limits::check_answer(cx)?;
        let parts = parts_of(self.parts.as_ref())?;
        let turn = Turn { rules: &self.rules, parts, agent: JUDGE, cx, state };
        match self.look(turn).await {
            Ok(updates) => Ok(Outcome::Done(updates)),
            Err(stop) => limits::stopped(cx, stop),
        }
    }
}

impl JudgeNode {
    async fn look(&self, turn: Turn<'_>) -> Result<Vec<ChatUpdate>, AgentStop> {
        let (cx, mut judge) = (turn.cx, Judge::new(turn));
        let mut unmet = self.unmet(cx, turn.state, turn.parts).await?;
        // A model is asked only when nothing else is missing.
        if unmet.is_empty() {
            self.look_for_failure(&mut judge).await?;
            let sentences = self.rules.success.iter().enumerate();
            for (index, criterion) in sentences.filter(|(_, criterion)| criterion.is_sentence()) {
                let verdict = judge.verdict("success", index, &criterion.text).await?;
                if !verdict.holds {
                    unmet.push(format!("{} ({})", criterion.text, verdict.reason.trim()));
                }
            }
        }
        let heard = judge.updates().await?;
        Ok(heard.into_iter().chain(self.updates(cx, unmet)).collect())
    }

    /// Fails the run when a sentence holds that must not.
    async fn look_for_failure(&self, judge: &mut Judge<'_>) -> Result<(), AgentStop> {
        let sentences = self.rules.failure.iter().enumerate();
        for (index, criterion) in sentences.filter(|(_, criterion)| criterion.is_sentence()) {
            let verdict = judge.verdict("failure", index, &criterion.text).await?;
            if verdict.holds {
                let (text, reason) = (&criterion.text, verdict.reason.trim());
                let message = format!("the failure criterion `{text}` holds: {reason}");
                return Err(NodeError::new(FAILURE_CRITERION, message).into());
            }
        }
        Ok(())
    }

    async fn unmet(&self, cx: &NodeCx, state: &Chat, parts: &TeamParts) -> Result<Vec<String>, AgentStop> {
        let mut unmet =
            deciding::unmet(&self.rules, state).map_err(|reason| NodeError::new("bad_condition", reason))?;
        for (index, criterion) in self.rules.success.iter().enumerate() {
            if let Some(found) = criterion.look(cx, parts, index).await? {
                unmet.push(format!("{}: {found}", criterion.text));
            }
        }
        Ok(unmet)
    }

    fn updates(&self, cx: &NodeCx, unmet: Vec<String>) -> Vec<ChatUpdate> {
        let told = (!unmet.is_empty()).then(|| {
            let list: Vec<String> = unmet.iter().map(|criterion| format!("- {criterion}")).collect();
            let text =
                format!("The task is not done yet. These success criteria do not hold:\n{}", list.join("\n"));
            let (role, node) = (ChatRole::User, Some(self.rules.full(CHECK)));
            ChatUpdate::Said(ChatMessage { role, agent: None, node, text, at: cx.now() })
        });
        told.into_iter().chain([self.rules.update(TeamUpdate::Judged { unmet })]).collect()
    }
}
