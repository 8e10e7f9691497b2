//! Looks at the success criteria when the team says that it is done. What does not hold is told to the agent that said so.

use std::sync::Arc;

use amelia_agents::agent::AgentStop;
use amelia_agents::pipeline::limits;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;

use super::rules::TeamRules;
use super::{CHECK, TeamParts, deciding, parts_of};
use crate::chat::{Chat, ChatMessage, ChatRole, ChatUpdate, TeamUpdate};

pub(super) struct JudgeNode {
    pub(super) rules: Arc<TeamRules>,
    pub(super) parts: Option<Arc<TeamParts>>,
}

#[async_trait]
impl Node<Chat> for JudgeNode {
    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        let parts = parts_of(self.parts.as_ref())?;
        match self.unmet(cx, state, parts).await {
            Ok(unmet) => Ok(Outcome::Done(self.updates(cx, unmet))),
            Err(stop) => limits::stopped(cx, stop),
        }
    }
}

impl JudgeNode {
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
