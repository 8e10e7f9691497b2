//! A team in the place of an agent: it begins with the word that the agent would hear, and its result is the agent's turn.

use std::sync::Arc;

use amelia_agents::agent::AgentStop;
use amelia_agents::pipeline::limits;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;

use super::rules::TeamRules;
use super::turn::Turn;
use super::{TeamParts, parts_of, prompt};
use crate::chat::{Chat, ChatMessage, ChatRole, ChatUpdate, TeamUpdate, TurnEnd, TurnOutcome, Used};

/// The team begins.
pub(super) struct EnterNode {
    /// The member, by its name in the outer team.
    pub(super) name: String,
    /// Of the outer team.
    pub(super) rules: Arc<TeamRules>,
    pub(super) inner: Arc<TeamRules>,
}

#[async_trait]
impl Node<Chat> for EnterNode {
    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        let text = prompt::word(&self.rules, &self.name, state, false);
        // It is said inside: its agents hear it, and no others.
        let (role, node) = (ChatRole::User, Some(self.inner.path.clone()));
        let word = ChatMessage { role, agent: None, node, text, at: cx.now() };
        let began = TeamUpdate::Began { steps: state.used.steps };
        Ok(Outcome::Done(vec![ChatUpdate::Said(word), self.inner.update(began)]))
    }
}

/// The team is done.
pub(super) struct LeaveNode {
    pub(super) name: String,
    pub(super) rules: Arc<TeamRules>,
    pub(super) inner: Arc<TeamRules>,
    pub(super) parts: Option<Arc<TeamParts>>,
}

#[async_trait]
impl Node<Chat> for LeaveNode {
    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        let parts = parts_of(self.parts.as_ref())?;
        let turn = Turn { rules: &self.rules, parts, agent: &self.name, cx, state };
        match self.end(&turn).await {
            Ok(updates) => Ok(Outcome::Done(updates)),
            Err(stop) => limits::stopped(cx, stop),
        }
    }
}

impl LeaveNode {
    async fn end(&self, turn: &Turn<'_>) -> Result<Vec<ChatUpdate>, AgentStop> {
        let text = self.inner.run(turn.state).result.clone().unwrap_or_default();
        let failed = turn.look_for_failure().await?;
        let end = TurnEnd { failed, ..TurnEnd::new(&self.name, text, TurnOutcome::Said) };
        // What its agents have used is counted already.
        turn.ended(end, Used { at: Some(turn.cx.now()), ..Used::default() }).await
    }
}
