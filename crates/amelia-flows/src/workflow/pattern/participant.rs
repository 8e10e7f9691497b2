//! An agent that takes part in a pattern, and the nodes at which it does.

use std::sync::Arc;

use amelia_agents::agent::AgentStop;
use amelia_agents::handing_in::HandIn;
use amelia_agents::pipeline::limits;
use amelia_agents::roles::{Brief, RoleOutcome};
use amelia_core::tool::ToolBox;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use serde::de::DeserializeOwned;

use crate::chat::{Chat, ChatMessage, ChatUpdate, PatternUpdate, Used};
use crate::hearing::{messages_since, recorded_in, used_in};
use crate::workflow::{FlowAgent, FlowParts, agent_of};

/// An agent in a role.
pub(super) struct Participant {
    /// The node of the file.
    pub(super) pattern: String,
    /// Its conversation, and the speaker of its messages.
    pub(super) key: String,
    pub(super) role: String,
    pub(super) agent: String,
    pub(super) parts: Option<Arc<FlowParts>>,
}

/// What an agent does at one node of a pattern.
#[async_trait]
pub(super) trait Step: Send + Sync {
    async fn take(&self, turn: &Turn<'_>) -> Result<Vec<ChatUpdate>, AgentStop>;
}

/// A node at which an agent takes a step.
pub(super) struct StepNode<S> {
    pub(super) who: Participant,
    pub(super) step: S,
}

#[async_trait]
impl<S: Step> Node<Chat> for StepNode<S> {
    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        limits::check_answer(cx)?;
        let agent = agent_of(self.who.parts.as_ref(), &self.who.agent)?;
        match self.step.take(&Turn { who: &self.who, agent, cx, state }).await {
            Ok(updates) => Ok(Outcome::Done(updates)),
            Err(stop) => limits::stopped(cx, stop),
        }
    }
}

/// One turn of an agent.
pub(super) struct Turn<'a> {
    pub(super) who: &'a Participant,
    pub(super) agent: &'a FlowAgent,
    pub(super) cx: &'a NodeCx,
    pub(super) state: &'a Chat,
}

/// What an agent had to say, and what that cost.
pub(super) struct Answer<T> {
    pub(super) value: T,
    used: Used,
}

impl Turn<'_> {
    /// The conversation that the agent has over the whole run.
    pub(super) fn thread(&self) -> NodeCx {
        self.cx.thread(&self.who.key)
    }

    /// What was said since its last turn.
    pub(super) fn news(&self) -> String {
        messages_since(self.state, &self.who.key)
    }

    /// Asks for words. `task` is added to the prompt of the agent.
    pub(super) async fn text(
        &self,
        talk: &NodeCx,
        task: &str,
        word: String,
        tools: Arc<dyn ToolBox>,
    ) -> Result<Answer<String>, AgentStop> {
        let value = self.agent.agent.ask_for_text(talk, tools, self.brief(task, word), &[]).await?;
        Ok(Answer { value, used: self.used(talk).await? })
    }

    /// Asks for a result that is handed in with a tool.
    pub(super) async fn result<T: DeserializeOwned>(
        &self,
        talk: &NodeCx,
        task: &str,
        word: String,
        hand_in: &HandIn,
    ) -> Result<Answer<T>, AgentStop> {
        let tools = Arc::clone(&self.agent.tools);
        let outcome = self.agent.agent.ask_for(talk, tools, self.brief(task, word), hand_in).await?;
        match outcome {
            RoleOutcome::HandedIn(value) => Ok(Answer { value, used: self.used(talk).await? }),
            RoleOutcome::Talked(last) => {
                let last: String = last.chars().take(200).collect();
                let (agent, tool) = (&self.who.agent, hand_in.name());
                let message = format!("`{agent}` did not call `{tool}`; it said last: {last}");
                Err(NodeError::new("no_result", message).into())
            }
        }
    }

    /// What follows every turn, and `more`.
    pub(super) fn updates<T>(&self, answer: &Answer<T>, more: Vec<ChatUpdate>) -> Vec<ChatUpdate> {
        let used = Used { turns: 1, at: Some(self.cx.now()), ..answer.used };
        let current = ChatUpdate::Current { agent: self.who.agent.clone() };
        let seen = self.state.messages.len();
        let visited = ChatUpdate::Visited { node: self.who.key.clone(), seen };
        [current, visited, ChatUpdate::Used(used)].into_iter().chain(more).collect()
    }

    /// A message of this agent.
    pub(super) fn says(&self, text: String) -> ChatUpdate {
        ChatUpdate::Said(ChatMessage::of_agent(&self.who.agent, &self.who.key, text, self.cx.now()))
    }

    pub(super) fn progress(&self, update: PatternUpdate) -> ChatUpdate {
        ChatUpdate::Pattern { node: self.who.pattern.clone(), update }
    }

    fn brief(&self, task: &str, word: String) -> Brief {
        let system = format!("{}\n\n{task}", self.agent.system);
        let word = if word.is_empty() { "It is your turn.".to_owned() } else { word };
        Brief { system, word, ..Brief::default() }
    }

    async fn used(&self, talk: &NodeCx) -> Result<Used, AgentStop> {
        Ok(used_in(&recorded_in(self.cx, talk).await?))
    }
}
